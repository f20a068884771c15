/* a1: how a result stands to application class A1 of the SD association: 10 MB/s of sequential
 * writes, 500 random writes and 1500 random reads of 4 KiB a second. Pure. */
#ifndef STORAGE_A1_H
#define STORAGE_A1_H

#include <stddef.h>

#define A1_TEXT_MAX 256

struct a1 { /* negative: not measured */
    double write_bps, read_iops, write_iops;
};

/* "meets A1: …", "misses A1: …" or, with parts unmeasured, "meets A1 in …"; "" with none. */
void a1_judge(const struct a1 *figures, char text[A1_TEXT_MAX]);

#endif
