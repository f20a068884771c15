/* selftest: test kinds that touch no device: two signals to look at, and every fault a plugin can
 * have. Demo, test and screenshot at once. */
#ifndef SELFTEST_SELFTEST_H
#define SELFTEST_SELFTEST_H

#include <iodyno/plugin.h>

extern const struct dyno_test selftest_sine, selftest_ramp;  /* signals.c */
extern const struct dyno_test selftest_flood, selftest_wide; /* wide.c */
extern const struct dyno_test selftest_crash, selftest_hang, selftest_silent, selftest_chatter,
    selftest_exit, selftest_leak, selftest_fail;                   /* faults.c */
extern const struct dyno_test selftest_bad_frame, selftest_breach; /* breaches.c */

#define SELFTEST_METRIC(name, key_, label_, unit_, kind_, better_)                                 \
    static const struct dyno_metric name = {.size = sizeof(struct dyno_metric),                    \
                                            .unit = (unit_),                                       \
                                            .kind = (kind_),                                       \
                                            .better = (better_),                                   \
                                            .key = (key_),                                         \
                                            .label = (label_)}

#define SELFTEST_OPTION(name, type_, key_, def_, min_, max_, help_)                                \
    static const struct dyno_option name = {.size = sizeof(struct dyno_option),                    \
                                            .type = (type_),                                       \
                                            .key = (key_),                                         \
                                            .label = (key_),                                       \
                                            .help = (help_),                                       \
                                            .def = (def_),                                         \
                                            .min = (min_),                                         \
                                            .max = (max_)}

#define SELFTEST_MS 1000000ull /* of nanoseconds */
#define SELFTEST_HOUR 3600000000000ull

/* Seconds of a span of nanoseconds. */
static inline double selftest_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

#endif
