/* board: what machine this is: names for the header line and for the record. Reads procfs and sysfs
 * text. */
#ifndef DEVICE_BOARD_H
#define DEVICE_BOARD_H

#include <stdint.h>

struct str;

struct board {
    char *name;       /* device-tree model, else DMI product; NULL unknown */
    char *compatible; /* first device-tree compatible; NULL */
    char *kernel;     /* release */
    char *governor;   /* cpu0's; NULL */
    char *boot_id;
    unsigned cpus;
    uint64_t memory_bytes; /* MemTotal */
    int clock_set;         /* the wall clock is after 2020 */
};

int board_read(const char *root, struct board *ret_board);
void board_done(struct board *board);
/* Adds pairs machine.board=… machine.kernel=… as an order carries them. */
void board_add_pairs(const struct board *board, struct str *pairs);

#endif
