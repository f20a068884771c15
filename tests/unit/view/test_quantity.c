/* quantity: one unit for axis and read-outs; numbers of about three digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "iodyno/plugin.h"
#include "view/quantity.h"

static struct quantity quantity(unsigned unit, unsigned kind, const char *key, double largest)
{
    struct frame_metric metric = {.unit = (uint16_t)unit, .kind = (uint16_t)kind};
    strncpy(metric.key, key, sizeof metric.key - 1);
    return quantity_of(&metric, largest);
}

static void test_units(void **state)
{
    (void)state;
    assert_string_equal(quantity(DYNO_BYTE, DYNO_DELTA, "written", 67e6).unit, "MB/s");
    assert_string_equal(quantity(DYNO_BYTE, DYNO_DELTA, "written", 0).unit, "MB/s");
    assert_string_equal(quantity(DYNO_BYTE, DYNO_DELTA, "written", 9e3).unit, "kB/s");
    assert_string_equal(quantity(DYNO_BYTE, DYNO_DELTA, "moved", 30e9).unit, "GB/s");
    assert_string_equal(quantity(DYNO_BYTE, DYNO_GAUGE, "cwnd", 2800).unit, "kB");
    assert_string_equal(quantity(DYNO_SECOND, DYNO_GAUGE, "rtt", 0.0009).unit, "us");
    assert_string_equal(quantity(DYNO_RATIO, DYNO_GAUGE, "cached", 1).unit, "%");
    assert_string_equal(quantity(DYNO_COUNT, DYNO_DELTA, "requests", 40).unit, "/s");
    assert_string_equal(quantity(999, DYNO_DELTA, "odd", 40).unit, "/s"); /* of a newer plugin */
}

static void test_network_bytes_are_shown_as_bits(void **state)
{
    (void)state;
    struct quantity sent = quantity(DYNO_BYTE, DYNO_DELTA, "sent", 117.5e6);
    assert_string_equal(sent.unit, "Mbit/s");
    assert_string_equal(quantity_number(&sent, 117.5e6).text, "940");
}

static void test_numbers(void **state)
{
    const struct quantity mega = {"MB/s", 1, 1e6};
    (void)state;
    assert_string_equal(quantity_number(&mega, 0).text, "0");
    assert_string_equal(quantity_number(&mega, 4.893e6).text, "4.9");
    assert_string_equal(quantity_number(&mega, 0.42e6).text, "0.42");
    assert_string_equal(quantity_number(&mega, 99.94e6).text, "99.9");
    assert_string_equal(quantity_number(&mega, 99.96e6).text, "100");
    assert_string_equal(quantity_number(&mega, 2765e6).text, "2765");
}

static void test_points_stand_below_each_other(void **state)
{
    const struct quantity mega = {"MB/s", 1, 1e6};
    (void)state;
    assert_string_equal(quantity_column(&mega, 4.9e6).text, "   4.9");
    assert_string_equal(quantity_column(&mega, 67.1e6).text, "  67.1");
    assert_string_equal(quantity_column(&mega, 940e6).text, " 940  ");
    assert_string_equal(quantity_column(&mega, 2765e6).text, "2765  ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_network_bytes_are_shown_as_bits),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_points_stand_below_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
