/* options: the schema of one option. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "catalog/options.h"
#include "iodyno/plugin.h"

static char *CHOICES[] = {(char[]){"dd-fsync"}, (char[]){"dd-direct"}, NULL};

static struct option option_of(unsigned type)
{
    static char key[] = "bs";
    struct option option = {.type = type, .key = key};

    if (type == DYNO_CHOICE)
        option.choices = CHOICES;
    return option;
}

struct parse_case {
    unsigned type;
    const char *text;
    int code;
    uint64_t number;
};

static const struct parse_case CASES[] = {
    {DYNO_BOOL, "1", 0, 1},
    {DYNO_BOOL, "no", 0, 0},
    {DYNO_BOOL, "on", 0, 1},
    {DYNO_BOOL, "2", -EINVAL, 0},
    {DYNO_UINT, "12", 0, 12},
    {DYNO_UINT, "12K", -EINVAL, 0},
    {DYNO_UINT, "99999999999999999999", -ERANGE, 0},
    {DYNO_SIZE, "1M", 0, 1048576},
    {DYNO_SIZE, "1MB", 0, 1000000},
    {DYNO_RATE, "1M", 0, 1000000},
    {DYNO_TIME, "500ms", 0, 500000000},
    {DYNO_TIME, "10", 0, 10000000000ull},
    {DYNO_CHOICE, "dd-direct", 0, 1},
    {DYNO_CHOICE, "dd_fsync", 0, 0},
    {DYNO_CHOICE, "dd", -EINVAL, 0},
    {DYNO_TEXT, "Card 1", 0, 0},
    {DYNO_TEXT, "a\nb", -EINVAL, 0},
    {DYNO_ADDRESS, "192.168.0.2", 0, 0},
    {DYNO_ADDRESS, "fe80::1%eth0", 0, 0},
    {DYNO_ADDRESS, "board.local", 0, 0},
    {DYNO_ADDRESS, "a b", -EINVAL, 0},
    {DYNO_ADDRESS, "-x", -EINVAL, 0},
    {DYNO_PATH, "/tmp/ä b", 0, 0},
    {DYNO_PATH, "/tmp/\x1b[2J", -EINVAL, 0},
    {DYNO_DEVICE, "mmcblk0p1", 0, 0},
    {DYNO_DEVICE, "../etc", -EINVAL, 0},
    {99, "x", -EINVAL, 0},
};

static void every_type_parses_its_own_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
        const struct option option = option_of(CASES[i].type);
        AUTO(option_value_done) struct option_value value = {0};
        AUTO(str_done) struct str why = {0};
        const int code = option_parse(&option, CASES[i].text, &value, &why);

        if (code != CASES[i].code || value.number != CASES[i].number || value.is_set != (code == 0))
            fail_msg("%u \"%s\": code %d", CASES[i].type, CASES[i].text, code);
        if (code == 0)
            assert_string_equal(value.text, CASES[i].text);
        assert_int_equal(why.size > 0, code < 0);
    }
}

static void nothing_typed_is_unset(void **state)
{
    (void)state;
    for (unsigned type = DYNO_BOOL; type <= DYNO_DEVICE; type++) {
        const struct option option = option_of(type);
        struct option_value value = {.is_set = true, .number = 5};
        AUTO(str_done) struct str why = {0};

        assert_int_equal(option_parse(&option, type % 2 ? NULL : "", &value, &why), 0);
        assert_false(value.is_set);
        assert_int_equal(value.number, 0);
        assert_null(value.text);
    }
}

/* Parses and returns the code; the sentence stands in `why`. */
static int parse(const struct option *option, const char *text, struct str *why)
{
    AUTO(option_value_done) struct option_value value = {0};

    return option_parse(option, text, &value, why);
}

/* Where a default stands, "auto" is as wrong as any other word. */
static void auto_is_unset_where_nothing_is_the_default(void **state)
{
    struct option option = option_of(DYNO_SIZE);
    AUTO(str_done) struct str why = {0};
    AUTO(option_value_done) struct option_value value = {.is_set = true};

    (void)state;
    option.min = 4096;
    option.max = 8192;
    assert_int_equal(option_parse(&option, "auto", &value, &why), 0);
    assert_false(value.is_set);
    option.def = (char *)"4K";
    assert_int_equal(parse(&option, "auto", &why), -EINVAL);
    option = option_of(DYNO_TEXT);
    assert_int_equal(option_parse(&option, "auto", &value, &why), 0);
    assert_true(value.is_set);
}

static void ranges_hold_at_both_bounds(void **state)
{
    struct option option = option_of(DYNO_SIZE);
    AUTO(str_done) struct str why = {0};

    (void)state;
    option.min = 512;
    option.max = 64 << 20;
    assert_int_equal(parse(&option, "512", &why), 0);
    assert_int_equal(parse(&option, "64M", &why), 0);
    assert_int_equal(parse(&option, "511", &why), -ERANGE);
    assert_string_equal(why.text, "bs: expected a size from 512 to 64M, got \"511\"");
    assert_int_equal(parse(&option, "67108865", &why), -ERANGE);
    assert_int_equal(parse(&option, "1Q", &why), -EINVAL);
    assert_string_equal(why.text, "bs: expected a size from 512 to 64M, got \"1Q\"");
    option.max = UINT64_MAX;
    assert_int_equal(parse(&option, "1", &why), -ERANGE);
    assert_string_equal(why.text, "bs: expected a size of at least 512, got \"1\"");
    option.min = option.max = 0;
    assert_int_equal(parse(&option, "1", &why), 0);
}

static void sentences_name_what_was_expected(void **state)
{
    struct option option = option_of(DYNO_CHOICE);
    AUTO(str_done) struct str why = {0};

    (void)state;
    assert_int_equal(parse(&option, "dd\x1b", &why), -EINVAL);
    assert_string_equal(why.text, "bs: expected one of dd-fsync, dd-direct, got \"dd?\"");
    option = option_of(DYNO_TIME);
    option.min = 100000000;
    option.max = 3600000000000;
    assert_int_equal(parse(&option, "5h", &why), -ERANGE);
    assert_string_equal(why.text, "bs: expected a time from 100ms to 1h, got \"5h\"");
    option = option_of(DYNO_RATE);
    option.min = 0;
    option.max = 2500000000;
    assert_int_equal(parse(&option, "10G", &why), -ERANGE);
    assert_string_equal(why.text, "bs: expected a rate in bit/s from 0 to 2500M, got \"10G\"");
}

static void a_value_has_a_largest_length(void **state)
{
    const struct option option = option_of(DYNO_TEXT);
    AUTO(str_done) struct str why = {0};
    char text[OPTION_TEXT_MAX + 2];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[OPTION_TEXT_MAX] = '\0';
    assert_int_equal(parse(&option, text, &why), 0);
    text[OPTION_TEXT_MAX] = 'x';
    text[OPTION_TEXT_MAX + 1] = '\0';
    assert_int_equal(parse(&option, text, &why), -ERANGE);
}

static void range_of(const struct option *option, const char *wanted)
{
    AUTO(str_done) struct str range = {0};

    option_range(option, &range);
    assert_string_equal(str_text(&range), wanted);
}

static void ranges_read_as_one_types_them(void **state)
{
    struct option option = option_of(DYNO_SIZE);

    (void)state;
    range_of(&option, "");
    option.min = 512;
    option.max = 64 << 20;
    range_of(&option, "512 … 64M");
    option.max = UINT64_MAX;
    range_of(&option, "at least 512");
    option.max = INT64_MAX;
    range_of(&option, "at least 512");
    option = option_of(DYNO_CHOICE);
    range_of(&option, "dd-fsync|dd-direct");
    option = option_of(DYNO_BOOL);
    range_of(&option, "yes|no");
    option = option_of(DYNO_TEXT);
    option.max = 5;
    range_of(&option, "");
}

static void meaning_of(unsigned type, const char *text, const char *wanted)
{
    const struct option option = option_of(type);
    AUTO(option_value_done) struct option_value value = {0};
    AUTO(str_done) struct str why = {0}, meaning = {0};

    assert_int_equal(option_parse(&option, text, &value, &why), 0);
    option_meaning(&option, &value, &meaning);
    assert_string_equal(str_text(&meaning), wanted);
}

static void meanings_are_in_the_base_unit(void **state)
{
    (void)state;
    meaning_of(DYNO_SIZE, "1M", "1048576 B");
    meaning_of(DYNO_RATE, "1M", "1000000 bit/s");
    meaning_of(DYNO_TIME, "5m", "300 s");
    meaning_of(DYNO_TIME, "1500ms", "1500 ms");
    meaning_of(DYNO_BOOL, "1", "yes");
    meaning_of(DYNO_CHOICE, "dd-direct", "");
    meaning_of(DYNO_SIZE, "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_parses_its_own_way),
        cmocka_unit_test(nothing_typed_is_unset),
        cmocka_unit_test(auto_is_unset_where_nothing_is_the_default),
        cmocka_unit_test(ranges_hold_at_both_bounds),
        cmocka_unit_test(sentences_name_what_was_expected),
        cmocka_unit_test(a_value_has_a_largest_length),
        cmocka_unit_test(ranges_read_as_one_types_them),
        cmocka_unit_test(meanings_are_in_the_base_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
