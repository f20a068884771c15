#include "walk.h"

#include <string.h>

#define LAY_LINES 65536u /* laid between two looks at the stop flag */
#define STEPS 1024u      /* between two looks at the stop flag; of all chains together */

int walk_lay(struct worker *worker, void *context)
{
    struct walk *walk = context;
    if (worker->index != 0)
        return 0;
    chase_init(&walk->chase, worker->area.base, chase_lines(walk->bytes));
    worker->area.intact = 0;
    for (uint64_t line = 0; line < walk->chase.lines && !worker_stops(worker); line += LAY_LINES) {
        chase_lay(&walk->chase, line, LAY_LINES);
        worker_publish(worker, line * CHASE_LINE);
    }
    return 0;
}

static uint64_t line_of(const struct chase *chase, const void *at)
{
    return (uint64_t)((const char *)at - chase->base) / CHASE_LINE;
}

static bool is_within(const struct chase *chase, const void *at)
{
    uintptr_t low = (uintptr_t)chase->base, address = (uintptr_t)at;
    return address >= low && address < low + chase->lines * CHASE_LINE;
}

/* The first pointer that leads elsewhere than it was laid. */
static void search(struct walk *walk, const struct worker *worker)
{
    const struct chase *chase = &walk->chase;
    uint64_t next = chase->step, before = walk->wrong->count;
    for (uint64_t line = 0; line < chase->lines; line++) {
        uint64_t *at = (uint64_t *)(void *)(chase->base + line * CHASE_LINE);
        void *to = chase->base + next * CHASE_LINE;
        if (*(void **)(void *)at != to) {
            uint64_t expected = *at; /* a pointer may fill half of it */
            memcpy(&expected, &to, sizeof to);
            struct content content = {.kind = CONTENT_WORD, .word = expected};
            wrong_search(walk->wrong, &content, at, 1, worker->cpu, true);
        }
        next += chase->factor;
        next -= next >= chase->lines ? chase->lines : 0;
    }
    if (walk->wrong->count == before)
        wrong_add_sum(walk->wrong, "chase", 0, 0, worker->cpu);
}

int walk_go(struct worker *worker, void *context)
{
    struct walk *walk = context;
    const struct chase *chase = &walk->chase;
    void *at[CHASE_CHAINS_MOST];
    uint64_t taken = 0, apart = chase->lines / walk->chains;
    size_t count = STEPS / walk->chains;
    if (worker->index != 0)
        return 0;
    for (unsigned i = 0; i < walk->chains; i++)
        at[i] = chase->base + chase_after(chase, i * apart) * CHASE_LINE;
    if (walk->flips_bit) { /* to another line, so that the walk stays within */
        uint64_t *bent = (uint64_t *)(void *)(chase->base + chase_after(chase, count) * CHASE_LINE);
        *bent ^= CHASE_LINE;
        if (!is_within(chase, (void *)(uintptr_t)*bent))
            *bent ^= CHASE_LINE;
    }
    while (!worker_stops(worker)) {
        chase_walk(walk->chains, at, count);
        taken += count;
        worker_publish(worker, taken * walk->chains * CHASE_LINE);
    }
    for (unsigned i = 0; i < walk->chains; i++) {
        uint64_t expected = chase_after(chase, i * apart + taken % chase->lines);
        if (!is_within(chase, at[i]) || line_of(chase, at[i]) != expected) {
            search(walk, worker);
            break;
        }
    }
    return 0;
}
