/* a1: how a result stands to the application classes of the SD association: 10 MB/s of sequential
 * writes, and random requests of 4 KiB a second: A1 takes 500 writes and 1500 reads, A2 2000 and
 * 4000. Pure. */
#ifndef STORAGE_A1_H
#define STORAGE_A1_H

#include <stddef.h>

#define A1_TEXT_MAX 288

struct a1 { /* negative: not measured */
    double write_bps, read_iops, write_iops;
};

/* "meets A2: …", "meets A1, misses A2: …", "misses A1: …"; with parts unmeasured "meets … in this
 * part: …"; "" with none. */
void a1_judge(const struct a1 *figures, char text[A1_TEXT_MAX]);

#endif
