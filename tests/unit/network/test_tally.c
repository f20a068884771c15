/* tally: what came after a mark; lost that was taken back reads as none. */
#include "prelude.h"

#include "network/tally.h"

static void a_part_is_what_came_after_its_mark(void **state)
{
    (void)state;
    struct tally tally = {0};
    tally_add(&tally.bytes, 100);
    tally_set(&tally.packets, 10);
    tally_set(&tally.lost, 3);
    struct tally_view base = tally_view(&tally);
    tally_add(&tally.bytes, 50);
    tally_set(&tally.packets, 12);
    tally_set(&tally.lost, 2); /* one came late */
    tally_set(&tally.jitter_ns, 77);
    struct tally_view now = tally_view(&tally), part = tally_since(&now, &base);
    assert_int_equal(part.bytes, 50);
    assert_int_equal(part.packets, 2);
    assert_int_equal(part.lost, 0);
    assert_int_equal(part.jitter_ns, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_what_came_after_its_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
