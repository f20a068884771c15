/* stairs_shape: the sizes of the stairs, and where their edges are seen. */
#include "prelude.h"

#include <memory/stairs.h>

static void sizes_double_with_halves(void **state)
{
    (void)state;
    uint64_t sizes[STAIRS_POINTS];
    assert_int_equal(stairs_sizes(4095, sizes), 0);
    assert_int_equal(stairs_sizes(4096, sizes), 1);
    assert_int_equal(stairs_sizes(16384, sizes), 5);
    assert_true(sizes[1] == 6144 && sizes[3] == 12288 && sizes[4] == 16384);
    assert_int_equal(stairs_sizes(UINT64_C(512) << 20, sizes), 35);
    assert_true(sizes[34] == UINT64_C(512) << 20);
    assert_true(stairs_sizes(UINT64_MAX / 4, sizes) <= STAIRS_POINTS);
}

/* As measured on a machine with 48 KiB, 2 MiB and a large last level. */
static void edges_stand_before_the_rises(void **state)
{
    (void)state;
    static const double latencies[] = {1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.8, /* .. 48 KiB */
                                       5.0, 5.3, 5.0, 5.5, 5.5, 5.8, 6.0, 6.8, /* .. 768 KiB */
                                       12,  17,  20,  28,  32,  33,  34,  37,  /* .. 12 MiB */
                                       40,  105, 112, 128, 129, 130};
    unsigned count = sizeof latencies / sizeof latencies[0];
    uint64_t sizes[STAIRS_POINTS], edges[STAIRS_EDGES];
    assert_true(stairs_sizes(UINT64_C(512) << 20, sizes) >= count);
    assert_int_equal(stairs_edges(sizes, latencies, count, edges), 3);
    assert_int_equal(edges[0], 48 << 10);
    assert_int_equal(edges[1], 768 << 10);
    assert_int_equal(edges[2], 16 << 20);
}

static void a_flat_line_has_none(void **state)
{
    (void)state;
    static const double latencies[] = {2, 2.1, 1.9, 2, 2.2, 2};
    uint64_t sizes[STAIRS_POINTS], edges[STAIRS_EDGES];
    (void)stairs_sizes(1 << 20, sizes);
    assert_int_equal(stairs_edges(sizes, latencies, 6, edges), 0);
    assert_int_equal(stairs_edges(sizes, latencies, 0, edges), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_double_with_halves),
        cmocka_unit_test(edges_stand_before_the_rises),
        cmocka_unit_test(a_flat_line_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
