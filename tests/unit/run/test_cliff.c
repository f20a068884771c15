/* cliff: where a drop begins to count, and what is none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/cliff.h"

#define S 1000000000ull
#define ZERO (7 * S)

struct writer {
    struct cliff cliff;
    uint64_t at_ns;
};

static void write_for(struct writer *writer, unsigned seconds, double bps, uint64_t tick_ns)
{
    if (!writer->at_ns)
        writer->at_ns = ZERO;
    for (uint64_t end = writer->at_ns + seconds * S; writer->at_ns < end; writer->at_ns += tick_ns)
        cliff_push(&writer->cliff, writer->at_ns, writer->at_ns + tick_ns,
                   bps * (double)tick_ns / (double)S);
}

static void test_a_lasting_drop_is_found(void **state)
{
    static const uint64_t ticks[] = {S / 10, S / 4, S, 2 * S};
    (void)state;
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        struct writer writer = {.at_ns = 0};
        struct cliff_found found;
        write_for(&writer, 80, 40e6, ticks[i]);
        assert_false(cliff_find(&writer.cliff, &found));
        write_for(&writer, 60, 10e6, ticks[i]);
        assert_true(cliff_find(&writer.cliff, &found));
        assert_true(found.before_bps > 39.9e6 && found.before_bps < 40.1e6);
        assert_true(found.after_bps > 9e6 && found.after_bps < 13e6);
        assert_true(found.bytes > 3.0e9 && found.bytes < 3.3e9); /* 80 s at 40 MB/s: 3.2 GB */
        assert_true(found.at_s >= 76 && found.at_s <= 81);
    }
}

static bool drops_to(double share, unsigned seconds)
{
    struct writer writer = {.at_ns = 0};
    struct cliff_found found;
    write_for(&writer, 20, 40e6, S);
    write_for(&writer, seconds, 40e6 * share, S);
    write_for(&writer, 1, 1, S); /* closes the second before */
    return cliff_find(&writer.cliff, &found);
}

static void test_bounds(void **state)
{
    (void)state;
    assert_true(drops_to(0.59, 5));
    assert_false(drops_to(0.61, 5));
    assert_true(drops_to(0.30, 5));
    assert_false(drops_to(0.59, 4));
}

static void test_a_pause_is_none(void **state)
{
    struct writer writer = {.at_ns = 0};
    struct cliff_found found;
    (void)state;
    write_for(&writer, 30, 40e6, S);
    write_for(&writer, 6, 4e6, S);
    write_for(&writer, 60, 40e6, S);
    assert_false(cliff_find(&writer.cliff, &found));
    /* and does not hide the real one */
    write_for(&writer, 30, 12e6, S);
    assert_true(cliff_find(&writer.cliff, &found));
    assert_true(found.at_s > 90);
}

static void test_silence_counts_only_when_something_follows(void **state)
{
    struct writer writer = {.at_ns = 0};
    struct cliff_found found;
    (void)state;
    write_for(&writer, 20, 40e6, S);
    write_for(&writer, 30, 0, S);
    assert_false(cliff_find(&writer.cliff, &found));
    write_for(&writer, 2, 1e6, S);
    assert_true(cliff_find(&writer.cliff, &found));
    assert_true(found.at_s >= 20 && found.at_s <= 21);
}

static void test_too_short_to_tell(void **state)
{
    struct writer writer = {.at_ns = 0};
    struct cliff_found found;
    (void)state;
    write_for(&writer, 5, 40e6, S);
    write_for(&writer, 9, 1e6, S);
    assert_false(cliff_find(&writer.cliff, &found));
}

static void test_another_manner_of_writing_begins_anew(void **state)
{
    struct writer writer = {.at_ns = 0};
    struct cliff_found found;
    (void)state;
    write_for(&writer, 30, 40e6, S);
    cliff_restart(&writer.cliff);
    write_for(&writer, 60, 4e6, S); /* small blocks, say */
    assert_false(cliff_find(&writer.cliff, &found));
    write_for(&writer, 20, 1e6, S);
    assert_true(cliff_find(&writer.cliff, &found));
    cliff_restart(&writer.cliff);
    write_for(&writer, 60, 400e6, S);
    assert_true(cliff_find(&writer.cliff, &found));
    assert_true(found.after_bps < 1.1e6);
}

static void test_odd_amounts_do_no_harm(void **state)
{
    struct cliff cliff = {0};
    struct cliff_found found;
    (void)state;
    cliff_push(&cliff, 0, S, 1e9);
    cliff_push(&cliff, UINT64_MAX - S, UINT64_MAX, 1e9);
    cliff_push(&cliff, 5, 5, 1e9);
    cliff_push(&cliff, S, 2 * S, -1);
    cliff_push(&cliff, S, 2 * S, (double)INFINITY);
    assert_false(cliff_find(&cliff, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lasting_drop_is_found),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_a_pause_is_none),
        cmocka_unit_test(test_silence_counts_only_when_something_follows),
        cmocka_unit_test(test_too_short_to_tell),
        cmocka_unit_test(test_another_manner_of_writing_begins_anew),
        cmocka_unit_test(test_odd_amounts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
