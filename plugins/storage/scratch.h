/* scratch: the file a run writes or reads, always below the folder the guard opened.
 *
 * Without a name: O_TMPFILE, whose room comes back at once whatever kills us; where the filesystem
 * has none, a named file with a stamp that the next start sweeps. With a name: created O_EXCL and
 * kept. scratch_close releases. Errors: negative errno with one sentence in `why`. May block. */
#ifndef STORAGE_SCRATCH_H
#define STORAGE_SCRATCH_H

#include "stamp.h"

#include <stddef.h>

#define SCRATCH_WHY_MAX 512

struct scratch_request {
    int dirfd;
    const char *folder;     /* for sentences */
    const char *filesystem; /* "ext4"; "" unknown */
    const char *file;       /* plain name, "" none */
    bool has_tmpfile, is_direct;
    uint64_t planned_bytes;
    uint64_t part_bytes;  /* 0: one file; see parts.h */
    uint64_t total_bytes; /* of all files that belong together; 0: not told in the stamp */
    unsigned
        number; /* a run with several nameless files counts them, so that names are soon found */
};

struct scratch {                   /* owned */
    int fd, dirfd;                 /* dirfd is the caller's */
    char name[STAMP_FILE_MAX + 1]; /* "" nameless */
    bool is_kept, is_ours;         /* ours: written by this run */
    bool is_direct;                /* O_DIRECT is set */
    bool was_direct_refused;       /* open with O_DIRECT said EINVAL */
    uint64_t open_ns;              /* what open() took */
    struct stamp stamp;
};

/* FAT's inode numbers are made up at each mount; FUSE's belong to its daemon. */
bool scratch_has_lasting_inodes(const char *filesystem);
/* A plain name: no '/', no leading ".iodyno-", not "." or "..", at most STAMP_FILE_MAX bytes. */
bool scratch_name_valid(const char *file);
/* Removes request->file when it is a finished one of ours: 1 when it did, 0 when there is none,
 * -EEXIST when it is not ours, -EBUSY when another run writes it. */
int scratch_clear(const struct scratch_request *request, char why[SCRATCH_WHY_MAX]);
/* A fresh, empty file, readable and writable. -EEXIST: `file` is there and not ours; -EBUSY: ours
 * and another run is on it. */
int scratch_create(struct scratch *scratch, const struct scratch_request *request,
                   char why[SCRATCH_WHY_MAX]);
/* The same under a name of ours, ".iodyno-…", stamped and kept. */
int scratch_create_as(struct scratch *scratch, const struct scratch_request *request,
                      const char *name, char why[SCRATCH_WHY_MAX]);
/* One of those again, to be read and written; O_DIRECT where it can be. The caller knows that it is
 * ours. */
int scratch_reopen(struct scratch *scratch, const struct scratch_request *request, const char *name,
                   char why[SCRATCH_WHY_MAX]);
/* Its stamp says from now on that it is whole as it stands. */
int scratch_finish(struct scratch *scratch);
/* An existing regular file, read-only. */
int scratch_open(struct scratch *scratch, const struct scratch_request *request,
                 char why[SCRATCH_WHY_MAX]);
/* A descriptor opened by others, already O_DIRECT and only to be read; it is duplicated. */
int scratch_adopt(struct scratch *scratch, int fd);
/* Bytes of the open file or device; 0 when it cannot tell. The position goes back to 0. */
uint64_t scratch_size(const struct scratch *scratch);
/* Sets or clears O_DIRECT on the open file. */
int scratch_set_direct(struct scratch *scratch, bool is_direct);
/* Removes what is not kept, closes; the error of close (it may be the first to tell of lost data).
 */
int scratch_close(struct scratch *scratch);

/* Removes files that interrupted runs left in the folder: our name pattern, our stamp, that inode,
 * owner not alive. Returns how many, and their size. */
unsigned scratch_sweep(int dirfd, const char *filesystem, uint64_t *ret_bytes);

#endif
