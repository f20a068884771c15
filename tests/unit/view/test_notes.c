/* notes: the newest is last; the ring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/notes.h"

static void test_the_newest_is_last(void **state)
{
    struct notes notes = {0};
    (void)state;
    assert_null(notes_last(&notes));
    for (int i = 0; i < 2 * NOTES_MAX + 3; i++)
        notes_add(&notes, (uint64_t)i, ROLE_WARN, "note %d", i);
    assert_string_equal(notes_last(&notes)->text, "note 130");
    assert_int_equal(notes_last(&notes)->wall_ns, 130);
    assert_int_equal(notes.count, NOTES_MAX);
}

static void test_a_long_note_is_cut(void **state)
{
    struct notes notes = {0};
    char text[2 * NOTE_TEXT_MAX];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    notes_add(&notes, 0, ROLE_TEXT, "%s", text);
    assert_int_equal(strlen(notes_last(&notes)->text), NOTE_TEXT_MAX - 1);
}

static void test_the_clock(void **state)
{
    char clock[NOTES_CLOCK_MAX];
    (void)state;
    (void)setenv("TZ", "UTC", 1);
    assert_string_equal(notes_clock(50531000000000ull, clock), "14:02:11");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_newest_is_last),
        cmocka_unit_test(test_a_long_note_is_cut),
        cmocka_unit_test(test_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
