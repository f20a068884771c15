/* kept: values of forms by test and target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/kept.h"

static void test_values_belong_to_test_and_target(void **state)
{
    struct kept kept = {0};
    (void)state;
    kept_set(&kept, "storage.write", "sda1", "bs", "4M");
    kept_set(&kept, "storage.write", "sda1", "size", "1G");
    kept_set(&kept, "storage.write", "sdb1", "bs", "8M");
    kept_set(&kept, "storage.write", "sda1", "bs", "2M"); /* newer */
    assert_true(kept_has(&kept, "storage.write", "sda1"));
    assert_false(kept_has(&kept, "storage.read", "sda1"));
    char **options = kept_options(&kept, "storage.write", "sda1");
    assert_string_equal(options[0], "size=1G");
    assert_string_equal(options[1], "bs=2M");
    assert_null(options[2]);
    assert_null(kept_options_free(options));
    kept_drop(&kept, "storage.write", "sda1", "bs");
    kept_drop(&kept, "storage.write", "sda1", "size");
    assert_false(kept_has(&kept, "storage.write", "sda1"));
    assert_true(kept_has(&kept, "storage.write", "sdb1"));
    kept_done(&kept);
}

static void test_the_bound(void **state)
{
    struct kept kept = {0};
    char key[16];
    (void)state;
    for (int i = 0; i <= KEPT_MAX; i++) {
        (void)snprintf(key, sizeof key, "k%d", i);
        kept_set(&kept, "t", "d", key, "1");
    }
    assert_int_equal(kept.count, KEPT_MAX);
    assert_string_equal(kept.values[0].key, "k1"); /* the oldest went */
    kept_done(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_belong_to_test_and_target),
        cmocka_unit_test(test_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
