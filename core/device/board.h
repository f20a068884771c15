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
    int clock_set;         /* 1: the wall clock is after 2020, 0: it is not; -1: recorded tree */
};

/* Always 0: what is absent stays NULL or 0. `root` as for inventory_scan. */
int board_read(const char *root, struct board *ret_board);
void board_done(struct board *board);
uint64_t board_memory(const char *root);           /* MemTotal in bytes, 0 unknown */
uint64_t board_memory_available(const char *root); /* MemAvailable now, 0 unknown */
/* Adds pairs machine.board= .compatible= .kernel= .iodyno= .governor= .boot_id= .cpus=
 * .memory_bytes= .clock_set=true|false as an order carries them; unknown ones are left out. */
void board_add_pairs(const struct board *board, struct str *pairs);

#endif
