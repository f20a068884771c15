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
                        "meets A1: 10.0 of at least 10 MB/s written in sequence, 500 of at least "
                        "500 random writes a second, 1500 of at least 1500 random reads a second");
    assert_int_equal(strncmp(judge(9.99e6, 1500, 500), "misses A1: ", 11), 0);
    assert_int_equal(strncmp(judge(10e6, 1499.9, 500), "misses", 6), 0);
    assert_int_equal(strncmp(judge(10e6, 1500, 499.9), "misses", 6), 0);
}

static void one_alone(void **state)
{
    (void)state;
    assert_string_equal(judge(-1, 2310, -1),
                        "meets A1 in this part: 2310 of at least 1500 random reads a second");
    assert_string_equal(judge(-1, -1, 0), "misses A1: 0 of at least 500 random writes a second");
    assert_string_equal(judge(-1, -1, -1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_three), cmocka_unit_test(one_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
