/* chase: one cycle through all lines, known at every place, without a stride a prefetcher learns.
 */
#include "prelude.h"

#include <memory/chase.h>

static void sizes_that_have_a_cycle(void **state)
{
    (void)state;
    assert_int_equal(chase_lines(0), 0);
    assert_int_equal(chase_lines(1023), 0);
    assert_int_equal(chase_lines(1024), 16);
    assert_int_equal(chase_lines(24 * 64), 24);
    assert_int_equal(chase_lines(24 * 64 - 1), 16);
    assert_int_equal(chase_lines(UINT64_C(512) << 20), 8u << 20);
    assert_int_equal(chase_lines((UINT64_C(512) << 20) - 1), 6u << 20);
}

/* Of more than 256 GiB the product of two lines once did not fit 64 bits: no cycle, and an error of
 * memory that had none. */
static void the_largest_stays_within_64_bits(void **state)
{
    (void)state;
    struct chase chase;
    assert_true(chase_lines(UINT64_MAX) == CHASE_LINES_MOST);
    assert_true(chase_lines(CHASE_LINES_MOST * CHASE_LINE) == CHASE_LINES_MOST);
    chase_init(&chase, NULL, CHASE_LINES_MOST);
    assert_true(chase.factor > 1 && chase.factor < chase.lines && chase.step < chase.lines);
    assert_true((UINT64_MAX - chase.step) / (chase.lines - 1) >= chase.lines - 1);
}

static void parts_are_laid_as_the_whole(void **state)
{
    (void)state;
    struct chase chase;
    void *base = aligned_alloc(64, 96 * CHASE_LINE), *whole = malloc(96 * CHASE_LINE);
    assert_true(base && whole);
    memset(base, 0, 96 * CHASE_LINE);
    chase_init(&chase, base, 96);
    chase_lay(&chase, 0, 96);
    memcpy(whole, base, 96 * CHASE_LINE);
    memset(base, 0, 96 * CHASE_LINE);
    chase_lay(&chase, 50, 1000);
    chase_lay(&chase, 0, 50);
    assert_memory_equal(base, whole, 96 * CHASE_LINE);
    free(base);
    free(whole);
}

static void walk_whole(uint64_t lines)
{
    struct chase chase;
    char *base = aligned_alloc(64, lines * CHASE_LINE);
    uint64_t count = 0;
    chase_init(&chase, base, lines);
    chase_lay(&chase, 0, chase.lines);
    void *at = base;
    do {
        at = *(void **)at;
        count++;
        if (count % 37 == 0 || count < 20)
            assert_ptr_equal(at, base + chase_after(&chase, count) * CHASE_LINE);
    } while (at != base && count <= lines);
    assert_int_equal(count, lines);
    free(base);
}

static void the_cycle_goes_through_every_line(void **state)
{
    (void)state;
    for (uint64_t power = 16; power <= 8192; power *= 2) {
        walk_whole(power);
        walk_whole(power / 2 * 3);
    }
}

static void steps_are_uneven(void **state)
{
    (void)state;
    struct chase chase;
    chase_init(&chase, NULL, 65536);
    uint64_t same = 0, near = 0, last = 0, last_gap = 0;
    for (uint64_t i = 1; i <= 4096; i++) {
        uint64_t line = chase_after(&chase, i), gap = (line - last) % 65536;
        same += gap == last_gap;
        near += gap < 64 || gap > 65536 - 64; /* within a page */
        last = line;
        last_gap = gap;
    }
    assert_int_equal(same, 0);
    assert_true(near < 40);
}

static void chains_come_where_one_alone_would(void **state)
{
    (void)state;
    static const unsigned chains[] = {1, 2, 4, 8};
    struct chase chase;
    char *base = aligned_alloc(64, 1536 * CHASE_LINE);
    chase_init(&chase, base, 1536);
    chase_lay(&chase, 0, chase.lines);
    for (size_t c = 0; c < 4; c++) {
        void *at[CHASE_CHAINS_MOST];
        for (unsigned i = 0; i < chains[c]; i++)
            at[i] = base + chase_after(&chase, i * 100) * CHASE_LINE;
        chase_walk(chains[c], at, 160);
        for (unsigned i = 0; i < chains[c]; i++)
            assert_ptr_equal(at[i], base + chase_after(&chase, i * 100 + 160) * CHASE_LINE);
    }
    free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_have_a_cycle),
        cmocka_unit_test(the_largest_stays_within_64_bits),
        cmocka_unit_test(parts_are_laid_as_the_whole),
        cmocka_unit_test(the_cycle_goes_through_every_line),
        cmocka_unit_test(steps_are_uneven),
        cmocka_unit_test(chains_come_where_one_alone_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
