#include "pattern.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

/* splitmix64: fills a pool far faster than any board's storage takes it. */
static uint64_t mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t fresh_seed(void)
{
    uint64_t value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) == (ssize_t)sizeof value)
        return value;
    struct timespec now; /* early in boot, or a kernel before 3.17: unlike last time is enough */
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec;
}

static size_t size_of(size_t block, int is_random)
{
    return is_random && block < PATTERN_POOL ? PATTERN_POOL : block;
}

static void fill(struct pattern *pattern, int is_random)
{
    memset(pattern->bytes, 0, pattern->size);
    if (is_random)
        pattern_seed(pattern, fresh_seed());
}

int pattern_make(struct pattern *pattern, size_t block, int is_random)
{
    size_t size = size_of(block, is_random);
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return -ENOMEM;
    *pattern = (struct pattern){.bytes = bytes, .size = size, .block = block};
    fill(pattern, is_random);
    return 0;
}

int pattern_make_large(struct pattern *pattern, size_t block, int is_random)
{
    struct pattern made = {.size = size_of(block, is_random), .block = block};
    if (pages_make(&made.memory, made.size) < 0)
        return -ENOMEM;
    made.bytes = made.memory.bytes;
    fill(&made, is_random);
    *pattern = made;
    return 0;
}

void pattern_seed(struct pattern *pattern, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t at = 0; at < pattern->size; at += sizeof state) {
        uint64_t word = mix(&state);
        size_t left = pattern->size - at;
        memcpy(pattern->bytes + at, &word, left < sizeof word ? left : sizeof word);
    }
}

void pattern_done(struct pattern *pattern)
{
    if (pattern->memory.bytes)
        pages_done(&pattern->memory);
    else if (pattern->bytes)
        munmap(pattern->bytes, pattern->size);
    pattern->bytes = NULL;
}
