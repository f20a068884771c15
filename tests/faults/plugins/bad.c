/* A plugin with one fault, chosen by BAD_... at compile time. Each becomes bad-NAME.so. */
#include <iodyno/plugin.h>

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef BAD_NO_RUN
static int run(const struct dyno_host *host, struct dyno_run *the_run)
{
    (void)host;
    (void)the_run;
    return 0;
}
#endif

#define METRIC(n)                                                                                  \
    {                                                                                              \
        sizeof(struct dyno_metric), DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "m" #n, "Metric " #n       \
    }
#define METRICS_8(n)                                                                               \
    METRIC(n##0), METRIC(n##1), METRIC(n##2), METRIC(n##3), METRIC(n##4), METRIC(n##5),            \
        METRIC(n##6), METRIC(n##7)
static const struct dyno_metric all[] = {METRICS_8(0), METRICS_8(1), METRICS_8(2), METRICS_8(3),
                                         METRICS_8(4), METRICS_8(5), METRICS_8(6), METRICS_8(7)};

#define AT_8(n)                                                                                    \
    &all[n], &all[n + 1], &all[n + 2], &all[n + 3], &all[n + 4], &all[n + 5], &all[n + 6],         \
        &all[n + 7]
static const struct dyno_metric *const metrics[] = {
#if defined(BAD_MANY_METRICS)
    AT_8(0), AT_8(8), AT_8(16), AT_8(24), AT_8(32), AT_8(40), AT_8(48), AT_8(56),
#elif defined(BAD_NOTHING) /* as many as there may be */
    AT_8(0),  AT_8(8),  AT_8(16), AT_8(24), AT_8(32), AT_8(40), AT_8(48),
    &all[56], &all[57], &all[58], &all[59], &all[60], &all[61],
#elif defined(BAD_TWICE)
    &all[0], &all[0],
#elif defined(BAD_POINTER)
    (const struct dyno_metric *)(uintptr_t)0x10,
#else
    &all[0],
#endif
    NULL};

static const struct dyno_option option = {.size = sizeof(struct dyno_option),
                                          .type = DYNO_SIZE,
                                          .key = "bs",
                                          .label = "Block",
                                          .help = "A size.",
#ifdef BAD_DEFAULT
                                          .def = "a lot",
#else
                                          .def = "1M",
#endif
                                          .min = 512,
                                          .max = 1 << 30};
static const struct dyno_option *const options[] = {&option, NULL};

static const struct dyno_test test = {
#ifdef BAD_TEST_SIZE
    .size = 12,
#elif defined(BAD_NOTHING) /* an older plugin: knows no `room` */
    .size = offsetof(struct dyno_test, room),
#else
    .size = sizeof(struct dyno_test),
#endif
    .targets = DYNO_MEM,
#ifdef BAD_ID
    .id = "bad.0123456789012345678901234567890123456789012345678901234567890123456789",
#elif defined(BAD_FOREIGN_ID)
    .id = "storage.write",
#else
    .id = "bad.test",
#endif
    .title = "Bad \033[31mtest",
    .options = options,
    .metrics = metrics,
#ifndef BAD_NO_RUN
    .run = run,
#endif
};
static const struct dyno_test *const tests[] = {&test, NULL};

#ifndef BAD_NO_SYMBOL
const struct dyno_plugin dyno_plugin = {
#ifdef BAD_MAGIC
    .magic = 0x12345678,
#else
    .magic = DYNO_MAGIC,
#endif
#ifdef BAD_MAJOR
    .abi_major = DYNO_ABI_MAJOR + 1,
#else
    .abi_major = DYNO_ABI_MAJOR,
#endif
#ifdef BAD_NOTHING
    .abi_minor = 77, /* may differ */
#endif
#ifdef BAD_SIZE
    .size = 16,
#else
    .size = sizeof(struct dyno_plugin),
#endif
    .id = "bad",
    .title = "Bad",
    .version = "1",
    .license = "MIT",
#ifdef BAD_NULL
    .tests = NULL,
#else
    .tests = tests,
#endif
};
#endif

/* What happens before anyone can look at the tables. */
#if defined(BAD_CRASH)
__attribute__((constructor)) static void begin(void)
{
    (void)raise(SIGSEGV);
}
#elif defined(BAD_ABORT)
__attribute__((constructor)) static void begin(void)
{
    abort();
}
#elif defined(BAD_SLEEP)
__attribute__((constructor)) static void begin(void)
{
    (void)poll(NULL, 0, -1);
    (void)poll(NULL, 0, -1);
}
#elif defined(BAD_SPIN)
__attribute__((constructor)) static void begin(void)
{
    sigset_t set;
    (void)sigfillset(&set);
    (void)sigprocmask(SIG_SETMASK, &set, NULL);
    for (volatile unsigned i = 0;; i++)
        ;
}
#elif defined(BAD_EXIT)
__attribute__((constructor)) static void begin(void)
{
    exit(0);
}
#elif defined(BAD_MEMORY)
__attribute__((constructor)) static void begin(void)
{
    for (;;) {
        volatile char *more = malloc(1 << 20);
        if (!more)
            abort();
        *more = 1;
    }
}
#endif

/* Keeps what one fault or another leaves unused. */
extern const void *const bad_kept[];
const void *const bad_kept[] = {tests, all, options, metrics};
