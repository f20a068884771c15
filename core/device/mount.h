/* mount: the mount table of mountinfo and the way from a path to the file system that holds it.
 * Parsing and look-ups are pure text work; entries point into their table. */
#ifndef DEVICE_MOUNT_H
#define DEVICE_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOUNT_TEXT_MAX (1u << 20) /* bytes of mountinfo */
#define MOUNT_ENTRIES_MAX 8192

struct str;

struct mount_entry {
    uint64_t id;
    unsigned major, minor;
    char *root, *point; /* octal escapes decoded */
    char *filesystem, *source;
    char *options, *super_options; /* as printed; mount_option decodes */
    bool is_read_only;             /* the mount or its superblock */
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
/* The topmost mount at `point`: later ones hide earlier ones. NULL when there is none. */
const struct mount_entry *mount_by_point(const struct mount_table *table, const char *point);
/* The mount an absolute path lies on, by text alone (links are not followed); NULL when unknown. */
const struct mount_entry *mount_by_path(const struct mount_table *table, const char *path);
/* The mount that really holds what is written to `entry`: an overlay's is that of its upper folder.
 * NULL when it cannot be told (read-only overlay, upper folder of an earlier root). */
const struct mount_entry *mount_backing(const struct mount_table *table,
                                        const struct mount_entry *entry);
/* Adds the decoded value of an option of the superblock ("upperdir"). -ENOENT when it has none. */
int mount_option(const struct mount_entry *entry, const char *key, struct str *into);

/* Mount id of an open descriptor: statx, else fdinfo (IODYNO_NO_STATX=1 forces the second). May
 * block as the filesystem does: worker and probe only. */
int mount_id_of(int fd, uint64_t *ret_id);

#endif
