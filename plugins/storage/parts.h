/* parts: the data of a run, as one file or, where the filesystem takes none that large (FAT: 4
 * GiB), as several that follow each other, all of one length but the last. Errors: negative errno,
 * with one sentence in `why` where there is one. May block as the filesystem does. */
#ifndef STORAGE_PARTS_H
#define STORAGE_PARTS_H

#include "scratch.h"

#define PARTS_BYTES (1ull << 30) /* of one part, unless the filesystem takes less */
#define PARTS_MOST 4096u
#define PARTS_TEXT_MAX 160

struct parts {             /* owned: parts_close; {0}: none open */
    struct scratch *files; /* a named one's others are NAME.2, NAME.3 … */
    unsigned count;
    uint64_t part_bytes; /* with several: where the next begins */
};

/* How long each part is: a multiple of `block`; 0 when one file holds it all. -EFBIG when not even
 * parts do. Pure. */
int parts_length(uint64_t total, uint64_t max_file_bytes, uint64_t block, uint64_t *ret_bytes);
unsigned parts_count(uint64_t total, uint64_t part_bytes); /* part_bytes may be 0. Pure */
/* "6 files of 1073741824 bytes: vfat takes …". */
void parts_explain(uint64_t total, uint64_t part_bytes, const char *filesystem,
                   uint64_t max_file_bytes, char text[PARTS_TEXT_MAX]);

/* All files, fresh and empty, by request->part_bytes and request->planned_bytes. */
int parts_create(struct parts *parts, const struct scratch_request *request,
                 char why[SCRATCH_WHY_MAX]);
/* A given one and, where this program wrote it in parts, the others. */
int parts_open(struct parts *parts, const struct scratch_request *request,
               char why[SCRATCH_WHY_MAX]);
int parts_adopt(struct parts *parts, int fd); /* a whole device; see scratch_adopt */
/* The first error of close; harmless when none is open. */
int parts_close(struct parts *parts);
void parts_discard(struct parts *parts); /* none of ours is to be kept by parts_close */

bool parts_is_direct(const struct parts *parts);
bool parts_was_refused(const struct parts *parts); /* O_DIRECT */
uint64_t parts_open_ns(const struct parts *parts);
uint64_t parts_bytes(const struct parts *parts); /* in all; the positions go back to 0 */
int parts_set_direct(struct parts *parts, bool is_direct);
int parts_rewind(struct parts *parts);
/* One call for each file, which returns 0 or negative errno; the first error ends it. */
int parts_each(struct parts *parts, int (*call)(int fd));
int parts_fsync(struct parts *parts);
int parts_fdatasync(struct parts *parts);
int parts_drop(struct parts *parts); /* flushed, and out of RAM */
/* As cache_resident, from the beginning on. */
int parts_resident(const struct parts *parts, uint64_t length, uint64_t *ret_bytes);

struct part_place {
    unsigned number;
    uint64_t offset, left; /* within that file; to its end */
};

static inline struct part_place parts_at(const struct parts *parts, uint64_t offset)
{
    if (parts->count <= 1)
        return (struct part_place){0, offset, UINT64_MAX - offset};
    uint64_t inside = offset % parts->part_bytes;
    return (struct part_place){(unsigned)(offset / parts->part_bytes), inside,
                               parts->part_bytes - inside};
}

#endif
