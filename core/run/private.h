/* private: the file system of a device that is not mounted, mounted where only this process sees it
 * and only with a person's word. The mount namespace is the process's own, so the mount dies with
 * it, however it ends. May block as the device does: the guard alone calls it. */
#ifndef RUN_PRIVATE_H
#define RUN_PRIVATE_H

#include <stdbool.h>

struct str;

struct private_request {
    const char *root, *id; /* id: what --confirm must say */
    unsigned major, minor;
    const char *confirmed; /* what it did say; NULL: nothing */
    bool is_read_only;     /* nothing will be written by the run */
};

struct private_mount { /* owned: private_unmount */
    char *point;       /* the folder; NULL: not mounted */
    char *note;        /* what was mounted how, for a person */
};

/* 0, or negative errno with one sentence in `why` and nothing mounted: -EPERM (no word given, or
 * not permitted), -EBUSY (something holds the device), -ENODATA (blank: the mkfs line is in the
 * sentence), -EMEDIUMTYPE (no file system that can be mounted), -EROFS, or what mount() said. */
int private_mount(const struct private_request *request, struct private_mount *ret_mount,
                  struct str *why);
void private_unmount(struct private_mount *mount);

#endif
