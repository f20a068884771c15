/* a1: met and missed, at the bounds. */
#include "storage/a1.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char text[A1_TEXT_MAX];

static const char *judge(double write_bps, double read_iops, double write_iops)
{
    const struct a1 a1 = {.write_bps = write_bps, .read_iops = read_iops, .write_iops = write_iops};
    a1_judge(&a1, text);
    return text;
}

static void all_three(void **state)
{
    (void)state;
    assert_string_equal(judge(10e6, 1500, 500),
                        "meets A1, misses A2: 10.0 MB/s written in sequence (both 10), 500 random "
                        "writes a second (A1 500, A2 2000), 1500 random reads a second (A1 1500, "
                        "A2 4000)");
    assert_int_equal(strncmp(judge(9.99e6, 1500, 500), "misses A1: ", 11), 0);
    assert_int_equal(strncmp(judge(10e6, 1499.9, 500), "misses A1: ", 11), 0);
    assert_int_equal(strncmp(judge(10e6, 1500, 499.9), "misses A1: ", 11), 0);
    assert_int_equal(strncmp(judge(10e6, 4000, 2000), "meets A2: ", 10), 0);
    assert_int_equal(strncmp(judge(10e6, 3999, 2000), "meets A1, misses A2: ", 21), 0);
    assert_int_equal(strncmp(judge(10e6, 4000, 1999), "meets A1, misses A2: ", 21), 0);
    assert_int_equal(strncmp(judge(9e6, 4000, 2000), "misses A1: ", 11), 0);
}

static void one_alone(void **state)
{
    (void)state;
    assert_string_equal(judge(-1, 2310, -1), "meets A1, misses A2 in this part: 2310 random reads "
                                             "a second (A1 1500, A2 4000)");
    assert_string_equal(judge(-1, -1, 0), "misses A1: 0 random writes a second (A1 500, A2 2000)");
    assert_string_equal(judge(-1, -1, -1), "");
}

static void the_longest_fits(void **state)
{
    (void)state;
    const char *all = judge(999999e6, 9999999, 9999999);
    assert_int_equal(all[strlen(all) - 1], ')');
    assert_true(strlen(all) < A1_TEXT_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_three), cmocka_unit_test(one_alone),
                                       cmocka_unit_test(the_longest_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
