/* ticks: the absolute grid on which a test emits its samples, the last one shorter. */
#ifndef SELFTEST_TICKS_H
#define SELFTEST_TICKS_H

#include <iodyno/plugin.h>
#include <stdbool.h>

struct ticks {
    const struct dyno_host *host;
    struct dyno_run *run;
    uint64_t zero_ns, end_ns, tick_ns;
    uint64_t t0_ns, t1_ns; /* the tick that has just passed */
    bool is_over;
};

/* Begins now and lasts for `span_ns`. */
void ticks_begin(struct ticks *ticks, const struct dyno_host *host, struct dyno_run *run,
                 uint64_t span_ns);
/* Waits until a tick has passed, the span is over or the run was cancelled. False: no tick came. */
bool ticks_next(struct ticks *ticks);

#endif
