/* ddline: the lines that dd and time print, figure for figure. Pure. */
#ifndef STORAGE_DDLINE_H
#define STORAGE_DDLINE_H

#include <stdint.h>

#define DDLINE_MAX 160
struct ddline {
    char text[DDLINE_MAX];
};

/* "524288000 bytes (524 MB, 500 MiB) copied, 7.81532 s, 67.1 MB/s" */
struct ddline ddline_make(uint64_t bytes, uint64_t elapsed_ns);

/* "real 0m7.840s, user 0m0.004s, sys 0m1.203s" */
struct ddline ddline_real(uint64_t real_ns, uint64_t user_ns, uint64_t sys_ns);

#endif
