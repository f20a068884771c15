#include "device/leaf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

static const char stack[] = IODYNO_SYSROOTS "/f15-stack";

/* The base names of an array, which is freed, joined by blanks. */
static char *joined(char **folders)
{
    struct str names = {0};
    str_add(&names, "");
    for (char **folder = folders; *folder; folder++)
        str_addf(&names, "%s%s", folder == folders ? "" : " ", sysfs_base(*folder));
    leaf_free(folders);
    return str_take(&names);
}

static void assert_leaves(const char *root, unsigned major, unsigned minor, const char *expected)
{
    char **folders = NULL;
    assert_int_equal(leaf_of_number(root, major, minor, &folders), 0);
    AUTO_FREE char *names = joined(folders);
    assert_string_equal(names, expected);
}

static void partitions_and_stacks_lead_to_disks(void **state)
{
    (void)state;
    assert_leaves(stack, 179, 0, "mmcblk0");
    assert_leaves(stack, 179, 4, "mmcblk0");
    assert_leaves(stack, 253, 3, "mmcblk0"); /* dm-3 on dm-2 on a partition */
    assert_leaves(stack, 253, 1, "mmcblk0"); /* two ways to one disk */
    assert_leaves(IODYNO_SYSROOTS "/f14-ufs", 259, 3, "sde");
}

static void a_loop_device_is_a_leaf(void **state)
{
    (void)state;
    assert_leaves(IODYNO_SYSROOTS "/vm-x86", 7, 3, "loop3");
}

static void unknown_numbers_have_none(void **state)
{
    (void)state;
    char **folders = NULL;
    assert_int_equal(leaf_of_number(stack, 8, 99, &folders), -ENOENT);
    assert_null(folders);
}

static void assert_mount(const struct mount_table *table, const char *point, const char *members,
                         const char *leaves)
{
    const struct mount_entry *entry = mount_by_point(table, point);
    char **folders = NULL;
    assert_non_null(entry);
    assert_int_equal(leaf_members(stack, entry, &folders), 0);
    AUTO_FREE char *member_names = joined(folders);
    assert_string_equal(member_names, members);
    assert_int_equal(leaf_of_mount(stack, table, entry, &folders), 0);
    AUTO_FREE char *leaf_names = joined(folders);
    assert_string_equal(leaf_names, leaves);
}

static void mounts_lead_to_what_they_stand_on(void **state)
{
    (void)state;
    AUTO(mount_table_done) struct mount_table table = {0};
    assert_int_equal(mount_read(stack, &table), 0);
    assert_mount(&table, "/home", "dm-3", "mmcblk0");
    assert_mount(&table, "/", "", "mmcblk0"); /* overlay: by way of /home */
    assert_mount(&table, "/data", "sda sdb", "sda sdb");
    assert_mount(&table, "/far", "", "");
    assert_mount(&table, "/lost", "", ""); /* relative upper folder */
    assert_mount(&table, "/run", "", "");
}

static void btrfs_is_found_by_source_or_alone(void **state)
{
    (void)state;
    char filesystem[] = "btrfs", mapped[] = "/dev/mapper/other", boot[] = "/dev/root";
    struct mount_entry entry = {.filesystem = filesystem, .source = boot};
    char **folders = NULL;
    /* The tree has one btrfs, so any name leads to it … */
    assert_int_equal(leaf_members(stack, &entry, &folders), 0);
    AUTO_FREE char *alone = joined(folders);
    assert_string_equal(alone, "sda sdb");
    /* … and one without any has nothing to offer. */
    entry.source = mapped;
    assert_int_equal(leaf_members(IODYNO_SYSROOTS "/nvme", &entry, &folders), 0);
    AUTO_FREE char *none = joined(folders);
    assert_string_equal(none, "");
}

static void pulled_disks_leave_mounts_behind(void **state)
{
    (void)state;
    char filesystem[] = "ext4", source[] = "/dev/sdz1";
    struct mount_entry entry = {
        .major = 65, .minor = 145, .filesystem = filesystem, .source = source};
    char **folders = NULL;
    assert_int_equal(leaf_members(stack, &entry, &folders), 0);
    AUTO_FREE char *none = joined(folders);
    assert_string_equal(none, "");
}

/* Eight storeys of sixteen devices, each standing on all of the next: 16^8 ways down. */
static void a_maze_of_slaves_is_left_soon(void **state)
{
    char root[] = "/tmp/iodyno-maze-XXXXXX";
    AUTO(str_done) struct str script = {0};
    char **folders = NULL;
    (void)state;
    assert_non_null(mkdtemp(root));
    str_addf(&script,
             "set -e; cd %s; mkdir -p sys/dev/block sys/devices/b; for s in 0 1 2 3 4 5 6 7; do "
             "for w in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do d=sys/devices/b/m$s$w; "
             "mkdir -p $d/slaves; echo 9:$s$w >$d/dev; if [ $s != 7 ]; then "
             "for v in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do "
             "ln -s ../../m$((s + 1))$v $d/slaves/m$((s + 1))$v; done; fi; done; done; "
             "ln -s ../../devices/b/m00 sys/dev/block/9:0",
             root);
    assert_int_equal(system(script.text), 0);
    assert_int_equal(leaf_of_number(root, 9, 0, &folders), -ELOOP);
    assert_null(folders);
    str_clear(&script);
    str_addf(&script, "rm -r %s", root);
    assert_int_equal(system(script.text), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_and_stacks_lead_to_disks),
        cmocka_unit_test(a_loop_device_is_a_leaf),
        cmocka_unit_test(unknown_numbers_have_none),
        cmocka_unit_test(mounts_lead_to_what_they_stand_on),
        cmocka_unit_test(btrfs_is_found_by_source_or_alone),
        cmocka_unit_test(pulled_disks_leave_mounts_behind),
        cmocka_unit_test(a_maze_of_slaves_is_left_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
