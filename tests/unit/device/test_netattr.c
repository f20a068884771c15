/* netattr: the walk ends where the bytes do, whatever they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attributes.h"
#include "device/netattr.h"

static void test_walks_and_finds(void **state)
{
    struct made made = {0};
    struct netattr attr;
    (void)state;
    made_u8(&made, 2, 7);
    made_attr(&made, 3 | MADE_NESTED, "eth0", 5);
    made_u32(&made, 4, 100000);
    assert_true(netattr_find(made.bytes, made.size, 2, &attr));
    assert_int_equal(netattr_number(&attr), 7);
    assert_true(netattr_find(made.bytes, made.size, 3, &attr));
    assert_string_equal(netattr_text(&attr), "eth0");
    assert_int_equal(netattr_number(&attr), 0); /* five bytes are no number */
    assert_true(netattr_find(made.bytes, made.size, 4, &attr));
    assert_int_equal(netattr_number(&attr), 100000);
    assert_false(netattr_find(made.bytes, made.size, 5, &attr));
}

static void test_a_text_without_its_end_is_none(void **state)
{
    struct made made = {0};
    struct netattr attr;
    (void)state;
    made_attr(&made, 1, "eth0", 4);
    made_attr(&made, 2, NULL, 0);
    assert_true(netattr_find(made.bytes, made.size, 1, &attr));
    assert_null(netattr_text(&attr));
    assert_true(netattr_find(made.bytes, made.size, 2, &attr));
    assert_null(netattr_text(&attr));
}

static void test_wrong_lengths_end_the_walk(void **state)
{
    struct netattr attr;
    size_t pos = 0;
    (void)state;
    const uint16_t too_long[] = {200, 1, 0, 0}, too_short[] = {3, 1, 0, 0};
    assert_false(netattr_next(too_long, sizeof too_long, &pos, &attr));
    assert_false(netattr_next(too_short, sizeof too_short, &pos, &attr));
    assert_false(netattr_next(too_long, 3, &pos, &attr));
    pos = 400;
    assert_false(netattr_next(too_long, sizeof too_long, &pos, &attr));
    /* The last one may lack its padding. */
    const uint16_t last[] = {5, 1, 9};
    pos = 0;
    assert_true(netattr_next(last, 5, &pos, &attr));
    assert_int_equal(netattr_number(&attr), 9);
    assert_false(netattr_next(last, 5, &pos, &attr));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks_and_finds),
                                       cmocka_unit_test(test_a_text_without_its_end_is_none),
                                       cmocka_unit_test(test_wrong_lengths_end_the_walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
