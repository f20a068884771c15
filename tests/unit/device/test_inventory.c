#include "device/inventory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static struct inventory scan(const char *tree)
{
    AUTO(str_done) struct str root = {0};
    struct inventory inventory;
    str_addf(&root, "%s/%s", IODYNO_SYSROOTS, tree);
    assert_int_equal(inventory_scan(root.text, &inventory), 0);
    return inventory;
}

/* "id kind [mounts …]" of each device, joined by "; ": the whole list at one look. */
static void assert_listed(const struct inventory *inventory, const char *expected)
{
    AUTO(str_done) struct str text = {0};
    for (size_t i = 0; i < inventory->count; i++) {
        const struct device *device = &inventory->devices[i];
        str_addf(&text, "%s%s %s%s", i ? "; " : "", device->id, device_kind_name(device->kind),
                 device->is_root ? " root" : "");
        for (char **mount = device->mounts; mount && *mount; mount++)
            str_addf(&text, " %s", *mount);
    }
    assert_string_equal(str_text(&text), expected);
}

static const struct device *need(const struct inventory *inventory, const char *id)
{
    const struct device *device = inventory_find(inventory, id);
    if (!device)
        fail_msg("%s is not in the list", id);
    return device;
}

static void rzg1e_shows_one_emmc(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("f5-rzg1e");
    assert_listed(&inventory, "mmcblk0 emmc root; mmcblk0p1 partition root /; dram dram");
    const struct device *disk = need(&inventory, "mmcblk0");
    assert_string_equal(disk->name, "eMMC");
    assert_true(disk->size_bytes == 7634944ull * 1024);
    assert_true(disk->is_testable); /* by its mounted partition */
    assert_null(disk->why);
    const struct device *dram = need(&inventory, "dram");
    assert_true(dram->size_bytes == 1025536ull * 1024);
    assert_true(dram->is_testable && dram->has_medium);
}

static void the_whole_list_tells_why_not(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = {0};
    assert_int_equal(inventory_scan_all(IODYNO_SYSROOTS "/f5-rzg1e", &inventory), 0);
    assert_int_equal(inventory.count, 8);
    assert_string_equal(need(&inventory, "mmcblk0boot0")->why, "it is a hardware area of an eMMC");
    assert_string_equal(need(&inventory, "mtdblock1")->why,
                        "it is raw flash without a file system");
    assert_false(need(&inventory, "mmcblk0boot0")->is_testable);
}

static void emmc_stands_before_sd_whatever_its_number(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("f1-allwinner");
    assert_listed(&inventory, "mmcblk1 emmc; mmcblk1p1 partition /media/my card\\x; "
                              "mmcblk1p2 partition /srv /mnt/emmc /b; mmcblk1p10 partition; "
                              "mmcblk0 sd root; mmcblk0p1 partition root /; dram dram");
    assert_string_equal(need(&inventory, "mmcblk1p1")->filesystem, "vfat");
    assert_true(need(&inventory, "mmcblk1p1")->is_mount_read_only);
    assert_string_equal(need(&inventory, "mmcblk1p1")->why,
                        "its file system at /media/my card\\x is mounted read-only");
    assert_string_equal(need(&inventory, "mmcblk1p10")->why,
                        "it has no mounted file system: mount it, or name a folder");
}

static void ufs_is_not_usb_and_ram_is_hidden(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("f14-ufs");
    assert_listed(&inventory,
                  "sda ufs; sda21 partition /data; sdb ufs; sdc ufs; sdd ufs; sde ufs root; "
                  "sde16 partition; sde17 partition; sde21 partition root /; zram0 zram; "
                  "dram dram");
    assert_string_equal(need(&inventory, "sda")->name, "SAMSUNG KLUDG4U1EA-B0C1");
    assert_string_equal(need(&inventory, "sda21")->name, "userdata");
    assert_false(need(&inventory, "sde21")->is_testable);
}

static void a_disk_without_partitions_may_be_mounted(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("vm-x86");
    /* The bind of one file stands last; what tmpfs covers at /mnt/covered is not offered. */
    assert_listed(&inventory, "vda virtio root / /mnt/again /etc/hosts; loop3 loop; "
                              "loop4 loop /snap/core; zram1 zram; dram dram");
    assert_true(need(&inventory, "vda")->is_testable);
    assert_false(need(&inventory, "loop3")->is_testable);
    assert_string_equal(need(&inventory, "loop4")->why, "it is read-only");
}

static void empty_and_locked_media_are_named(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("usb-reader");
    assert_listed(&inventory, "sda usb; sdb usb; sdc usb root; sdc1 partition root /; sdd usb; "
                              "sdd1 partition; dram dram");
    assert_string_equal(need(&inventory, "sda")->why, "it has no medium");
    assert_false(need(&inventory, "sda")->has_medium);
    assert_string_equal(need(&inventory, "sdd")->why, "it is write-protected");
    assert_string_equal(need(&inventory, "sdd1")->why, "it is write-protected");
    assert_string_equal(need(&inventory, "sdc")->name, "CT240BX500SSD1");
}

static void nvme_stands_before_sata(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("nvme");
    assert_listed(&inventory, "nvme0n1 nvme root; nvme0n1p1 partition /boot/efi; "
                              "nvme0n1p2 partition root /; sda sata; dram dram");
}

static void stacks_mark_the_disk_that_holds_root(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("f15-stack");
    /* "/" is an overlay written to /home on dm-3 on dm-2 on the eMMC. */
    assert_listed(&inventory,
                  "mmcblk0 emmc root; mmcblk0p1 partition; mmcblk0p2 partition; "
                  "mmcblk0p3 partition; mmcblk0p4 partition; sda sata /data; sdb sata /data; "
                  "dm-0 dm; dm-1 dm /ro; dm-2 dm; dm-3 dm root /home; dram dram");
    assert_string_equal(need(&inventory, "sdb")->filesystem, "btrfs");
}

static void the_mounted_place_is_chosen(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = scan("f1-allwinner");
    AUTO(str_done) struct str why = {0};
    const struct device *emmc = need(&inventory, "mmcblk1");
    /* p1 is mounted read-only and p10 is not mounted. */
    assert_string_equal(inventory_mounted(&inventory, emmc, &why)->id, "mmcblk1p2");
    assert_string_equal(str_text(&why), "");
    const struct device *part = need(&inventory, "mmcblk0p1");
    assert_ptr_equal(inventory_mounted(&inventory, part, &why), part);
    assert_null(inventory_mounted(&inventory, need(&inventory, "mmcblk1p10"), &why));
    assert_string_equal(why.text, "it has no mounted file system: mount it, or name a folder");
    assert_null(inventory_mounted(&inventory, need(&inventory, "dram"), &why));
    assert_string_equal(why.text, "it is no disk");
}

static void a_tree_without_sysfs_is_an_error(void **state)
{
    (void)state;
    struct inventory inventory;
    assert_int_equal(inventory_scan("/nonexistent", &inventory), -ENOENT);
}

static void this_machine_can_be_read(void **state)
{
    (void)state;
    AUTO(inventory_done) struct inventory inventory = {0};
    assert_int_equal(inventory_scan("", &inventory), 0);
    assert_non_null(inventory_find(&inventory, "dram"));
    assert_null(inventory_find(&inventory, "no such device"));
    assert_null(inventory_find(&inventory, NULL));
    for (size_t i = 0; i < inventory.count; i++)
        assert_int_equal(inventory.devices[i].is_testable, inventory.devices[i].why == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rzg1e_shows_one_emmc),
        cmocka_unit_test(the_whole_list_tells_why_not),
        cmocka_unit_test(emmc_stands_before_sd_whatever_its_number),
        cmocka_unit_test(ufs_is_not_usb_and_ram_is_hidden),
        cmocka_unit_test(a_disk_without_partitions_may_be_mounted),
        cmocka_unit_test(empty_and_locked_media_are_named),
        cmocka_unit_test(nvme_stands_before_sata),
        cmocka_unit_test(stacks_mark_the_disk_that_holds_root),
        cmocka_unit_test(the_mounted_place_is_chosen),
        cmocka_unit_test(a_tree_without_sysfs_is_an_error),
        cmocka_unit_test(this_machine_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
