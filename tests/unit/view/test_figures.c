/* figures: the newest finished rate of a device and of its partitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "view/figures.h"

static const char *cached; /* the next rows' share from RAM; NULL: none is told */

static void take(struct figures *figures, const char *test, const char *target, const char *state,
                 const char *rate, const char *wall)
{
    struct str pairs = {0};
    str_add_pair(&pairs, "test", test);
    str_add_pair(&pairs, "target", target);
    str_add_pair(&pairs, "state", state);
    if (rate)
        str_add_pair(&pairs, "rate", rate);
    if (cached)
        str_add_pair(&pairs, "cached", cached);
    str_add_pair(&pairs, "wall_ns", wall);
    struct frame row = {.type = FRAME_ROW, .pairs = pairs.text, .pairs_size = pairs.size};
    figures_take(figures, &row);
    str_done(&pairs);
}

static void test_a_network_run_has_two_directions(void **state)
{
    struct figures figures = {0};
    const struct inventory none = {0};
    double rate = 0;
    (void)state;
    struct str pairs = {0};
    str_add_pair(&pairs, "test", "network.tcp");
    str_add_pair(&pairs, "target", "eth0");
    str_add_pair(&pairs, "state", "done");
    str_add_pair(&pairs, "rate", "67100000");
    str_add_pair(&pairs, "rate_out", "67100000");
    str_add_pair(&pairs, "rate_in", "940000000");
    str_add_pair(&pairs, "wall_ns", "100");
    struct frame row = {.type = FRAME_ROW, .pairs = pairs.text, .pairs_size = pairs.size};
    figures_take(&figures, &row);
    str_done(&pairs);
    assert_true(figures_find(&figures, &none, "eth0", FIGURE_FIRST, &rate));
    assert_true(rate > 67099999 && rate < 67100001);
    assert_true(figures_find(&figures, &none, "eth0", FIGURE_SECOND, &rate));
    assert_true(rate > 939999999 && rate < 940000001);
    /* Older stores kept the rate alone. */
    take(&figures, "network.tcp", "eth0", "done", "90000000", "200");
    assert_true(figures_find(&figures, &none, "eth0", FIGURE_FIRST, &rate));
    assert_true(rate > 89999999 && rate < 90000001);
}

static struct device devices[] = {
    {.kind = DEVICE_SD, .id = (char *)"mmcblk1"},
    {.kind = DEVICE_PARTITION, .id = (char *)"mmcblk1p1", .parent = (char *)"mmcblk1"},
    {.kind = DEVICE_USB, .id = (char *)"sda"},
};
static const struct inventory inventory = {devices, ARRAY_SIZE(devices)};

static void test_the_newest_of_device_and_partitions(void **state)
{
    struct figures figures = {0};
    double rate = 0;
    (void)state;
    take(&figures, "storage.write", "mmcblk1p1", "done", "4900000", "200");
    take(&figures, "storage.write", "mmcblk1p1", "done", "1", "100"); /* older */
    take(&figures, "storage.write", "mmcblk1", "done", "5000000", "150");
    take(&figures, "storage.read", "mmcblk1p1", "done", "35700000", "100");
    assert_true(figures_find(&figures, &inventory, "mmcblk1", FIGURE_FIRST, &rate));
    assert_true(rate > 4899999 && rate < 4900001);
    assert_true(figures_find(&figures, &inventory, "mmcblk1", FIGURE_SECOND, &rate));
    assert_true(rate > 35699999 && rate < 35700001);
    assert_false(figures_find(&figures, &inventory, "sda", FIGURE_FIRST, &rate));
}

static void test_a_read_from_ram_is_not_the_disks(void **state)
{
    struct figures figures = {0};
    double rate = 0;
    (void)state;
    take(&figures, "storage.read", "sda", "done", "35700000", "1");
    cached = "0.98";
    take(&figures, "storage.read", "sda", "done", "6100000000", "2");
    assert_true(figures_find(&figures, &inventory, "sda", FIGURE_SECOND, &rate));
    assert_true(rate > 35699999 && rate < 35700001);
    cached = "0.02";
    take(&figures, "storage.read", "sda", "done", "40000000", "3");
    cached = NULL;
    assert_true(figures_find(&figures, &inventory, "sda", FIGURE_SECOND, &rate));
    assert_true(rate > 39999999 && rate < 40000001);
}

static void test_what_does_not_count(void **state)
{
    struct figures figures = {0};
    double rate;
    (void)state;
    take(&figures, "storage.write", "sda", "cancelled", "5", "1");
    take(&figures, "storage.write", "sda", "done", NULL, "1");
    take(&figures, "storage.write", "sda", "done", "fast", "1");
    take(&figures, "storage.write", "sda", "done", "5", "yesterday");
    take(&figures, "selftest.sine", "sda", "done", "5", "1");
    assert_int_equal(figures.count, 0);
    assert_false(figures_find(&figures, &inventory, "sda", FIGURE_FIRST, &rate));
}

static void test_the_bound(void **state)
{
    struct figures figures = {0};
    char target[16];
    (void)state;
    for (int i = 0; i < FIGURES_MAX + 5; i++) {
        (void)snprintf(target, sizeof target, "d%d", i);
        take(&figures, "storage.read", target, "done", "5", "1");
    }
    assert_int_equal(figures.count, FIGURES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_newest_of_device_and_partitions),
        cmocka_unit_test(test_a_network_run_has_two_directions),
        cmocka_unit_test(test_a_read_from_ram_is_not_the_disks),
        cmocka_unit_test(test_what_does_not_count),
        cmocka_unit_test(test_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
