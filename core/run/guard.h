/* guard: what a storage run may touch. Refuses with a sentence, opens the scratch folder, locks the
 * leaf disk. May block as the filesystem does: only iodyno-worker calls it. */
#ifndef RUN_GUARD_H
#define RUN_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/private.h"

struct str;
struct lease;

#define GUARD_RESERVE_MIN (64ull << 20) /* bytes left free: this or 5 % of the size, the larger */

struct guard_request {
    const char *root; /* "" */
    const char *target_id;
    const char *folder; /* absolute path: mount point or folder */
    bool will_write;    /* the run places `room_bytes` */
    uint64_t room_bytes;
    bool is_exclusive;
    bool is_raw; /* read the block device itself, by number; no folder, nothing is written */
    unsigned raw_major, raw_minor;
    /* Or: its file system, mounted for this process alone, which takes a person's word (the id).
     * Then `folder` counts for nothing; raw_major and raw_minor tell the device. */
    bool is_private;
    const char *confirmed; /* NULL: no word was given */
    const char *holder;    /* who we are, for others' refusals: "run of storage.write" */
};

struct guard_scope {      /* owned; guard_release closes and frees */
    int dirfd;            /* -1 none */
    struct lease *leases; /* one for each leaf disk of an exclusive run */
    size_t lease_count;
    char *filesystem;
    char **leaf_stat;        /* NULL-ended, maybe empty */
    uint64_t free_bytes;     /* for one file, reserve deducted */
    uint64_t max_file_bytes; /* 0: no limit known */
    uint32_t logical_block;  /* largest of the leaf disks; 512 unknown */
    bool has_tmpfile;        /* the file system took an O_TMPFILE (asked only when will_write) */
    bool is_root_filesystem;
    unsigned major, minor;
    char *raw_path;               /* the block device's node; NULL: none */
    int raw_fd;                   /* with raw_path: O_RDONLY | O_DIRECT on it */
    struct private_mount private; /* of `is_private`: guard_release unmounts it */
};

/* 0, or negative errno with one sentence in `why`: -ENOSPC (names the largest size that fits),
 * -EROFS (only when will_write), -EPERM, -EACCES, -ENOENT, -ENOTDIR, -ELOOP (symlinked target),
 * -EBUSY (names the holder), -EINVAL (no absolute path). The result is untouched on failure.
 * With `is_private`: what private_mount says as well.
 * With `is_raw`: -ENODEV, -ENOMEDIUM, or what open() said; never opened for writing. */
int guard_admit(const struct guard_request *request, struct guard_scope *ret_scope,
                struct str *why);
void guard_release(struct guard_scope *scope);

/* Bytes of room one file may take on a filesystem with `available` bytes: size + reserve fits.
 * Pure. */
uint64_t guard_largest(uint64_t available);

/* What may be asked of an open folder without admitting a run; blocks as the filesystem does. */
struct statvfs;
int guard_room(int dirfd, const char *filesystem, struct statvfs *ret_about,
               uint64_t *ret_available);               /* bytes a plain user may still write */
bool guard_tries_tmpfile(int dirfd);                   /* by really making one */
uint64_t guard_max_file_bytes(const char *filesystem); /* 0: no limit known */

#endif
