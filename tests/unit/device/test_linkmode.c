/* linkmode: names and speeds of the kernel's bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "device/linkmode.h"

static void test_names_and_speeds(void **state)
{
    /* 10 and 100 both ways, 1000 full, autoneg, twisted pair, pause; 2500baseT is bit 47. */
    const uint32_t ours[] = {0x20efu, 1u << 15}, theirs[] = {0x000fu};
    struct str names = {0};
    (void)state;
    linkmode_names(ours, 1, &names);
    assert_string_equal(str_text(&names), "10baseT/Half 10baseT/Full 100baseT/Half 100baseT/Full "
                                          "1000baseT/Full");
    assert_int_equal(linkmode_most(ours, 1), 1000);
    assert_int_equal(linkmode_most(ours, 2), 2500);
    assert_int_equal(linkmode_most_common(ours, 2, theirs, 1), 100);
    assert_int_equal(linkmode_most_common(ours, 2, theirs, 0), 0);
    assert_int_equal(linkmode_most(NULL, 0), 0);
    str_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_and_speeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
