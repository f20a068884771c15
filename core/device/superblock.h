/* superblock: what a block device holds, as its first and last bytes tell: a file system, something
 * else, or nothing. Reads only. May block as the device does: worker and probe only. */
#ifndef DEVICE_SUPERBLOCK_H
#define DEVICE_SUPERBLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct str;

#define SUPERBLOCK_LABEL_MAX 257 /* btrfs has the longest */

enum superblock_content {
    SUPERBLOCK_UNKNOWN,    /* bytes that none of the rules knows */
    SUPERBLOCK_BLANK,      /* nothing but zeros or ones wherever it was looked */
    SUPERBLOCK_FILESYSTEM, /* one that mount() may be asked for */
    SUPERBLOCK_OTHER       /* known, and no file system: swap, a table of partitions, LUKS … */
};

enum superblock_journal {
    SUPERBLOCK_NO_JOURNAL,
    SUPERBLOCK_CLOSED,    /* unmounted in order */
    SUPERBLOCK_OPEN,      /* the next mount replays it: the kernel writes */
    SUPERBLOCK_MAYBE_OPEN /* there is one, and only a mount tells */
};

struct superblock {
    enum superblock_content content;
    const char *type;  /* as mount() names it ("ext4"), or a thing ("swap space"); NULL */
    const char *other; /* a second, contradicting one: then the content is OTHER; NULL */
    char label[SUPERBLOCK_LABEL_MAX]; /* cleaned; "" none or unknown */
    enum superblock_journal journal;
    bool is_read_only; /* by its nature: squashfs */
    bool is_dirty;     /* without a journal, and not unmounted in order */
};

/* `size` in bytes. 0, or the negative errno of a read. */
int superblock_read(int fd, uint64_t size, struct superblock *ret_superblock);

/* For a person. Pure. */
void superblock_describe(const struct superblock *block, struct str *into); /* ext4 "DATA" */
/* What a mount for writing does beyond what is asked of it: "its journal is open: …". */
void superblock_warn(const struct superblock *block, struct str *into);
/* The line that makes a file system on a blank device. Never run by us. */
void superblock_mkfs(const char *node, struct str *into);

#endif
