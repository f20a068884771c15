#include "selftest.h"

#include <stddef.h>

static const struct dyno_test *const tests[] = {
    &selftest_sine,   &selftest_ramp,    &selftest_crash,     &selftest_hang, &selftest_flood,
    &selftest_silent, &selftest_chatter, &selftest_bad_frame, &selftest_exit, &selftest_leak,
    &selftest_wide,   &selftest_breach,  &selftest_fail,      NULL,
};

const struct dyno_plugin dyno_plugin = {
    .magic = DYNO_MAGIC,
    .abi_major = DYNO_ABI_MAJOR,
    .abi_minor = DYNO_ABI_MINOR,
    .size = sizeof(struct dyno_plugin),
    .id = "selftest",
    .title = "Self-tests",
    .version = IODYNO_VERSION,
    .license = "MIT",
    .tests = tests,
};
