/* wear: how much a run would write, from its options, at the bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/wear.h"

#define GB 1000000000ull

static struct option options[] = {
    {.type = DYNO_SIZE, .key = (char[]){"size"}, .def = (char[]){"500M"}},
    {.type = DYNO_SIZE, .key = (char[]){"bs"}, .def = (char[]){"1M"}},
    {.type = DYNO_UINT, .key = (char[]){"count"}},
    {.type = DYNO_UINT, .key = (char[]){"passes"}},
    {.type = DYNO_TIME, .key = (char[]){"time"}},
};
static struct catalog_test test = {.id = (char[]){"storage.write"},
                                   .flags = DYNO_WRITES,
                                   .options = options,
                                   .option_count = ARRAY_SIZE(options)};

static double planned(const char *const *given, double ceiling_bps)
{
    struct wear wear = {0};
    return wear_plan(&test, given, 8 * GB, ceiling_bps, &wear) ? wear.bytes : -1;
}

static bool is_near(double value, double wanted)
{
    return value > wanted * 0.999 && value < wanted * 1.001;
}

static void test_amounts(void **state)
{
    (void)state;
    assert_true(is_near(planned(NULL, 0), 500 * 1048576.0));
    assert_true(is_near(planned((const char *const[]){"size=4GB", NULL}, 0), 4e9));
    assert_true(is_near(planned((const char *const[]){"count=10", "bs=4k", NULL}, 0), 40960));
    assert_true(is_near(planned((const char *const[]){"size=4GB", "passes=30", NULL}, 0), 120e9));
    assert_true(is_near(planned((const char *const[]){"time=12h", NULL}, 67e6), 2.894e12));
    /* nobody knows how fast it will be: what is known stands */
    assert_true(is_near(planned((const char *const[]){"time=12h", NULL}, 0), 500 * 1048576.0));
    assert_true(is_near(planned((const char *const[]){"size=much", "passes=x", NULL}, 0), -1) ||
                planned((const char *const[]){"size=much", NULL}, 0) < 0);
}

static void test_what_writes_nothing(void **state)
{
    struct wear wear;
    (void)state;
    assert_false(wear_plan(&test, NULL, 0, 0, &wear));
    assert_true(planned((const char *const[]){"size=8GB", NULL}, 0) > 0);
    assert_true(planned((const char *const[]){"size=8000000001", NULL}, 0) < 0); /* does not fit */
    test.flags = 0;
    assert_false(wear_plan(&test, NULL, 8 * GB, 0, &wear));
    test.flags = DYNO_WRITES;
}

static void test_sentences(void **state)
{
    AUTO(str_done) struct str text = {0};
    struct wear wear;
    (void)state;
    assert_true(
        wear_plan(&test, (const char *const[]){"size=8GB", "passes=11", NULL}, 8 * GB, 0, &wear));
    wear_explain(&wear, &text);
    assert_string_equal(text.text,
                        "this writes 88.0 GB, 11 drive writes, 0.37 % of a nominal 3000");
    str_clear(&text);
    assert_true(wear_plan(&test, (const char *const[]){"time=12h", NULL}, 16 * GB, 67e6, &wear));
    wear_explain(&wear, &text);
    assert_string_equal(text.text,
                        "12:00:00 at up to 67.0 MB/s are 2.9 TB, 181 drive writes, 6.0 % of "
                        "a nominal 3000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_what_writes_nothing),
        cmocka_unit_test(test_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
