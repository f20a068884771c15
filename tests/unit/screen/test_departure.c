/* departure: when the program ends, with which status, and what the guard is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "departure.h"

static void test_at_once(void **state)
{
    struct departure departure;
    (void)state;
    departure_init(&departure, -1);
    assert_false(departure_is_due(&departure, 0));
    assert_int_equal(departure_patience_ms(&departure), -1);
    departure_now(&departure, 0);
    assert_true(departure_is_due(&departure, 3));
    assert_int_equal(departure_code(&departure), 0);
}

static void test_after_the_runs(void **state)
{
    struct departure departure;
    (void)state;
    departure_init(&departure, -1);
    departure_wait(&departure, 143);
    assert_false(departure_is_due(&departure, 1));
    int patience = departure_patience_ms(&departure);
    assert_true(patience > 8000 && patience <= 9001);
    assert_true(departure_is_due(&departure, 0));
    departure_wait(&departure, 130); /* the first one stays */
    assert_int_equal(departure_code(&departure), 143);
    departure_now(&departure, 0); /* impatience changes no status */
    assert_true(departure_is_due(&departure, 1));
    assert_int_equal(departure_code(&departure), 143);
    departure.stage = DEPARTURE_WAITS;
    departure.until_ns = 1; /* long ago */
    assert_true(departure_is_due(&departure, 1));
    assert_int_equal(departure_patience_ms(&departure), 0);
}

static void test_the_guard_hears_that_the_terminal_is_closed(void **state)
{
    struct departure departure;
    char told[4] = "";
    int ends[2];
    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    departure_init(&departure, ends[1]);
    departure_done(&departure);
    departure_done(&departure); /* once only */
    assert_int_equal(read(ends[0], told, sizeof told), 1);
    assert_int_equal(told[0], DEPARTURE_TELL_CLOSED);
    assert_int_equal(read(ends[0], told, sizeof told), 0);
    (void)close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_after_the_runs),
        cmocka_unit_test(test_the_guard_hears_that_the_terminal_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
