#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "selftest.h"
#include "ticks.h"

#define TICK_BYTES 4096.0
#define LONG_LINE 3000 /* more than a line of the log holds */

enum { MOVED, RATE };

SELFTEST_METRIC(moved, "moved", "Moved", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER);
SELFTEST_METRIC(rate, "rate", "Mean rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER);
static const struct dyno_metric *const metrics[] = {[MOVED] = &moved, [RATE] = &rate, NULL};

SELFTEST_OPTION(after, DYNO_TIME, "after", "700ms", 0, SELFTEST_HOUR,
                "How long all goes well before.");
SELFTEST_OPTION(silence, DYNO_TIME, "time", "2800ms", SELFTEST_MS, SELFTEST_HOUR,
                "How long nothing is said.");
SELFTEST_OPTION(lines, DYNO_UINT, "lines", "200", 1, 1000000, "Lines printed, half to each side.");
/* As much as a size_t of 32 bits can count. */
SELFTEST_OPTION(size, DYNO_SIZE, "size", "16M", 1, 1ull << 31, "Memory that is never freed.");
SELFTEST_OPTION(code, DYNO_UINT, "code", "5", 1, 4095, "Number of the error that is returned.");
SELFTEST_OPTION(sentence, DYNO_TEXT, "sentence", NULL, 0, 0, "What explains the error.");
static const struct dyno_option *const after_options[] = {&after, NULL};
static const struct dyno_option *const silent_options[] = {&silence, NULL};
static const struct dyno_option *const chatter_options[] = {&after, &lines, NULL};
static const struct dyno_option *const leak_options[] = {&after, &size, NULL};
static const struct dyno_option *const fail_options[] = {&after, &code, &sentence, NULL};

/* All goes well for a while: a sample each tick. */
static void run_well(const struct dyno_host *host, struct dyno_run *run)
{
    struct ticks ticks;
    host->phase(run, "well");
    ticks_begin(&ticks, host, run, host->opt_u64(run, "after"));
    while (ticks_next(&ticks))
        host->sample(run, MOVED, 0, ticks.t0_ns, ticks.t1_ns, TICK_BYTES);
}

static int run_crash(const struct dyno_host *host, struct dyno_run *run)
{
    run_well(host, run);
    volatile char *nowhere =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (nowhere == MAP_FAILED)
        return -errno;
    (void)fprintf(stderr, "selftest.crash: these are my last words\n");
    *nowhere = 1;
    return 0;
}

static _Noreturn void stay(void)
{
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    for (;;)
        (void)poll(NULL, 0, -1);
}

static int run_hang(const struct dyno_host *host, struct dyno_run *run)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    run_well(host, run);
    stay();
    return 0;
}

static int run_silent(const struct dyno_host *host, struct dyno_run *run)
{
    struct ticks ticks;
    host->phase(run, "silent");
    ticks_begin(&ticks, host, run, host->opt_u64(run, "time"));
    while (ticks_next(&ticks))
        ;
    return 0;
}

static int run_chatter(const struct dyno_host *host, struct dyno_run *run)
{
    char line[LONG_LINE + 1];
    uint64_t count = host->opt_u64(run, "lines");
    for (uint64_t i = 0; i < count; i++) {
        (void)fprintf(i % 2 ? stderr : stdout, "chatter line %llu \033[31m\a\n",
                      (unsigned long long)i);
        if (i % 2 == 0)
            (void)fflush(stdout);
    }
    run_well(host, run);
    memset(line, 'x', LONG_LINE);
    line[LONG_LINE] = '\0';
    (void)fprintf(stderr, "%s\nand an unfinished one", line);
    host->log(run, DYNO_WARNING, "said through the %s", "host");
    return 0;
}

static int run_exit(const struct dyno_host *host, struct dyno_run *run)
{
    run_well(host, run);
    exit(3);
}

static int run_leak(const struct dyno_host *host, struct dyno_run *run)
{
    char text[32];
    size_t bytes = (size_t)host->opt_u64(run, "size");
    char *leaked = malloc(bytes);
    if (!leaked)
        return -ENOMEM;
    memset(leaked, 1, bytes);
    pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        stay();
    (void)snprintf(text, sizeof(text), "%ld", (long)pid);
    host->fact(run, "child", text);
    run_well(host, run);
    return leaked[bytes - 1] - 1; /* 0; keeps the memory in use until here */
}

static int run_fail(const struct dyno_host *host, struct dyno_run *run)
{
    const char *why = host->opt_str(run, "sentence");
    run_well(host, run);
    if (why[0])
        host->explain(run, why);
    return -(int)host->opt_u64(run, "code");
}

#define FAULT(name, id_, title_, summary_, options_)                                               \
    const struct dyno_test selftest_##name = {.size = sizeof(struct dyno_test),                    \
                                              .targets = DYNO_MEM,                                 \
                                              .flags = DYNO_HIDDEN,                                \
                                              .id = (id_),                                         \
                                              .title = (title_),                                   \
                                              .summary = (summary_),                               \
                                              .options = (options_),                               \
                                              .metrics = metrics,                                  \
                                              .run = run_##name}

FAULT(crash, "selftest.crash", "Crash", "Dies of a segmentation fault.", after_options);
FAULT(hang, "selftest.hang", "Hang", "Blocks all signals and never looks up again.", after_options);
FAULT(silent, "selftest.silent", "Silent", "Says nothing for a while.", silent_options);
FAULT(chatter, "selftest.chatter", "Chatter", "Prints to stdout and stderr.", chatter_options);
FAULT(exit, "selftest.exit", "Exit", "Leaves with exit code 3.", after_options);
FAULT(leak, "selftest.leak", "Leak", "Leaves memory and a child behind.", leak_options);
FAULT(fail, "selftest.fail", "Fail", "Returns an error.", fail_options);
