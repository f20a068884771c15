#include <math.h>
#include <stddef.h>

#include "selftest.h"
#include "ticks.h"

#define PERIOD_S 1.0 /* of the sine */
#define TURN 6.283185307179586

enum { MOVED, LEVEL, RATE };

SELFTEST_METRIC(moved, "moved", "Moved", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER);
SELFTEST_METRIC(level, "level", "Level of the signal", DYNO_RATIO, DYNO_GAUGE, DYNO_NONE);
SELFTEST_METRIC(rate, "rate", "Mean rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER);
static const struct dyno_metric *const metrics[] = {
    [MOVED] = &moved, [LEVEL] = &level, [RATE] = &rate, NULL};

SELFTEST_OPTION(time_option, DYNO_TIME, "time", "2s", SELFTEST_MS, 100 * SELFTEST_HOUR,
                "How long the signal lasts.");
SELFTEST_OPTION(rate_option, DYNO_SIZE, "rate", "100MB", 1, 1ull << 50,
                "Bytes a second that the signal moves in its mean or at its end.");
static const struct dyno_option *const options[] = {&time_option, &rate_option, NULL};

/* A signal as its integral from 0 to t, in units of rate x 1 s, so that ticks sum exactly enough
 * whatever their length; and its level at t. */
struct signal_shape {
    double (*integral)(double t_s, double span_s);
    double (*level)(double t_s, double span_s);
};

static double sine_integral(double t_s, double span_s)
{
    (void)span_s;
    return t_s + 0.5 * PERIOD_S / TURN * (1 - cos(TURN * t_s / PERIOD_S));
}

static double sine_level(double t_s, double span_s)
{
    (void)span_s;
    return 1 + 0.5 * sin(TURN * t_s / PERIOD_S);
}

static double ramp_integral(double t_s, double span_s)
{
    return t_s * t_s / (2 * span_s);
}

static double ramp_level(double t_s, double span_s)
{
    return t_s / span_s;
}

static int run_signal(const struct dyno_host *host, struct dyno_run *run,
                      const struct signal_shape *shape)
{
    struct ticks ticks;
    uint64_t span_ns = host->opt_u64(run, "time");
    double per_second = (double)host->opt_u64(run, "rate");
    double span_s = selftest_seconds(span_ns);
    double moved_bytes = 0;

    host->fact(run, "engine", "arithmetic");
    host->phase(run, "signal");
    ticks_begin(&ticks, host, run, span_ns);
    while (ticks_next(&ticks)) {
        double t_s = selftest_seconds(ticks.t1_ns - ticks.zero_ns);
        /* Whole bytes: a sum of them is exact. */
        double until = floor(per_second * shape->integral(t_s, span_s));
        host->sample(run, MOVED, 0, ticks.t0_ns, ticks.t1_ns, until - moved_bytes);
        host->sample(run, LEVEL, 0, ticks.t0_ns, ticks.t1_ns, shape->level(t_s, span_s));
        host->progress(run, ticks.t1_ns - ticks.zero_ns, span_ns);
        moved_bytes = until;
    }
    double took_s = selftest_seconds(ticks.t1_ns - ticks.zero_ns);
    if (took_s > 0)
        host->result(run, RATE, DYNO_LANE_ALL, moved_bytes / took_s);
    return 0;
}

static int run_sine(const struct dyno_host *host, struct dyno_run *run)
{
    static const struct signal_shape shape = {sine_integral, sine_level};
    return run_signal(host, run, &shape);
}

static int run_ramp(const struct dyno_host *host, struct dyno_run *run)
{
    static const struct signal_shape shape = {ramp_integral, ramp_level};
    return run_signal(host, run, &shape);
}

const struct dyno_test selftest_sine = {
    .size = sizeof(struct dyno_test),
    .targets = DYNO_MEM,
    .flags = DYNO_HIDDEN,
    .id = "selftest.sine",
    .title = "Sine",
    .summary = "A rate that swings around its mean.",
    .options = options,
    .metrics = metrics,
    .run = run_sine,
};

const struct dyno_test selftest_ramp = {
    .size = sizeof(struct dyno_test),
    .targets = DYNO_MEM,
    .flags = DYNO_HIDDEN,
    .id = "selftest.ramp",
    .title = "Ramp",
    .summary = "A rate that grows evenly from nothing.",
    .options = options,
    .metrics = metrics,
    .run = run_ramp,
};
