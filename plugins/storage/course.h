/* course: which block the n-th request of a run touches. Pure and without state, so that any number
 * of threads share one counter. */
#ifndef STORAGE_COURSE_H
#define STORAGE_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct course {
    size_t bs;
    uint64_t blocks; /* of bs bytes, > 0: the area; a sequential course begins anew at its end */
    bool is_random;
    unsigned write_percent; /* 0: reads only, 100: writes only */
    uint64_t seed;
};

struct request {
    uint64_t number, offset; /* offset in bytes */
    bool is_write;
};

/* splitmix64's finish: all bits of the answer depend on all bits of the question. */
static inline uint64_t course_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline struct request course_at(const struct course *course, uint64_t number)
{
    uint64_t chance = course_mix(course->seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15));
    uint64_t block = (course->is_random ? chance : number) % course->blocks;
    bool is_write = course->write_percent >= 100 ||
                    (chance >> 32) * 100 < ((uint64_t)course->write_percent << 32);
    return (struct request){.number = number, .offset = block * course->bs, .is_write = is_write};
}

#endif
