/* leafstat: what the leaf disks under a folder have moved, from their sysfs `stat` files.
 *
 * The files are opened once and read with pread (about 2 us each), so a read costs no path walk
 * and never touches the disk. Amounts are bytes and requests since leafstat_open. */
#ifndef STORAGE_LEAFSTAT_H
#define STORAGE_LEAFSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAF_MAX 16
#define LEAF_SECTOR 512u /* `stat` counts sectors of 512 whatever the disk's block is */

enum leaf_field { LEAF_READS, LEAF_READ_SECTORS, LEAF_WRITES, LEAF_WRITTEN_SECTORS, LEAF_FIELDS };

struct leaf_counts {
    uint64_t read_requests, write_requests, read_bytes, written_bytes;
};

struct leafstat {
    int fds[LEAF_MAX];
    size_t count; /* 0: no leaf known, all amounts stay 0 */
    uint64_t last[LEAF_MAX][LEAF_FIELDS];
    struct leaf_counts sum;
    bool is_gone; /* a disk's file went away: it was removed */
};

/* `paths` is NULL-ended and may be NULL. A file that cannot be opened is left out. */
void leafstat_open(struct leafstat *leaf, const char *const *paths);
void leafstat_close(struct leafstat *leaf);
/* The sums since open; a removed disk keeps its last amounts. One thread at a time. */
struct leaf_counts leafstat_read(struct leafstat *leaf);

/* The four fields of one `stat` text; -EINVAL when it is no such text. Pure. */
int leafstat_parse(const char *text, uint64_t ret_fields[LEAF_FIELDS]);
/* How far a counter moved; a 32-bit kernel's counter wraps at 2^32. Pure. */
uint64_t leafstat_moved(uint64_t before, uint64_t now);

#endif
