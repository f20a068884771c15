/* cores: the lines of each core, the busiest of them, and texts that are none. */
#include "storage/cores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct cores before, after;

static double share(const char *first, const char *second)
{
    cores_parse(first, &before);
    cores_parse(second, &after);
    return cores_kernel_share(&before, &after);
}

static void the_busiest_core_counts(void **state)
{
    (void)state;
    double busy = share("cpu  20 0 20 200 0 0 0 0 0 0\ncpu0 10 0 10 100 0 0 0 0 0 0\n"
                        "cpu1 10 0 10 100 0 0 0 0 0 0\nintr 1 2 3\n",
                        "cpu  60 0 120 300 0 0 0 0 0 0\ncpu0 50 0 20 150 0 0 0 0 0 0\n"
                        "cpu1 10 0 40 110 10 10 40 0 0 0\nintr 1 2 3\n");
    assert_int_equal(after.count, 2);
    /* cpu1: 30 of system, 10 of irq, 40 of softirq; 10 idle and 10 waiting. */
    assert_true(fabs(busy - 0.8) < 1e-9);
}

static void a_moment_is_no_share(void **state)
{
    (void)state;
    assert_true(share("cpu0 0 0 0 0 0 0 0 0\n", "cpu0 0 0 19 0 0 0 0 0\n") < 0);
    assert_true(share("cpu0 0 0 0 0 0 0 0 0\n", "cpu0 0 0 20 0 0 0 0 0\n") == 1);
    assert_true(share("cpu0 0 0 5 9 0 0 0 0\n", "cpu0 0 0 5 9 0 0 0 0\n") < 0);
}

static void cores_come_and_go(void **state)
{
    (void)state;
    assert_true(fabs(share("cpu0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n",
                           "cpu1 0 0 90 0 0 0 0 0\ncpu2 25 0 25 50 0 0 0 0\n") -
                     0.25) < 1e-9);
    assert_true(share("cpu0 0 0 0 0 0 0 0 0\n", "cpu1 0 0 90 0 0 0 0 0\n") < 0);
    assert_true(share("cpu0 0 0 900 900 0 0 0 0\n", "cpu0 0 0 1 1 0 0 0 0\n") < 0); /* came anew */
}

static void other_texts_tell_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "cpu",
        "cpu0",
        "cpu0 1 2 3\n",
        "cpu0 1 2 x 4 5 6 7 8\n",
        "cpux 1 2 3 4 5 6 7 8\n",
        "cpu0 99999999999999999999999999 2 3 4 5 6 7 8\n",
        "cpu99999999 1 2 3 4 5 6 7 8\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cores_parse(texts[i], &after);
        assert_int_equal(after.count, 0);
    }
}

static void too_many_cores_are_left_out(void **state)
{
    (void)state;
    static char text[16384];
    size_t at = 0;
    for (unsigned i = 0; i < CORES_MAX + 5; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "cpu%u 1 2 3 4 5 6 7 8 0 0\n", i);
    cores_parse(text, &after);
    assert_int_equal(after.count, CORES_MAX);
}

static void this_machine_has_some(void **state)
{
    (void)state;
    cores_read(&after);
    assert_true(after.count > 0);
    assert_true(after.core[0].all > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_core_counts),     cmocka_unit_test(a_moment_is_no_share),
        cmocka_unit_test(cores_come_and_go),           cmocka_unit_test(other_texts_tell_nothing),
        cmocka_unit_test(too_many_cores_are_left_out), cmocka_unit_test(this_machine_has_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
