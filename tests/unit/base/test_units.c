/* units: numbers with units, from and to text. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

struct integer_case {
    int (*parse)(const char *, uint64_t *);
    const char *text;
    int code;
    uint64_t value;
};

static const struct integer_case INTEGERS[] = {
    {units_parse_u64, "0", 0, 0},
    {units_parse_u64, "18446744073709551615", 0, UINT64_MAX},
    {units_parse_u64, "18446744073709551616", -ERANGE, 0},
    {units_parse_u64, "", -EINVAL, 0},
    {units_parse_u64, "-1", -EINVAL, 0},
    {units_parse_u64, " 1", -EINVAL, 0},
    {units_parse_u64, "1 ", -EINVAL, 0},
    {units_parse_u64, "0x10", -EINVAL, 0},
    /* dd: K M G are 1024, kB MB GB are 1000 */
    {units_parse_size, "4096", 0, 4096},
    {units_parse_size, "1M", 0, 1048576},
    {units_parse_size, "500M", 0, 524288000},
    {units_parse_size, "1MiB", 0, 1048576},
    {units_parse_size, "1MB", 0, 1000000},
    {units_parse_size, "1kB", 0, 1000},
    {units_parse_size, "4K", 0, 4096},
    {units_parse_size, "4k", 0, 4096},
    {units_parse_size, "2 GB", 0, 2000000000},
    {units_parse_size, "1.5G", 0, 1610612736},
    {units_parse_size, "0.5", -EINVAL, 0},
    {units_parse_size, "1.K", -EINVAL, 0},
    {units_parse_size, "1Q", -EINVAL, 0},
    {units_parse_size, "1m", -EINVAL, 0},
    {units_parse_size, "1 ", -EINVAL, 0},
    {units_parse_size, "M", -EINVAL, 0},
    {units_parse_size, "-1M", -EINVAL, 0},
    {units_parse_size, "16777215T", 0, 16777215ull << 40},
    {units_parse_size, "16777216T", -ERANGE, 0},
    {units_parse_size, "1.0000000001T", -EINVAL, 0},
    {units_parse_rate, "1M", 0, 1000000},
    {units_parse_rate, "1048576", 0, 1048576},
    {units_parse_rate, "2.5G", 0, 2500000000},
    {units_parse_rate, "100Mbit/s", 0, 100000000},
    {units_parse_rate, "100 kbit/s", 0, 100000},
    {units_parse_rate, "1MiB", -EINVAL, 0},
    {units_parse_rate, "20000000T", -ERANGE, 0},
    {units_parse_time, "10", 0, 10000000000ull},
    {units_parse_time, "10s", 0, 10000000000ull},
    {units_parse_time, "500ms", 0, 500000000},
    {units_parse_time, "1.5s", 0, 1500000000},
    {units_parse_time, "0.1", 0, 100000000},
    {units_parse_time, "5m", 0, 300000000000ull},
    {units_parse_time, "12h", 0, 43200000000000ull},
    {units_parse_time, "0.5ns", -EINVAL, 0},
    {units_parse_time, "1y", -EINVAL, 0},
    {units_parse_time, "1000000d", -ERANGE, 0},
};

static void integers_follow_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(INTEGERS); i++) {
        uint64_t value = 77;
        const int code = INTEGERS[i].parse(INTEGERS[i].text, &value);

        if (code != INTEGERS[i].code || value != (code ? 77 : INTEGERS[i].value))
            fail_msg("\"%s\": code %d, value %llu", INTEGERS[i].text, code,
                     (unsigned long long)value);
    }
}

static void doubles_are_plain_decimals(void **state)
{
    static const char *const BAD[] = {"",   "inf", "nan", "0x1p3", " 1",   "1 ",
                                      "1e", ".",   "-",   "1,5",   "1.5.", "1e+"};
    double value = 7;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(BAD); i++) {
        assert_int_equal(units_parse_double(BAD[i], &value), -EINVAL);
        assert_true(value == 7);
    }
    assert_int_equal(units_parse_double("1e999", &value), -ERANGE);
    assert_int_equal(units_parse_double("-1.25e2", &value), 0);
    assert_true(value == -125);
    assert_int_equal(units_parse_double(".5", &value), 0);
    assert_true(value == 0.5);
}

static void numbers_ignore_the_locale(void **state)
{
    double value = 0;

    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        skip();
    assert_int_equal(units_parse_double("1.5", &value), 0);
    assert_true(value == 1.5);
    assert_string_equal(units_byte_rate(4893020).text, "4.9 MB/s");
    (void)setlocale(LC_ALL, "C");
}

static void values_need_the_unit_of_their_metric(void **state)
{
    static const struct {
        const char *text;
        unsigned unit;
        int code;
        double value;
    } CASES[] = {
        {"60MB/s", DYNO_BYTE_PER_S, 0, 60e6},
        {"60 MiB/s", DYNO_BYTE_PER_S, 0, 62914560},
        {"60MB/s", DYNO_BIT_PER_S, -EINVAL, 0},
        {"60", DYNO_BYTE_PER_S, -EINVAL, 0},
        {"0", DYNO_BYTE_PER_S, 0, 0},
        {"940Mbit/s", DYNO_BIT_PER_S, 0, 940e6},
        {"940M", DYNO_BIT_PER_S, 0, 940e6},
        {"99%", DYNO_RATIO, 0, 0.99},
        {"0.99", DYNO_RATIO, 0, 0.99},
        {"0.5 s", DYNO_SECOND, 0, 0.5},
        {"500 us", DYNO_SECOND, 0, 0.0005},
        {"0 B", DYNO_BYTE, 0, 0},
        {"1M", DYNO_BYTE, 0, 1048576},
        {"12", DYNO_COUNT, 0, 12},
        {"12 B", DYNO_COUNT, -EINVAL, 0},
        {"-5degC", DYNO_CELSIUS, 0, -5},
        {"2000/s", DYNO_PER_S, 0, 2000},
        {"", DYNO_COUNT, -EINVAL, 0},
        {"0", 99, -EINVAL, 0},
        {"1e308GB/s", DYNO_BYTE_PER_S, -ERANGE, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
        double value = 77;
        const int code = units_parse_value(CASES[i].text, CASES[i].unit, &value);
        const double wanted = code ? 77 : CASES[i].value;

        if (code != CASES[i].code || fabs(value - wanted) > fabs(wanted) * 1e-12)
            fail_msg("\"%s\": code %d, value %g", CASES[i].text, code, value);
    }
}

#define SAYS(call, wanted) assert_string_equal((call).text, wanted)

static void rates_read_as_dd_prints_them(void **state)
{
    (void)state;
    SAYS(units_byte_rate(4893020), "4.9 MB/s");
    SAYS(units_byte_rate(67.1e6), "67.1 MB/s");
    SAYS(units_byte_rate(1.5e9), "1.5 GB/s");
    SAYS(units_byte_rate(524288000 / 3.5), "150 MB/s");
    SAYS(units_byte_rate_binary(524288000 / 3.5), "143 MiB/s");
    SAYS(units_byte_rate_binary(64.0 * 1048576), "64.0 MiB/s");
    SAYS(units_bit_rate(940.3e6), "940 Mbit/s");
    SAYS(units_bit_rate(71.2e6), "71.2 Mbit/s");
    SAYS(units_bit_rate(0), "0 bit/s");
    SAYS(units_byte_rate(0.25), "0.3 B/s");
    SAYS(units_byte_rate(512), "512 B/s");
    SAYS(units_byte_rate(-4893020), "-4.9 MB/s");
    SAYS(units_byte_rate(NAN), "unknown");
    SAYS(units_byte_rate(INFINITY), "unknown");
}

static void rounding_never_prints_four_digits(void **state)
{
    (void)state;
    SAYS(units_byte_rate(999.4e6), "999 MB/s");
    SAYS(units_byte_rate(999.6e6), "1.0 GB/s");
    SAYS(units_byte_rate(99.94e6), "99.9 MB/s");
    SAYS(units_byte_rate(99.96e6), "100 MB/s");
    SAYS(units_bytes_binary(1023.6 * 1048576), "1.0 GiB");
}

static void sizes_and_options(void **state)
{
    (void)state;
    SAYS(units_bytes(524288000), "524 MB");
    SAYS(units_bytes(31914983424), "31.9 GB");
    SAYS(units_bytes_binary(24.9 * 1073741824), "24.9 GiB");
    SAYS(units_bytes(0), "0 B");
    SAYS(units_size_option(1048576), "1M");
    SAYS(units_size_option(524288000), "500M");
    SAYS(units_size_option(4096), "4K");
    SAYS(units_size_option(512), "512");
    SAYS(units_size_option(1000000), "1MB");
    SAYS(units_size_option(1000001), "1000001");
    SAYS(units_size_option(0), "0");
}

static void size_options_parse_back(void **state)
{
    static const uint64_t SIZES[] = {0, 1, 512, 4096, 1000000, 1048576, 524288000, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
        uint64_t back = 77;

        assert_int_equal(units_parse_size(units_size_option(SIZES[i]).text, &back), 0);
        assert_true(back == SIZES[i]);
    }
}

static void durations_read_as_a_person_says_them(void **state)
{
    (void)state;
    SAYS(units_duration(42), "42 s");
    SAYS(units_duration(110), "1 min 50 s");
    SAYS(units_duration(11560), "03:12:40");
    SAYS(units_duration(1.1), "1.1 s");
    SAYS(units_duration(59.6), "1 min 0 s");
    SAYS(units_duration(3599.6), "01:00:00");
    SAYS(units_duration(0), "0 s");
    SAYS(units_duration(0.00025), "250 us");
    SAYS(units_duration(-1), "unknown");
}

static void every_unit_has_a_text_and_a_symbol(void **state)
{
    static const struct {
        unsigned unit;
        double value;
        const char *text, *symbol;
    } CASES[] = {
        {DYNO_BYTE, 2800, "2.8 kB", "B"},
        {DYNO_BIT, 1e6, "1.0 Mbit", "bit"},
        {DYNO_SECOND, 0.0009, "900 us", "s"},
        {DYNO_SECOND, 107.1, "107 s", "s"},
        {DYNO_SECOND, 0, "0 s", "s"},
        {DYNO_COUNT, 4311, "4311", "count"},
        {DYNO_COUNT, 2.5, "2.5", "count"},
        {DYNO_RATIO, 0.056, "5.6 %", "ratio"},
        {DYNO_RATIO, 0.00042, "0.04 %", "ratio"},
        {DYNO_RATIO, 1, "100 %", "ratio"},
        {DYNO_RATIO, 0, "0 %", "ratio"},
        {DYNO_HERTZ, 208e6, "208 MHz", "Hz"},
        {DYNO_CELSIUS, 45.25, "45.3 degC", "degC"},
        {DYNO_BYTE_PER_S, 67.1e6, "67.1 MB/s", "B/s"},
        {DYNO_BIT_PER_S, 940e6, "940 Mbit/s", "bit/s"},
        {DYNO_PER_S, 8123, "8123 /s", "1/s"},
        {DYNO_PER_S, 12.34, "12.3 /s", "1/s"},
        {DYNO_PER_S, 250000, "250 k/s", "1/s"},
        {99, 5, "5", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
        unsigned unit = 77;

        SAYS(units_value(CASES[i].value, CASES[i].unit), CASES[i].text);
        assert_string_equal(units_symbol(CASES[i].unit), CASES[i].symbol);
        if (CASES[i].unit == 99)
            continue;
        assert_int_equal(units_from_symbol(CASES[i].symbol, &unit), 0);
        assert_int_equal(unit, CASES[i].unit);
        SAYS(units_value(NAN, CASES[i].unit), "unknown");
    }
    assert_int_equal(units_from_symbol("furlong", &(unsigned){0}), -EINVAL);
}

static void the_largest_numbers_fit_their_text(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit <= DYNO_PER_S; unit++)
        assert_in_range(strlen(units_value(-1e300, unit).text), 1, UNITS_TEXT_MAX - 1);
    assert_in_range(strlen(units_duration(1e300).text), 1, UNITS_TEXT_MAX - 1);
    assert_in_range(strlen(units_size_option(UINT64_MAX).text), 1, UNITS_TEXT_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_follow_the_table),
        cmocka_unit_test(doubles_are_plain_decimals),
        cmocka_unit_test(numbers_ignore_the_locale),
        cmocka_unit_test(values_need_the_unit_of_their_metric),
        cmocka_unit_test(rates_read_as_dd_prints_them),
        cmocka_unit_test(rounding_never_prints_four_digits),
        cmocka_unit_test(sizes_and_options),
        cmocka_unit_test(size_options_parse_back),
        cmocka_unit_test(durations_read_as_a_person_says_them),
        cmocka_unit_test(every_unit_has_a_text_and_a_symbol),
        cmocka_unit_test(the_largest_numbers_fit_their_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
