/* dram: what memory this machine has and what its bus can carry at most: from the board file, else
 * SMBIOS; a rate alone, as devfreq tells it, needs a width beside it. Found once, at the start:
 * memory does not come and go. */
#ifndef DEVICE_DRAM_H
#define DEVICE_DRAM_H

#include <stdbool.h>
#include <stdint.h>

struct inventory;

struct dram {
    char kind[16];   /* "DDR4"; "" unknown */
    unsigned mtps;   /* million transfers a second; 0 unknown */
    unsigned bits;   /* data lines in all; 0 unknown */
    double peak_bps; /* bytes per second; 0 unknown */
    bool is_at_most; /* what the chip can do, not what the board was found to have */
    char source[96]; /* "board file renesas,r9a07g044", "SMBIOS"; "" nothing known */
};

/* "ddr4-1600x16". 0, or -EINVAL with *ret_dram untouched. Pure. */
int dram_parse(const char *text, struct dram *ret_dram);
/* The same, or MB/s of 10^6 ("3200"), as the option dram-peak has it; 0 when it is neither. Pure.
 */
double dram_option(const char *text);
void dram_find(const char *root, struct dram *ret_dram);
/* Writes it into the row of the memory, if there is one. */
void dram_place(const struct dram *dram, struct inventory *inventory);

/* Resolved folder of the memory's clock in devfreq; NULL: none. The caller frees. */
char *dram_devfreq(const char *root);

#endif
