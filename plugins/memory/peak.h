/* peak: what the DRAM can move at most, from an option or from what the machine tells. */
#ifndef MEMORY_PEAK_H
#define MEMORY_PEAK_H

struct peak {
    double bytes_per_s; /* 0: unknown */
    char source[96];    /* "unknown" then */
};

/* option: "3200" (MB/s), "ddr4-1600x16", or "" to ask the machine. */
int peak_find(const char *root, const char *option, struct peak *into);

#endif
