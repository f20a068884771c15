/* ceiling: every row of the table of modes, and what is no row of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "diagnose/ceiling.h"

#define MB 1e6

static const struct {
    struct ceiling_link link;
    double bps;
} rows[] = {
    {{"legacy", 4, 0, false}, 12.5 * MB},
    {{"SDR12", 4, 0, false}, 12.5 * MB},
    {{"high speed", 4, 0, false}, 25 * MB},
    {{"SDR25", 4, 0, false}, 25 * MB},
    {{"SDR50", 4, 0, false}, 50 * MB},
    {{"DDR50", 4, 0, false}, 50 * MB},
    {{"SDR104", 4, 0, false}, 104 * MB},
    {{"legacy", 8, 0, true}, 26 * MB},
    {{"high speed", 8, 0, true}, 52 * MB},
    {{"high speed", 4, 0, true}, 26 * MB},
    {{"DDR52", 8, 0, true}, 104 * MB},
    {{"DDR52", 4, 0, true}, 52 * MB},
    {{"HS200", 8, 0, true}, 200 * MB},
    {{"HS200", 4, 0, true}, 100 * MB},
    {{"HS400", 8, 0, true}, 400 * MB},
    {{"HS400ES", 8, 0, true}, 400 * MB},
    /* the clock that the host really makes rules */
    {{"DDR52", 8, 49152000, true}, 98.304 * MB},
    {{"DDR52", 4, 50000000, true}, 50 * MB},
    {{"SDR104", 4, 200000000, false}, 100 * MB},
    {{"High Speed", 0, 0, false}, 60 * MB},
    {{"SuperSpeed", 0, 0, false}, 500 * MB},
    {{"SuperSpeed+", 0, 0, false}, 1212.12 * MB},
    {{"SuperSpeed+ x2", 0, 0, false}, 2424.24 * MB},
    {{"Full Speed", 0, 0, false}, 1.5 * MB},
    {{"Low Speed", 0, 0, false}, 0.1875 * MB},
    {{"SATA 1.5 Gbps", 0, 0, false}, 150 * MB},
    {{"SATA 3.0 Gbps", 0, 0, false}, 300 * MB},
    {{"SATA 6.0 Gbps", 0, 0, false}, 600 * MB},
    {{"PCIe 2.5 GT/s", 1, 0, false}, 250 * MB},
    {{"PCIe 5.0 GT/s", 2, 0, false}, 1000 * MB},
    {{"PCIe 8.0 GT/s", 4, 0, false}, 3938.46 * MB},
    {{"PCIe 16.0 GT/s", 4, 0, false}, 7876.92 * MB},
    {{"PCIe 32.0 GT/s", 1, 0, false}, 3938.46 * MB},
    /* unknown stays unknown */
    {{"SDR104", 0, 0, false}, 0},
    {{"PCIe 8.0 GT/s", 0, 0, false}, 0},
    {{"PCIe fast", 4, 0, false}, 0},
    {{"PCIe 9.0 GT/s", 4, 0, false}, 0},
    {{"HS800", 8, 0, true}, 0},
    {{"", 8, 0, true}, 0},
    {{NULL, 8, 0, true}, 0},
};

static void test_every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        double bps = ceiling_of(&rows[i].link);
        if (bps < rows[i].bps * 0.99999 || bps > rows[i].bps * 1.00001)
            fail_msg("%s, width %u: %.0f instead of %.0f", rows[i].link.mode, rows[i].link.width,
                     bps, rows[i].bps);
    }
}

static void test_reach(void **state)
{
    (void)state;
    assert_true(ceiling_reach("High Speed") * 60 < 34); /* the least that was seen at its limit */
    assert_true(ceiling_reach("SDR104") > 0.7 && ceiling_reach("SDR104") < 0.9);
    assert_true(ceiling_reach("SuperSpeed") * 500 <= 400);
    assert_true(ceiling_reach(NULL) > 0.7);
}

static void test_what_full_frames_carry(void **state)
{
    (void)state;
    assert_true(ceiling_tcp(1e9) > 941.4e6 && ceiling_tcp(1e9) < 941.5e6);
    assert_true(ceiling_tcp(1e8) > 94.1e6 && ceiling_tcp(1e8) < 94.2e6);
    assert_true(ceiling_udp(1e9) > 957e6 && ceiling_udp(1e9) < 957.2e6);
    assert_false(ceiling_tcp(0) > 0 || ceiling_tcp(-1) > 0 || ceiling_udp(0) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_what_full_frames_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
