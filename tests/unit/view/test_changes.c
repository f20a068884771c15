/* changes: what came and went between two looks, and for how long it is marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "view/changes.h"

#define S 1000000000ull

static struct device disk(const char *id, const char *name)
{
    return (struct device){
        .kind = DEVICE_USB, .id = (char *)id, .name = (char *)name, .has_medium = true};
}

static void test_the_first_look_marks_nothing(void **state)
{
    struct changes changes = {0};
    struct notes notes = {0};
    struct device devices[] = {disk("sda", "DT-100")};
    const struct inventory inventory = {devices, 1};
    (void)state;
    changes_look(&changes, &inventory, S, 0, &notes);
    assert_null(changes_mark(&changes, "sda", S));
    assert_null(notes_last(&notes));
    changes_look(&changes, &inventory, 2 * S, 0, &notes);
    assert_null(notes_last(&notes));
}

static void test_coming_and_going(void **state)
{
    struct changes changes = {0};
    struct notes notes = {0};
    struct device devices[] = {disk("sda", "DT-100"), disk("sdb", NULL)};
    (void)state;
    changes_look(&changes, &(const struct inventory){devices, 1}, S, 0, &notes);
    changes_look(&changes, &(const struct inventory){devices, 2}, 10 * S, 0, &notes);
    assert_non_null(strstr(notes_last(&notes)->text, "sdb appeared"));
    assert_false(changes_mark(&changes, "sdb", 10 * S)->is_gone);
    assert_true(changes_are_marked(&changes, 12 * S - 1));
    assert_false(changes_are_marked(&changes, 12 * S));
    assert_null(changes_mark(&changes, "sdb", 12 * S));
    changes_look(&changes, &(const struct inventory){devices + 1, 1}, 20 * S, 0, &notes);
    assert_non_null(strstr(notes_last(&notes)->text, "sda DT-100 is gone"));
    assert_true(changes_mark(&changes, "sda", 20 * S)->is_gone);
}

static void test_a_medium_is_a_change(void **state)
{
    struct changes changes = {0};
    struct notes notes = {0};
    struct device reader = disk("sdb", "Reader");
    (void)state;
    reader.has_medium = false;
    changes_look(&changes, &(const struct inventory){&reader, 1}, S, 0, &notes);
    reader.has_medium = true;
    changes_look(&changes, &(const struct inventory){&reader, 1}, 2 * S, 0, &notes);
    assert_non_null(changes_mark(&changes, "sdb", 2 * S));
    assert_non_null(strstr(notes_last(&notes)->text, "changed"));
}

static void test_partitions_make_no_notes(void **state)
{
    struct changes changes = {0};
    struct notes notes = {0};
    struct device devices[] = {disk("sda", NULL), disk("sda1", NULL)};
    (void)state;
    devices[1].parent = (char *)"sda";
    changes_look(&changes, &(const struct inventory){devices, 1}, S, 0, &notes);
    changes_look(&changes, &(const struct inventory){devices, 2}, 2 * S, 0, &notes);
    assert_null(notes_last(&notes));
}

static void test_the_bounds(void **state)
{
    struct changes changes = {0};
    struct notes notes = {0};
    static char names[300][8];
    struct device devices[300];
    (void)state;
    for (int i = 0; i < 300; i++) {
        (void)snprintf(names[i], sizeof names[i], "d%d", i);
        devices[i] = disk(names[i], NULL);
    }
    changes_look(&changes, &(const struct inventory){devices, 0}, S, 0, &notes);
    changes_look(&changes, &(const struct inventory){devices, 300}, 2 * S, 0, &notes);
    assert_int_equal(changes.known_count, ARRAY_SIZE(changes.known));
    assert_int_equal(changes.mark_count, CHANGES_MAX);
    assert_non_null(changes_mark(&changes, "d255", 2 * S));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_look_marks_nothing),
        cmocka_unit_test(test_coming_and_going),
        cmocka_unit_test(test_a_medium_is_a_change),
        cmocka_unit_test(test_partitions_make_no_notes),
        cmocka_unit_test(test_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
