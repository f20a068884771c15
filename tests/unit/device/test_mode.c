#include "device/mode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"
#include "wire/frame.h"

static void take(struct mode_log *log, const char *record)
{
    mode_take_line(log, "mmc1", record, strlen(record));
}

static void the_kernels_announcements_name_the_mode(void **state)
{
    (void)state;
    static const struct {
        const char *record, *mode;
    } rows[] = {
        {"6,339,5140900,-;mmc1: new ultra high speed SDR104 SDHC card at address aaaa\n", "SDR104"},
        {"6,339,5140900,-;mmc1: new ultra high speed DDR50 SDXC card at address 0001\n", "DDR50"},
        {"6,339,5140900,-;mmc1: new HS400 Enhanced strobe MMC card at address 0001\n", "HS400ES"},
        {"6,339,5140900,-;mmc1: new HS400 MMC card at address 0001\n", "HS400"},
        {"6,339,5140900,-;mmc1: new HS200 MMC card at address 0001\n", "HS200"},
        {"6,339,5140900,-;mmc1: new DDR MMC card at address 0001\n", "DDR52"},
        {"6,339,5140900,-;mmc1: new high speed DDR MMC card at address 0001\n", "DDR52"},
        {"6,339,5140900,-;mmc1: new high speed MMC card at address 0001\n", "high speed"},
        {"6,339,5140900,-;mmc1: new high speed SDHC card at address b368\n", "high speed"},
        {"6,339,5140900,-;mmc1: new SD card at address b368\n", "legacy"},
        {"6,339,5140900,-;mmc10: new HS200 MMC card at address 0001\n", ""},
        {"6,339,5140900,-;mmc1: new toaster at address 0001\n", ""},
        {"mmc1: new HS200 MMC card at address 0001\n", ""}, /* no record of the log */
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AUTO(mode_log_done) struct mode_log log = {0};
        take(&log, rows[i].record);
        assert_string_equal(log.mode, rows[i].mode);
        assert_null(log.error);
    }
}

static void the_last_trouble_is_kept_until_a_card_works(void **state)
{
    (void)state;
    AUTO(mode_log_done) struct mode_log log = {0};
    take(&log, "6,1,1,-;mmc1: Host Software Queue enabled\n");
    assert_null(log.error);
    take(&log, "3,2,2,-;mmc1: error -110 whilst initialising SD card\n");
    take(&log, "6,3,3,-;mmc1: Card stuck being busy! __mmc_poll_for_busy\n SUBSYSTEM=mmc\n");
    assert_string_equal(log.error, "Card stuck being busy! __mmc_poll_for_busy");
    take(&log, "6,4,4,-;mmc1: new high speed SDHC card at address 0001\n");
    assert_null(log.error);
    assert_string_equal(log.mode, "high speed");
    take(&log, "6,5,5,-;mmc1: card 0001 removed\n");
    assert_string_equal(log.mode, "");
    take(&log, "3,6,6,-;mmc1: \033[2Jerror\n"); /* a driver prints what it likes */
    assert_string_equal(log.error, "?[2Jerror");
}

/* An eMMC and a slot, as the inventory has them. */
static struct inventory make_inventory(void)
{
    struct inventory inventory = {mem_new(2, sizeof(struct device)), 2};
    inventory.devices[0] = (struct device){
        .kind = DEVICE_EMMC,
        .id = mem_copy_text("mmcblk2"),
        .sysfs_path = mem_copy_text("/sys/devices/x/mmc_host/mmc2/mmc2:0001/block/mmcblk2"),
        .bus_mode = mem_copy_text("HS400"),
        .bus_source = mem_copy_text("device tree"),
        .bus_width = 8,
        .is_bus_at_most = true};
    inventory.devices[1] =
        (struct device){.kind = DEVICE_SLOT,
                        .id = mem_copy_text("mmc1"),
                        .sysfs_path = mem_copy_text("/sys/devices/y/mmc_host/mmc1")};
    return inventory;
}

static bool take_pairs(struct inventory *inventory, const struct str *pairs)
{
    const struct frame row = {.type = FRAME_ROW, .pairs = pairs->text, .pairs_size = pairs->size};
    return mode_take_row(inventory, &row);
}

static void answers_are_placed_on_their_host(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = make_inventory();
    char **hosts = mode_hosts(&inventory);
    assert_string_equal(hosts[0], "mmc2");
    assert_string_equal(hosts[1], "mmc1");
    assert_null(hosts[2]);
    sysfs_list_free(hosts);
    AUTO(str_done) struct str row = {0};
    str_add_pair(&row, "host", "mmc2");
    str_add_pair(&row, "actual_hz", "49152000");
    str_add_pair(&row, "width", "8");
    str_add_pair(&row, "mode", "DDR52");
    str_add_pair(&row, "source", "debugfs");
    assert_true(take_pairs(&inventory, &row));
    const struct device *emmc = &inventory.devices[0];
    assert_string_equal(emmc->bus_mode, "DDR52");
    assert_string_equal(emmc->bus_source, "debugfs");
    assert_false(emmc->is_bus_at_most);
    assert_true(emmc->ceiling_bps == 98304000.0);
    assert_false(take_pairs(&inventory, &row)); /* nothing new */
    assert_null(inventory.devices[1].bus_mode);
}

static void the_log_leaves_the_width_to_the_board(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = make_inventory();
    AUTO(str_done) struct str row = {0};
    str_add_pair(&row, "host", "mmc2");
    str_add_pair(&row, "mode", "HS200");
    str_add_pair(&row, "source", "kernel log");
    assert_true(take_pairs(&inventory, &row));
    assert_string_equal(inventory.devices[0].bus_source, "kernel log");
    assert_int_equal(inventory.devices[0].bus_width, 8);
    assert_true(inventory.devices[0].ceiling_bps == 200e6);
}

static void a_slot_tells_its_last_error(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = make_inventory();
    AUTO(str_done) struct str row = {0};
    str_add_pair(&row, "host", "mmc1");
    str_add_pair(&row, "kernel_error", "error -110 whilst initialising SD card");
    assert_true(take_pairs(&inventory, &row));
    assert_string_equal(
        inventory.devices[1].why,
        "it has no card the kernel can use (error -110 whilst initialising SD card)");
    assert_null(inventory.devices[0].bus_error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernels_announcements_name_the_mode),
        cmocka_unit_test(the_last_trouble_is_kept_until_a_card_works),
        cmocka_unit_test(answers_are_placed_on_their_host),
        cmocka_unit_test(the_log_leaves_the_width_to_the_board),
        cmocka_unit_test(a_slot_tells_its_last_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
