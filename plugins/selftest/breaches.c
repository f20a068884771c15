#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "selftest.h"
#include "ticks.h"

#define LINE_FD 3 /* the host's line to its owner: none of a plugin's business */
#define TICK_BYTES 4096.0

enum { MOVED, RATE };

SELFTEST_METRIC(moved, "moved", "Moved", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER);
SELFTEST_METRIC(rate, "rate", "Mean rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER);
static const struct dyno_metric *const metrics[] = {[MOVED] = &moved, [RATE] = &rate, NULL};

SELFTEST_OPTION(after, DYNO_TIME, "after", "500ms", 0, SELFTEST_HOUR,
                "How long all goes well before.");
static const char *const bad_frames[] = {"garbage", "odd", "huge", "end", NULL};
static const struct dyno_option bad_frame_what = {.size = sizeof(struct dyno_option),
                                                  .type = DYNO_CHOICE,
                                                  .key = "what",
                                                  .label = "what",
                                                  .help = "What is written on the line.",
                                                  .def = "garbage",
                                                  .choices = bad_frames};
static const char *const breaches[] = {"metric",  "lane",   "total", "backwards", "nan",
                                       "overlap", "result", "fact",  NULL};
static const struct dyno_option breach_what = {.size = sizeof(struct dyno_option),
                                               .type = DYNO_CHOICE,
                                               .key = "what",
                                               .label = "what",
                                               .help = "Which rule is broken.",
                                               .def = "metric",
                                               .choices = breaches};
static const struct dyno_option *const bad_frame_options[] = {&after, &bad_frame_what, NULL};
static const struct dyno_option *const breach_options[] = {&after, &breach_what, NULL};

/* Returns the end of the last sample. */
static uint64_t run_well(const struct dyno_host *host, struct dyno_run *run)
{
    struct ticks ticks;
    host->phase(run, "well");
    ticks_begin(&ticks, host, run, host->opt_u64(run, "after"));
    while (ticks_next(&ticks))
        host->sample(run, MOVED, 0, ticks.t0_ns, ticks.t1_ns, TICK_BYTES);
    return ticks.t1_ns;
}

static int run_bad_frame(const struct dyno_host *host, struct dyno_run *run)
{
    /* Bytes of each choice: no frame, no multiple of 8, more than a packet holds, half an end. */
    static const size_t sizes[] = {64, 13, 40000, 16};
    static unsigned char bytes[40000];
    uint64_t what = host->opt_u64(run, "what");
    run_well(host, run);
    memset(bytes, 0xa5, sizeof(bytes));
    if (strcmp(bad_frames[what], "end") == 0)
        memcpy(bytes, (const unsigned char[]){10, 0, 0, 0, 16, 0, 0, 0}, 8);
    if (send(LINE_FD, bytes, sizes[what], MSG_NOSIGNAL) < 0)
        return -errno;
    struct ticks ticks;
    ticks_begin(&ticks, host, run, 1000 * SELFTEST_MS);
    while (ticks_next(&ticks))
        ;
    return 0;
}

static int run_breach(const struct dyno_host *host, struct dyno_run *run)
{
    uint64_t t_ns = run_well(host, run);
    const char *what = host->opt_str(run, "what");
    if (strcmp(what, "metric") == 0)
        host->sample(run, RATE + 1, 0, t_ns, t_ns + 1, 1);
    else if (strcmp(what, "lane") == 0)
        host->sample(run, MOVED, DYNO_LANE_ALL, t_ns, t_ns + 1, 1);
    else if (strcmp(what, "total") == 0)
        host->sample(run, RATE, 0, t_ns, t_ns + 1, 1);
    else if (strcmp(what, "backwards") == 0)
        host->sample(run, MOVED, 0, t_ns, t_ns, 1);
    else if (strcmp(what, "nan") == 0)
        host->sample(run, MOVED, 0, t_ns, t_ns + 1, (double)NAN);
    else if (strcmp(what, "overlap") == 0)
        host->sample(run, MOVED, 0, t_ns - 1, t_ns + 1, 1);
    else if (strcmp(what, "result") == 0)
        host->result(run, RATE + 1, DYNO_LANE_ALL, 1);
    else
        host->fact(run, "caf\xc3\xa9", "keys are plain");
    return 0;
}

const struct dyno_test selftest_bad_frame = {
    .size = sizeof(struct dyno_test),
    .targets = DYNO_MEM,
    .flags = DYNO_HIDDEN,
    .id = "selftest.bad-frame",
    .title = "Bad frame",
    .summary = "Sends the host bytes that are no frame.",
    .options = bad_frame_options,
    .metrics = metrics,
    .run = run_bad_frame,
};

const struct dyno_test selftest_breach = {
    .size = sizeof(struct dyno_test),
    .targets = DYNO_MEM,
    .flags = DYNO_HIDDEN,
    .id = "selftest.breach",
    .title = "Breach",
    .summary = "Breaks one rule of the contract.",
    .options = breach_options,
    .metrics = metrics,
    .run = run_breach,
};
