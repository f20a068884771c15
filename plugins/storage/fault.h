/* fault: an I/O error as the sentence that ends the run. Errors are sorted by set: a failing device
 * does not always say EIO, and a full lower layer says ENOSPC while the filesystem has room. */
#ifndef STORAGE_FAULT_H
#define STORAGE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fault {
    const char *doing; /* "write", "read", "fsync", "close" … */
    const char *place; /* the target's folder */
    int error;         /* negative errno */
    uint64_t done, total;
    bool is_disk_gone;   /* the leaf disk's sysfs file went away */
    bool is_read_only;   /* the filesystem is, by now: after errors it may have turned so */
    uint64_t room_bytes; /* free by the filesystem at the time; 0: full or unknown */
};

/* The sentence into `text`. Returns the errno the run ends with: -ENODEV for every way in which a
 * removed device shows itself, else fault->error. Pure. */
int fault_explain(const struct fault *fault, char *text, size_t size);

#endif
