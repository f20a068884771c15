#include "pace.h"

#include <time.h>

#define NS_PER_S 1000000000ull

void pace_start(struct pace *pace, uint64_t bps, uint64_t late_ns, uint64_t now_ns)
{
    *pace = (struct pace){.bps = bps, .start_ns = now_ns, .late_ns = late_ns};
}

unsigned pace_blocks(const struct pace *pace, size_t block, unsigned max)
{
    if (pace->bps == 0)
        return max;
    double step = (double)pace->bps / 8 * (double)PACE_STEP_NS / (double)NS_PER_S;
    double blocks = step / (double)block;
    return blocks < 1 ? 1 : blocks > max ? max : (unsigned)blocks;
}

uint64_t pace_due_ns(const struct pace *pace)
{
    if (pace->bps == 0)
        return 0;
    return pace->start_ns + (uint64_t)(pace->given * 8 * (double)NS_PER_S / (double)pace->bps);
}

bool pace_wait(struct pace *pace, uint64_t (*clock_ns)(void))
{
    if (pace->bps == 0)
        return true;
    uint64_t due = pace_due_ns(pace), now = clock_ns();
    if (now >= due) {
        if (now - due > pace->late_ns)
            pace->start_ns += now - due - pace->late_ns;
        return true;
    }
    bool is_near = due - now <= PACE_WAIT_NS;
    uint64_t until = is_near ? due : now + PACE_WAIT_NS;
    struct timespec at = {.tv_sec = (time_t)(until / NS_PER_S),
                          .tv_nsec = (long)(until % NS_PER_S)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    return is_near;
}

void pace_give(struct pace *pace, size_t bytes)
{
    pace->given += (double)bytes;
}
