#include "store/digest.h"

#include "wire/frame.h"

#define FNV_START 0xcbf29ce484222325U /* FNV-1a, 64 bits */
#define FNV_PRIME 0x100000001b3U

void digest_add_bytes(struct digest *digest, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t sum = digest->count > 0 ? digest->sum : FNV_START;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * FNV_PRIME;
    digest->sum = sum;
    digest->count++;
}

/* Encoded anew: what a frame says counts, not how its bytes happened to be laid out. */
void digest_add_frame(struct digest *digest, const struct frame *frame)
{
    struct packet packet;
    packet.size = 0;
    (void)packet_add(&packet, frame); /* one that cannot be encoded still counts */
    digest_add_bytes(digest, packet.bytes, packet.size);
}

bool digest_is_same(const struct digest *a, const struct digest *b)
{
    return a->count == b->count && a->sum == b->sum;
}
