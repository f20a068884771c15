/* race: bytes that all streams share are given out once. */
#include "prelude.h"

#include "network/race.h"

#include <sys/eventfd.h>

static bool has_told(const struct race *race)
{
    eventfd_t count;
    return eventfd_read(race->event_fd, &count) == 0;
}

static void the_last_byte_is_given_once(void **state)
{
    (void)state;
    struct race race;
    assert_int_equal(race_init(&race, 250), 0);
    assert_int_equal(race_take(&race, 100), 100);
    assert_int_equal(race_take(&race, 100), 100);
    assert_false(race_is_over(&race));
    assert_int_equal(race_take(&race, 100), 50);
    assert_int_equal(race_take(&race, 100), 0);
    assert_true(race_is_over(&race));
    race_done(&race);
}

static void a_receiver_tells_when_the_limit_is_reached(void **state)
{
    (void)state;
    struct race race;
    assert_int_equal(race_init(&race, 250), 0);
    race_got(&race, 249);
    assert_false(race_is_over(&race) || has_told(&race));
    race_got(&race, 100);
    assert_true(race_is_over(&race) && has_told(&race));
    race_got(&race, 100);
    assert_false(has_told(&race)); /* once */
    race_done(&race);
}

static void no_limit_gives_all(void **state)
{
    (void)state;
    struct race race;
    assert_int_equal(race_init(&race, 0), 0);
    assert_int_equal(race_take(&race, 1u << 30), 1u << 30);
    race_got(&race, 1u << 30);
    assert_false(race_is_over(&race) || has_told(&race));
    race_done(&race);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_byte_is_given_once),
        cmocka_unit_test(a_receiver_tells_when_the_limit_is_reached),
        cmocka_unit_test(no_limit_gives_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
