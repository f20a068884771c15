#include "before.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static bool is_same(const char *kind, const char *label, const char *stored)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "id", "7");
    if (stored)
        str_add_pair(&pairs, "label", stored);
    const struct frame row = {.type = FRAME_ROW, .pairs = pairs.text, .pairs_size = pairs.size};
    return before_is_same_unit(kind, label, &row);
}

static void labels_part_units_of_a_usb_disk(void **state)
{
    (void)state;
    assert_true(is_same("usb", "Stick A", "Stick A"));
    assert_false(is_same("usb", "Stick A", "Stick B"));
    assert_false(is_same("usb", "Stick A", NULL));
    assert_false(is_same("usb", NULL, "Stick B"));
    assert_true(is_same("usb", NULL, NULL));
    assert_true(is_same("usb", NULL, ""));
}

static void a_cards_identity_is_its_own(void **state)
{
    (void)state;
    assert_true(is_same("sd", "Card 1", "Card 2"));
    assert_true(is_same("emmc", NULL, "Card 2"));
    assert_true(is_same(NULL, "x", NULL));
}

static void the_middle_counts(void **state)
{
    (void)state;
    double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2}, one[] = {7};
    assert_true(before_median(odd, 3) == 5);
    assert_true(before_median(even, 4) == 2.5);
    assert_true(before_median(one, 1) == 7);
    assert_true(before_median(one, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_part_units_of_a_usb_disk),
        cmocka_unit_test(a_cards_identity_is_its_own),
        cmocka_unit_test(the_middle_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
