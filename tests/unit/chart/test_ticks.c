#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "chart/ticks.h"

static void assert_labels(const struct ticks_axis *axis, int cells, int apart,
                          const char *const *labels)
{
    struct tick ticks[TICKS_MAX];
    size_t count = ticks_make(axis, cells, apart, ticks), i = 0;

    for (; labels[i]; i++) {
        assert_true(i < count);
        assert_string_equal(ticks[i].label, labels[i]);
    }
    assert_int_equal(count, i);
}

static void bytes_are_written_as_sizes_are_typed(void **state)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{512, "512"},    {4096, "4K"},        {49152, "48K"},      {1572864, "1.5M"},
                 {2097152, "2M"}, {272629760, "260M"}, {1073741824.0, "1G"}};
    char text[AXIS_LABEL_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(ticks_bytes(cases[i].bytes, text), cases[i].text);
}

static void powers_of_two_thin_out_as_room_gets_short(void **state)
{
    const struct ticks_axis axis = {TICKS_BINARY, 4096, 65536};

    (void)state;
    assert_labels(&axis, 40, 7, (const char *const[]){"4K", "8K", "16K", "32K", "64K", NULL});
    assert_labels(&axis, 21, 7, (const char *const[]){"4K", "16K", "64K", NULL});
    assert_labels(&axis, 3, 7, (const char *const[]){"4K", NULL});
}

static void decades_have_their_halves_where_there_is_room(void **state)
{
    const struct ticks_axis axis = {TICKS_LOG, 1, 100};
    const struct ticks_axis narrow = {TICKS_LOG, 2000, 20000}; /* one decade mark inside */

    (void)state;
    assert_labels(&axis, 20, 2,
                  (const char *const[]){"1", "2", "5", "10", "20", "50", "100", NULL});
    assert_labels(&axis, 6, 2, (const char *const[]){"1", "10", "100", NULL});
    assert_labels(&narrow, 6, 2, (const char *const[]){"2000", "20000", NULL});
}

static void linear_steps_end_at_the_top(void **state)
{
    struct ticks_axis axis = {.kind = TICKS_LINEAR};

    (void)state;
    ticks_around(&axis, 0, 2420);
    assert_true(axis.from == 0 && axis.to == 2500);
    assert_labels(&axis, 60, 7,
                  (const char *const[]){"0", "500", "1000", "1500", "2000", "2500", NULL});
}

static void a_logarithm_leaves_room_below_its_least_value(void **state)
{
    struct ticks_axis axis = {.kind = TICKS_LOG};

    (void)state;
    ticks_around(&axis, 2671, 17600);
    assert_true(axis.from == 2000 && axis.to == 20000);
    ticks_around(&axis, 2.1, 195);
    assert_true(axis.from == 1 && axis.to == 200);
    ticks_around(&axis, 0, 0); /* nothing known */
    assert_true(axis.from == 1 && axis.to == 10);
    ticks_around(&axis, NAN, INFINITY);
    assert_true(axis.from == 1 && axis.to == 10);
}

static void places_are_clamped_and_never_beside_the_axis(void **state)
{
    const struct ticks_axis axis = {TICKS_LOG, 1, 100}, none = {TICKS_LOG, 0, 100};
    struct tick ticks[TICKS_MAX];

    (void)state;
    assert_true(fabs(ticks_place(&axis, 10) - 0.5) < 1e-9);
    assert_true(ticks_place(&axis, 0.1) == 0 && ticks_place(&axis, 1e9) == 1);
    assert_true(ticks_place(&axis, -1) == 0 && ticks_place(&axis, NAN) == 0);
    assert_true(ticks_place(&none, 10) == 0);
    assert_int_equal(ticks_make(&none, 40, 7, ticks), 0);
    assert_int_equal(ticks_make(&axis, 0, 7, ticks), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_written_as_sizes_are_typed),
        cmocka_unit_test(powers_of_two_thin_out_as_room_gets_short),
        cmocka_unit_test(decades_have_their_halves_where_there_is_room),
        cmocka_unit_test(linear_steps_end_at_the_top),
        cmocka_unit_test(a_logarithm_leaves_room_below_its_least_value),
        cmocka_unit_test(places_are_clamped_and_never_beside_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
