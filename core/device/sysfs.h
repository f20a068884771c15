/* sysfs: the text files of sysfs and procfs under a root folder ("" is this machine, else a
 * recorded tree, whose bytes and links are not trusted: nothing outside the root is followed,
 * nothing but regular files is read). Never blocks: only attributes the kernel answers from memory
 * may be named here. */
#ifndef DEVICE_SYSFS_H
#define DEVICE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

#define SYSFS_ENTRIES_MAX 32768 /* names in one folder */

/* Resolves all links of ROOT + `path`. -EXDEV when they lead out of the root. The caller frees. */
int sysfs_resolve(const char *root, const char *path, char **ret_path);
/* The same for `name` below an already resolved folder. */
int sysfs_follow(const char *root, const char *folder, const char *name, char **ret_path);

/* Adds the text of an attribute without its trailing blanks; may hold NUL bytes. -ENOENT when it is
 * absent, -EINVAL when it is no regular file (a warning goes to the log). */
int sysfs_text(const char *folder, const char *name, struct str *into);
/* Adds a whole regular file of at most `limit` bytes, untrimmed: what is longer is cut. */
int sysfs_file(const char *folder, const char *name, size_t limit, struct str *into);

/* An attribute's text cleaned for a person and trimmed at both ends; NULL when absent or empty. */
char *sysfs_label(const char *folder, const char *name);
int sysfs_number(const char *folder, const char *name, uint64_t *ret_value);
bool sysfs_has(const char *folder, const char *name);
/* The text of a link, unresolved and untrusted; NULL when it is none. The caller frees. */
char *sysfs_link(const char *folder, const char *name);

/* Names in a folder in natural order (sda2 before sda10), NULL-ended; dot files are left out. */
int sysfs_list(const char *folder, char ***ret_names);
int sysfs_names(const char *folder, char ***ret_names); /* the same in no order */
char **sysfs_list_free(char **names);                   /* accepts NULL, returns NULL */
int sysfs_natural(const char *a, const char *b);

/* The nearest folder at or above `folder` that holds `attribute`, up to the last one below
 * sys/devices; NULL when there is none. The caller frees. */
char *sysfs_above(const char *folder, const char *attribute);
/* Last component of a path, pointing into it. */
const char *sysfs_base(const char *path);

#endif
