/* peak: what the memory bus can carry at most, with the word of who says so. A person's option
 * rules; below it stands what iodyno found of the board before the run (board file, SMBIOS) and
 * handed over with the target. */
#ifndef MEMORY_PEAK_H
#define MEMORY_PEAK_H

#include <iodyno/plugin.h>

struct peak {
    double bytes_per_s; /* 0: unknown */
    char source[96];    /* "option ddr4-1600x16", "board file, …"; "unknown" */
};

/* `option`: "3200" in MB/s of 10^6, or "ddr4-1600x16": MT/s and the bits of the whole bus; NULL or
 * "": none. -EINVAL, with *into unknown, when it is neither. */
int peak_option(const char *option, struct peak *into);
/* The option, else what the target says, else 0 and "unknown". */
int peak_of(const struct dyno_target *target, const char *option, struct peak *into);

#endif
