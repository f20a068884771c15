/* digest: a checksum of frames in their order, so that a run which was read back can be compared
 * with the one that came in, without keeping it. Guards against accidents, not against malice. */
#ifndef STORE_DIGEST_H
#define STORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;

struct digest {
    uint64_t count, sum;
};

void digest_add_bytes(struct digest *digest, const void *bytes, size_t size);
void digest_add_frame(struct digest *digest, const struct frame *frame);
bool digest_is_same(const struct digest *a, const struct digest *b);

#endif
