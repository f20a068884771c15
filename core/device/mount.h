/* mount: the mount table of mountinfo and the way from a path to its leaf disks. Parsing is pure.
 */
#ifndef DEVICE_MOUNT_H
#define DEVICE_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mount_entry {
    uint64_t id;
    unsigned major, minor;
    char *root, *point; /* octal escapes decoded */
    char *filesystem, *source, *options, *super_options;
    bool is_read_only; /* the mount or its superblock */
};

struct mount_table {
    struct mount_entry *entries;
    size_t count;
};

int mount_parse(const char *text, size_t size,
                struct mount_table *ret_table);                  /* bad lines are skipped */
int mount_read(const char *root, struct mount_table *ret_table); /* ROOT/proc/self/mountinfo */
void mount_table_done(struct mount_table *table);

const struct mount_entry *mount_by_id(const struct mount_table *table, uint64_t id);
const struct mount_entry *mount_by_point(const struct mount_table *table, const char *point);

/* Mount id of an open descriptor: statx, else fdinfo (IODYNO_NO_STATX=1 forces the second). May
 * block as the filesystem does: worker and probe only. */
int mount_id_of(int fd, uint64_t *ret_id);

#endif
