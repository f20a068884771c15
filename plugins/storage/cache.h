/* cache: how much of a file is in RAM, and how to get it out.
 *
 * cachestat (6.5+) where the kernel has it, else mincore; the environment's IODYNO_NO_CACHESTAT=1
 * forces the latter. Both tell only of files that the caller may write or owns. */
#ifndef STORAGE_CACHE_H
#define STORAGE_CACHE_H

#include <stdint.h>

/* Bytes of [offset, offset + length) that are in the page cache, in whole pages.
 * Negative errno when neither way can tell; ret_bytes is then untouched. */
int cache_resident(int fd, uint64_t offset, uint64_t length, uint64_t *ret_bytes);

/* fsync, then DONTNEED: the order matters, dirty pages stay. Blocks as fsync does. */
int cache_drop(int fd);

#endif
