#include "exercise.h"

#include "kernel.h"

#include <common/cleanup.h>
#include <string.h>

#define CHUNK_WORDS (EXERCISE_CHUNK / sizeof(uint64_t))

static const struct content patterns[] = {
    {.kind = CONTENT_ADDRESS},
    {.kind = CONTENT_FILL},
    {.kind = CONTENT_WORD, .word = 0},
    {.kind = CONTENT_WORD, .word = UINT64_C(0x5555555555555555)},
    {.kind = CONTENT_WORD, .word = UINT64_C(0x00ff00ff00ff00ff)},
    {.kind = CONTENT_WALKING},
};

struct stint { /* of one worker */
    struct worker *worker;
    struct exercise *exercise;
    uint64_t *one, *other; /* halves of its memory */
    size_t count;          /* words of each */
    uint64_t moved, sum_one, sum_other;
};

/* One chunk: words [at, at + count) of both halves. */
typedef void chunk_step(struct stint *stint, const struct content *content, size_t at,
                        size_t count);

static void write_one(struct stint *stint, const struct content *content, size_t at, size_t count)
{
    content_write(content, stint->one + at, count);
}

static void compare_one(struct stint *stint, const struct content *content, size_t at, size_t count)
{
    wrong_search(stint->exercise->wrong, content, stint->one + at, count, stint->worker->cpu, true);
}

static void copy(struct stint *stint, const struct content *content, size_t at, size_t count)
{
    (void)content;
    memcpy(stint->other + at, stint->one + at, count * sizeof(uint64_t));
}

static void compare_other(struct stint *stint, const struct content *content, size_t at,
                          size_t count)
{
    wrong_search(stint->exercise->wrong, content, stint->other + at, count, stint->worker->cpu,
                 true);
}

static void invert_back(struct stint *stint, const struct content *content, size_t at, size_t count)
{
    (void)content;
    content_invert(stint->one + at, stint->other + at, count);
}

static void compare_inverse(struct stint *stint, const struct content *content, size_t at,
                            size_t count)
{
    struct content inverse = *content;
    inverse.invert = ~content->invert;
    compare_one(stint, &inverse, at, count);
}

static void add_up(struct stint *stint, const struct content *content, size_t at, size_t count)
{
    (void)content;
    for (size_t i = at; i < at + count; i++) {
        stint->sum_one += stint->one[i];
        stint->sum_other += stint->other[i];
    }
}

static const struct {
    chunk_step *step;
    unsigned sides; /* halves it moves through */
} course[] = {{write_one, 1},   {compare_one, 1},     {copy, 2},  {compare_other, 1},
              {invert_back, 2}, {compare_inverse, 1}, {add_up, 2}};

static bool has_enough(struct stint *stint)
{
    struct wrong *wrong = stint->exercise->wrong;
    pthread_mutex_lock(&wrong->lock);
    bool has_enough = wrong->count >= EXERCISE_WRONG_MOST;
    pthread_mutex_unlock(&wrong->lock);
    return has_enough || worker_stops(stint->worker);
}

/* False when it was stopped on the way. */
static bool go_over(struct stint *stint, const struct content *pattern, size_t step)
{
    for (size_t at = 0; at < stint->count; at += CHUNK_WORDS) {
        size_t count = stint->count - at < CHUNK_WORDS ? stint->count - at : CHUNK_WORDS;
        struct content content = *pattern;
        content.first += pattern->kind == CONTENT_ADDRESS ? at * sizeof(uint64_t) : at;
        if (has_enough(stint))
            return false;
        course[step].step(stint, &content, at, count);
        stint->moved += count * sizeof(uint64_t) * course[step].sides;
        worker_publish(stint->worker, stint->moved);
    }
    return true;
}

static bool go_through(struct stint *stint, const struct content *pattern, bool flips)
{
    struct content content = *pattern;
    if (content.kind == CONTENT_ADDRESS)
        content.first = (uint64_t)(uintptr_t)stint->one;
    stint->sum_one = stint->sum_other = 0;
    for (size_t step = 0; step < ARRAY_SIZE(course); step++) {
        if (!go_over(stint, &content, step))
            return false;
        if (flips && course[step].step == write_one)
            stint->one[stint->count / 2] ^= UINT64_C(1) << 21;
    }
    /* a word and its inverse make -1 */
    uint64_t expected = 0 - (uint64_t)stint->count, sum = stint->sum_one + stint->sum_other;
    if (sum != expected)
        wrong_add_sum(stint->exercise->wrong, "the checksum", expected, sum, stint->worker->cpu);
    return true;
}

uint64_t exercise_passes(const struct exercise *exercise, unsigned count)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        uint64_t done = atomic_load_explicit(&exercise->done[i], memory_order_relaxed);
        least = done < least ? done : least;
    }
    return count ? least : 0;
}

int exercise_run(struct worker *worker, void *context)
{
    struct exercise *exercise = context;
    size_t half = worker->area.bytes / 2 / sizeof(uint64_t);
    struct stint stint = {.worker = worker,
                          .exercise = exercise,
                          .one = (uint64_t *)(void *)worker->area.base,
                          .count = half};
    stint.other = stint.one + half;
    worker->area.intact = 0;
    bool flips = exercise->flips_bit && worker->index == 0;
    for (size_t turn = 0;; turn++) {
        if (!go_through(&stint, &patterns[turn % ARRAY_SIZE(patterns)], flips && turn == 0))
            return 0;
        atomic_fetch_add_explicit(&exercise->done[worker->index], 1, memory_order_relaxed);
    }
}
