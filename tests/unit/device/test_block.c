#include "device/block.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

static struct device read_block(const char *tree, const char *name)
{
    AUTO(str_done) struct str root = {0}, path = {0};
    AUTO_FREE char *folder = NULL;
    struct device device;
    str_addf(&root, "%s/%s", IODYNO_SYSROOTS, tree);
    str_addf(&path, "/sys/class/block/%s", name);
    assert_int_equal(sysfs_resolve(root.text, path.text, &folder), 0);
    assert_int_equal(block_read(root.text, folder, &device), 0);
    return device;
}

static void kinds_follow_the_evidence(void **state)
{
    (void)state;
    static const struct {
        const char *tree, *name;
        enum device_kind kind;
    } rows[] = {
        {"f1-allwinner", "mmcblk0", DEVICE_SD},
        {"f1-allwinner", "mmcblk1", DEVICE_EMMC},
        {"f1-allwinner", "mmcblk1p10", DEVICE_PARTITION},
        {"f5-rzg1e", "mmcblk0", DEVICE_EMMC},
        {"f5-rzg1e", "mtdblock0", DEVICE_MTD},
        {"f14-ufs", "sda", DEVICE_UFS},
        {"f14-ufs", "sde16", DEVICE_PARTITION},
        {"f14-ufs", "ram0", DEVICE_DISK},
        {"usb-reader", "sdb", DEVICE_USB},
        {"nvme", "nvme0n1", DEVICE_NVME},
        {"nvme", "sda", DEVICE_SATA},
        {"vm-x86", "vda", DEVICE_VIRTIO},
        {"vm-x86", "loop3", DEVICE_LOOP},
        {"vm-x86", "zram1", DEVICE_ZRAM},
        {"vm-x86", "nbd0", DEVICE_DISK},
        {"f15-stack", "dm-3", DEVICE_DM},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AUTO(device_done) struct device device = read_block(rows[i].tree, rows[i].name);
        assert_string_equal(device.id, rows[i].name);
        assert_string_equal(device_kind_name(device.kind), device_kind_name(rows[i].kind));
    }
}

static void cards_tell_who_they_are(void **state)
{
    (void)state;
    AUTO(device_done) struct device card = read_block("f1-allwinner", "mmcblk0");
    assert_string_equal(card.name, "SD16G");
    assert_string_equal(card.serial, "0x11111111");
    assert_string_equal(card.cid, "2750485344313647301111111100fb01");
    assert_true(card.size_bytes == 30318592ull * 512);
    assert_int_equal(card.major, 179);
    assert_int_equal(card.minor, 0);
    assert_int_equal(card.logical_block, 512);
    assert_true(card.has_medium);
    assert_false(card.is_read_only);
    assert_null(card.bus_mode); /* debugfs is the probe's */
    assert_true(str_ends(card.stat_path, "/block/mmcblk0/stat"));
}

static void control_bytes_never_reach_a_person(void **state)
{
    (void)state;
    AUTO(device_done) struct device card = read_block("cid-control", "mmcblk0");
    assert_string_equal(card.name, "?[2J?");
    assert_string_equal(card.cid, "0353441b5b324a078000000001013301");
}

static void partitions_borrow_from_their_disk(void **state)
{
    (void)state;
    AUTO(device_done) struct device part = read_block("f14-ufs", "sde16");
    assert_string_equal(part.parent, "sde");
    assert_string_equal(part.name, "0:RPM_1");
    assert_int_equal(part.logical_block, 4096);
    assert_int_equal(part.major, 259);
    assert_true(str_ends(part.stat_path, "/block/sde/stat"));
    AUTO(device_done) struct device locked = read_block("usb-reader", "sdd1");
    assert_true(locked.is_read_only); /* its disk is */
}

static void an_empty_reader_has_no_medium(void **state)
{
    (void)state;
    AUTO(device_done) struct device lun = read_block("usb-reader", "sdb");
    assert_false(lun.has_medium);
    assert_true(lun.size_bytes == 0);
    assert_string_equal(lun.name, "Generic-Micro SD/M2");
    assert_null(block_hidden_why(&lun));
}

static void nvme_tells_its_link(void **state)
{
    (void)state;
    AUTO(device_done) struct device disk = read_block("nvme", "nvme0n1");
    assert_string_equal(disk.name, "Samsung SSD 970 EVO Plus 500GB");
    assert_string_equal(disk.serial, "S4EVNX0M000000");
    assert_string_equal(disk.bus_mode, "PCIe 8.0 GT/s");
    assert_int_equal(disk.bus_width, 4);
    assert_true(disk.ceiling_bps > 3.93e9 && disk.ceiling_bps < 3.95e9);
}

static void virtual_disks_are_named_by_what_they_map(void **state)
{
    (void)state;
    AUTO(device_done) struct device mapped = read_block("f15-stack", "dm-3");
    assert_string_equal(mapped.name, "home");
    assert_true(str_ends(mapped.stat_path, "/block/mmcblk0/stat"));
    AUTO(device_done) struct device loop = read_block("vm-x86", "loop3");
    assert_string_equal(loop.name, "/srv/disk.img");
    AUTO(device_done) struct device vda = read_block("vm-x86", "vda");
    assert_null(vda.name); /* its `vendor` is a number */
}

static void what_cannot_be_a_target_is_hidden(void **state)
{
    (void)state;
    static const struct {
        const char *tree, *name;
        bool is_hidden;
    } rows[] = {
        {"f5-rzg1e", "mmcblk0", false},
        {"f5-rzg1e", "mmcblk0boot0", true},
        {"f5-rzg1e", "mmcblk0boot1", true},
        {"f5-rzg1e", "mtdblock2", true},
        {"f14-ufs", "ram1", true},
        {"f14-ufs", "zram0", false},
        {"vm-x86", "loop0", true},
        {"vm-x86", "loop3", false},
        {"vm-x86", "loop5", true},
        {"vm-x86", "zram0", true},
        {"vm-x86", "nbd0", true},
        {"nvme", "nvme0c1n1", true},
        {"nvme", "sr0", true},
        {"usb-reader", "sda", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AUTO(device_done) struct device device = read_block(rows[i].tree, rows[i].name);
        assert_int_equal(block_hidden_why(&device) != NULL, rows[i].is_hidden);
    }
}

static void other_folders_are_no_block_devices(void **state)
{
    (void)state;
    struct device device;
    assert_int_equal(block_read("", "/sys/devices/system/cpu", &device), -ENODEV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_follow_the_evidence),
        cmocka_unit_test(cards_tell_who_they_are),
        cmocka_unit_test(control_bytes_never_reach_a_person),
        cmocka_unit_test(partitions_borrow_from_their_disk),
        cmocka_unit_test(an_empty_reader_has_no_medium),
        cmocka_unit_test(nvme_tells_its_link),
        cmocka_unit_test(virtual_disks_are_named_by_what_they_map),
        cmocka_unit_test(what_cannot_be_a_target_is_hidden),
        cmocka_unit_test(other_folders_are_no_block_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
