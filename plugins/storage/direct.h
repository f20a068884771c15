/* direct: whether O_DIRECT is really honoured. That open() took the flag proves nothing: tmpfs,
 * FUSE and btrfs accept it and copy through the page cache. */
#ifndef STORAGE_DIRECT_H
#define STORAGE_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#define DIRECT_PROBE_AT (16u << 20) /* bytes after which the page cache is looked at */

enum direct_verdict { DIRECT_UNKNOWN, DIRECT_HONOURED, DIRECT_NOT_HONOURED };

struct direct_evidence {
    const char *filesystem;
    bool is_write;    /* writes that extend a file */
    bool was_refused; /* open said EINVAL, the run was buffered */
    int alignment;    /* statx DIOALIGN: 1 given, 0 "no direct I/O", -1 the kernel does not say */
    bool is_cache_known;                 /* the page cache could be asked */
    uint64_t probed_bytes, cached_bytes; /* bytes moved by then, and how many came to lie in RAM */
};

struct direct_answer {
    enum direct_verdict verdict;
    const char *why; /* a static sentence part */
};

struct direct_answer direct_judge(const struct direct_evidence *evidence); /* pure */
/* The same for a whole device, not a file on it. Pure. */
struct direct_answer direct_judge_raw(bool is_ram_loop);
const char *direct_word(enum direct_verdict verdict); /* "honoured", "not honoured", … */

/* statx(STATX_DIOALIGN), 6.1+: see `alignment` above; `ret_align` gets the offset alignment or 0.
 */
int direct_alignment(int fd, uint32_t *ret_align);

/* Whether a disk, by its sysfs `stat` file, is a loop device without direct I/O of its own. */
bool direct_is_ram_loop(const char *const *leaf_stat);

#endif
