#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "selftest.h"
#include "ticks.h"

#define LANES_EACH 128 /* sent: lanes 0..127, received: lanes 128..255 */
#define FLOOD_LANES_MAX 16

enum { SENT, RECEIVED, WIDE_RATE };
enum { FLOODED, FLOOD_SAMPLES };

SELFTEST_METRIC(sent, "sent", "Sent", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER);
SELFTEST_METRIC(received, "received", "Received", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER);
SELFTEST_METRIC(wide_rate, "rate", "Mean rate of both", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER);
static const struct dyno_metric *const wide_metrics[] = {
    [SENT] = &sent, [RECEIVED] = &received, [WIDE_RATE] = &wide_rate, NULL};

SELFTEST_METRIC(flooded, "moved", "Moved", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER);
SELFTEST_METRIC(samples, "samples", "Samples made", DYNO_COUNT, DYNO_TOTAL, DYNO_NONE);
static const struct dyno_metric *const flood_metrics[] = {
    [FLOODED] = &flooded, [FLOOD_SAMPLES] = &samples, NULL};

SELFTEST_OPTION(time_option, DYNO_TIME, "time", "1s", SELFTEST_MS, 100 * SELFTEST_HOUR,
                "How long it lasts.");
SELFTEST_OPTION(lanes_option, DYNO_UINT, "lanes", "2", 1, FLOOD_LANES_MAX,
                "Threads that make samples, each in its own lane.");
static const struct dyno_option *const wide_options[] = {&time_option, NULL};
static const struct dyno_option *const flood_options[] = {&time_option, &lanes_option, NULL};

/* Every amount can be told beforehand: 1000 + 7 x lane + the number of the tick; of a shortened
 * tick too. */
static double wide_amount(unsigned lane, uint64_t tick)
{
    return (double)(1000 + 7 * lane + tick);
}

static int run_wide(const struct dyno_host *host, struct dyno_run *run)
{
    struct ticks ticks;
    double totals[2] = {0, 0};

    host->fact(run, "engine", "arithmetic");
    host->fact(run, "rule", "1000 + 7 x lane + tick");
    host->phase(run, "wide");
    ticks_begin(&ticks, host, run, host->opt_u64(run, "time"));
    for (uint64_t tick = 0; ticks_next(&ticks); tick++) {
        if (tick == 0)
            host->event(run, "mark", "the first tick has passed");
        for (unsigned lane = 0; lane < 2 * LANES_EACH; lane++) {
            unsigned metric = lane < LANES_EACH ? SENT : RECEIVED;
            double amount = wide_amount(lane, tick);
            host->sample(run, metric, lane, ticks.t0_ns, ticks.t1_ns, amount);
            totals[metric] += amount;
        }
    }
    double took_s = selftest_seconds(ticks.t1_ns - ticks.zero_ns);
    host->result(run, SENT, DYNO_LANE_ALL, totals[SENT]);
    host->result(run, RECEIVED, DYNO_LANE_ALL, totals[RECEIVED]);
    if (took_s > 0)
        host->result(run, WIDE_RATE, DYNO_LANE_ALL, (totals[SENT] + totals[RECEIVED]) / took_s);
    return 0;
}

struct flood {
    const struct dyno_host *host;
    struct dyno_run *run;
    unsigned lane;
    uint64_t end_ns, moved, samples;
    pthread_t thread;
};

static void *flood_lane(void *argument)
{
    struct flood *flood = argument;
    const struct dyno_host *host = flood->host;
    uint64_t t0_ns = host->now_ns(flood->run);

    while (t0_ns < flood->end_ns && !host->cancelled(flood->run)) {
        uint64_t t1_ns = host->now_ns(flood->run);
        if (t1_ns <= t0_ns)
            t1_ns = t0_ns + 1;
        uint64_t amount = 1 + flood->samples % 4096;
        host->sample(flood->run, FLOODED, flood->lane, t0_ns, t1_ns, (double)amount);
        flood->moved += amount;
        flood->samples++;
        t0_ns = t1_ns;
    }
    return NULL;
}

static int run_flood(const struct dyno_host *host, struct dyno_run *run)
{
    struct flood floods[FLOOD_LANES_MAX];
    unsigned lanes = (unsigned)host->opt_u64(run, "lanes"), started = 0;
    uint64_t end_ns = host->now_ns(run) + host->opt_u64(run, "time");
    uint64_t moved = 0, made = 0;
    int code = 0;

    host->phase(run, "flood");
    for (; started < lanes && code == 0; started += code == 0) {
        floods[started] =
            (struct flood){.host = host, .run = run, .lane = started, .end_ns = end_ns};
        code = -pthread_create(&floods[started].thread, NULL, flood_lane, &floods[started]);
    }
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(floods[i].thread, NULL);
        moved += floods[i].moved;
        made += floods[i].samples;
    }
    host->result(run, FLOODED, DYNO_LANE_ALL, (double)moved);
    host->result(run, FLOOD_SAMPLES, DYNO_LANE_ALL, (double)made);
    return code;
}

const struct dyno_test selftest_wide = {
    .size = sizeof(struct dyno_test),
    .targets = DYNO_MEM,
    .flags = DYNO_HIDDEN,
    .id = "selftest.wide",
    .title = "Wide",
    .summary = "256 lanes of amounts known beforehand.",
    .options = wide_options,
    .metrics = wide_metrics,
    .run = run_wide,
};

const struct dyno_test selftest_flood = {
    .size = sizeof(struct dyno_test),
    .targets = DYNO_MEM,
    .flags = DYNO_HIDDEN,
    .id = "selftest.flood",
    .title = "Flood",
    .summary = "Samples as fast as possible, exact in sum.",
    .options = flood_options,
    .metrics = flood_metrics,
    .run = run_flood,
};
