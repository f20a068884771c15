/* pages: memory for blocks in flight, in large pages where the kernel has them. A block of 1 MiB in
 * pages of 4 KiB is more pieces than most disks take in one request, and is sent as two. */
#ifndef STORAGE_PAGES_H
#define STORAGE_PAGES_H

#include <stddef.h>

#define PAGES_LARGE ((size_t)2 << 20) /* where they are smaller, this is a multiple */

struct pages {            /* owned: pages_done */
    unsigned char *bytes; /* aligned to PAGES_LARGE; zeros, every page touched */
    void *mapping;
    size_t mapped;
};

/* -ENOMEM. */
int pages_make(struct pages *pages, size_t size);
void pages_done(struct pages *pages); /* harmless when never made */

#endif
