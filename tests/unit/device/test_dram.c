/* dram: the chain of what a machine tells of its memory, and the row of it. */
#include "device/dram.h"

#include "../grown.h"

#include <errno.h>
#include <stdbool.h>

#include "device/inventory.h"
#include "tables.h"

static void assert_bps(double is, double should)
{
    if (is < should - 1 || is > should + 1)
        fail_msg("%.0f is not %.0f", is, should);
}

static void texts_of_a_bus(void **state)
{
    (void)state;
    struct dram dram;
    assert_int_equal(dram_parse("ddr4-1600x16", &dram), 0);
    assert_string_equal(dram.kind, "DDR4");
    assert_int_equal(dram.mtps, 1600);
    assert_int_equal(dram.bits, 16);
    assert_bps(dram.peak_bps, 3200e6);
    assert_int_equal(dram_parse("LPDDR4X-4224\xc3\x97"
                                "64",
                                &dram),
                     0);
    assert_string_equal(dram.kind, "LPDDR4X");
    assert_bps(dram.peak_bps, 33792e6);
    static const char *const bad[] = {"",
                                      "ddr4",
                                      "ddr4-1600",
                                      "ddr4-1600x",
                                      "-1600x16",
                                      "ddr4-x16",
                                      "ddr4-1600x12",
                                      "1600x16",
                                      "ddr4-0x16",
                                      "ddr4-+1600x16",
                                      "ddr4-1600x16 ",
                                      "sram-1x8",
                                      "a_ddr-1x8",
                                      "averylongnameofddr-1x8",
                                      "ddr4-1e3x16"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        dram.bits = 7;
        assert_int_equal(dram_parse(bad[i], &dram), -EINVAL);
        assert_int_equal(dram.bits, 7);
    }
    assert_bps(dram_option("3200"), 3200e6);
    assert_bps(dram_option("ddr4-1600x16"), 3200e6);
    assert_bps(dram_option("fast"), 0);
    assert_bps(dram_option("-1"), 0);
    assert_bps(dram_option("1e300"), 0);
}

static void grow_compatible(const char *names, size_t size)
{
    grow_bytes("/proc/device-tree/compatible", names, size);
}

static void the_board_file_of_the_chip_is_found(void **state)
{
    (void)state;
    static const char names[] = "renesas,smarc-evk\0renesas,r9a07g044l2\0renesas,r9a07g044";
    struct dram dram;
    grow_compatible(names, sizeof names);
    dram_find(grown_root, &dram);
    assert_string_equal(dram.source, "board file renesas,r9a07g044");
    assert_bps(dram.peak_bps, 3200e6);
    assert_true(dram.is_at_most);
}

static void a_compatible_is_no_path(void **state)
{
    (void)state;
    static const char names[] = "../boards/renesas,r9a07g044\0\0.hidden\0/etc/passwd";
    struct dram dram;
    grow_compatible(names, sizeof names);
    dram_find(grown_root, &dram);
    assert_string_equal(dram.source, "");
}

static void smbios_stands_behind_the_board_file(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct dram dram;
    const struct made_device a = {4096, 64, 0x1a, 3200, 2933, 0, "DIMM 0", "CHANNEL A", 0};
    made_memory(&table, &a);
    made_end(&table);
    grow_bytes("/sys/firmware/dmi/tables/DMI", table.bytes, table.size);
    dram_find(grown_root, &dram);
    assert_string_equal(dram.source, "SMBIOS");
    assert_bps(dram.peak_bps, 2933e6 * 8);
    assert_false(dram.is_at_most);
}

/* A virtual machine names one stick of kind "RAM" without a speed. */
static void a_rate_or_width_alone_is_no_peak(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct dram dram;
    const struct made_device a = {4096, 0, 0x07, 0, 0, 0, "DIMM 0", NULL, 0};
    made_memory(&table, &a);
    grow_bytes("/sys/firmware/dmi/tables/DMI", table.bytes, table.size);
    grow("/sys/class/devfreq/dmc/max_freq", "2112000000\n");
    dram_find(grown_root, &dram);
    assert_bps(dram.peak_bps, 0);
    char *folder = dram_devfreq(grown_root);
    assert_non_null(folder);
    free(folder);
}

static void a_vendor_names_its_kind(void **state)
{
    (void)state;
    struct dram dram;
    grow("/sys/class/boardinfo/ddr_type", "LPDDR4\n");
    dram_find(grown_root, &dram);
    assert_string_equal(dram.kind, "LPDDR4");
    assert_string_equal(dram.source, "boardinfo");
    assert_bps(dram.peak_bps, 0);
}

static void the_row_of_the_memory_bears_it(void **state)
{
    (void)state;
    static const char names[] = "ti,am625-sk\0ti,am625";
    struct inventory inventory;
    struct dram dram, nothing = {.source = ""};
    grow("/sys/class/block/.keep", "");
    grow("/proc/meminfo", "MemTotal: 1048576 kB\n");
    grow_compatible(names, sizeof names);
    assert_int_equal(inventory_scan(grown_root, &inventory), 0);
    const struct device *device = inventory_find(&inventory, "dram");
    assert_non_null(device);
    dram_place(&nothing, &inventory);
    assert_null(device->name);
    dram_find(grown_root, &dram);
    dram_place(&dram, &inventory);
    dram_place(&dram, &inventory); /* once more changes nothing */
    assert_string_equal(device->name, "DDR4 1600 MT/s \xc3\x97 16 bit");
    assert_string_equal(device->bus_mode, "DDR4-1600");
    assert_int_equal(device->bus_width, 16);
    assert_bps(device->ceiling_bps, 3200e6);
    assert_string_equal(device->bus_source, "board file ti,am625");
    inventory_done(&inventory);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_a_bus),        GROWN(the_board_file_of_the_chip_is_found),
        GROWN(a_compatible_is_no_path),          GROWN(smbios_stands_behind_the_board_file),
        GROWN(a_rate_or_width_alone_is_no_peak), GROWN(a_vendor_names_its_kind),
        GROWN(the_row_of_the_memory_bears_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
