/* folder: a folder of sysfs or procfs that is open, which spares the way through its long path for
 * each text below it. What is no regular file is never read: a recorded tree may hold a pipe or a
 * device where a text belongs. Never blocks: only attributes the kernel answers from memory may be
 * named here. */
#ifndef DEVICE_FOLDER_H
#define DEVICE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

#define FOLDER_TEXT_MAX 4096 /* bytes of one attribute */

struct folder {
    int fd;           /* for looking up only; -1: closed, and nothing is found in it */
    const char *path; /* its opener's; stands in log lines */
    bool
        has_nodes; /* it may hold devices, and opening one may wake it: a name is looked at first */
};

/* Not through a link as the last part. folder_close ends it. */
int folder_open(const char *path, struct folder *ret_folder);
/* Follows the link (or folder) `name` of an open one: its resolved path, which the caller frees and
 * which `ret_folder` points to. -EXDEV when that is not within `base`, a resolved path ("": all
 * is). */
int folder_enter(const struct folder *above, const char *base, const char *name,
                 struct folder *ret_folder, char **ret_path);
void folder_close(struct folder *folder); /* accepts a closed one */

/* For names that are whole paths: what needs no open folder. */
struct folder folder_none(const char *path);

/* Adds the text of an attribute without its trailing blanks; may hold NUL bytes. -ENOENT when it is
 * absent, -EINVAL when it is no regular file (a line goes to the log). */
int folder_text(const struct folder *folder, const char *name, struct str *into);
/* Adds a whole regular file of at most `limit` bytes, untrimmed: what is longer is cut. */
int folder_file(const struct folder *folder, const char *name, size_t limit, struct str *into);
/* An attribute's text cleaned for a person and trimmed at both ends; NULL when absent or empty. */
char *folder_label(const struct folder *folder, const char *name);
int folder_number(const struct folder *folder, const char *name, uint64_t *ret_value);
char *folder_link(const struct folder *folder, const char *name); /* its text, untrusted; NULL */
bool folder_has(const struct folder *folder, const char *name);
bool folder_has_folder(const struct folder *folder, const char *name); /* itself, no link */

/* The path of what is open; NULL with errno. The caller frees. */
char *folder_path_of(int fd, const char *path);
/* Is the resolved `path` the resolved `base` or below it? "" and "/" hold all. */
bool folder_is_within(const char *path, const char *base);
/* Files opened since the program began: the cost of a scan, for tests. */
unsigned long folder_opened(void);

#endif
