#include "device/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char f5[] = IODYNO_SYSROOTS "/f5-rzg1e";

static void natural_order_counts_digits(void **state)
{
    (void)state;
    assert_true(sysfs_natural("sda2", "sda10") < 0);
    assert_true(sysfs_natural("mmcblk0p10", "mmcblk0p9") > 0);
    assert_true(sysfs_natural("sda", "sda1") < 0);
    assert_true(sysfs_natural("sdb", "sda1") > 0);
    assert_int_equal(sysfs_natural("loop7", "loop7"), 0);
    assert_int_equal(sysfs_natural("a007", "a7"), 0);
}

static void links_are_resolved_within_the_root(void **state)
{
    (void)state;
    AUTO_FREE char *path = NULL;
    assert_int_equal(sysfs_resolve(f5, "/sys/class/block/mmcblk0p1", &path), 0);
    assert_true(str_starts(path, f5));
    assert_true(str_ends(path, "/mmc0:0001/block/mmcblk0/mmcblk0p1"));
    assert_string_equal(sysfs_base(path), "mmcblk0p1");
}

static void what_leads_out_of_a_tree_is_refused(void **state)
{
    (void)state;
    char root[] = "/tmp/iodyno-sysfs-XXXXXX";
    assert_non_null(mkdtemp(root));
    AUTO(str_done) struct str link = {0}, pipe_path = {0}, text = {0};
    str_addf(&link, "%s/out", root);
    str_addf(&pipe_path, "%s/pipe", root);
    assert_int_equal(symlink("/proc/self", link.text), 0);
    assert_int_equal(mkfifo(pipe_path.text, 0600), 0);
    AUTO_FREE char *path = NULL;
    int out = sysfs_resolve(root, "/out", &path), gone = sysfs_resolve(root, "/none", &path);
    int waits = sysfs_text(root, "pipe", &text), linked = sysfs_text(root, "out", &text);
    (void)unlink(link.text);
    (void)unlink(pipe_path.text);
    (void)rmdir(root);
    assert_int_equal(out, -EXDEV);
    assert_int_equal(gone, -ENOENT);
    assert_int_equal(waits, -EINVAL);
    assert_int_equal(linked, -EINVAL);
    assert_null(path);
}

static void text_is_trimmed_and_cleaned(void **state)
{
    (void)state;
    AUTO_FREE char *card = NULL;
    assert_int_equal(sysfs_resolve(f5, "/sys/class/block/mmcblk0/device", &card), 0);
    AUTO_FREE char *name = sysfs_label(card, "name");
    assert_string_equal(name, "eMMC"); /* padded in the file */
    assert_null(sysfs_label(card, "absent"));
    uint64_t value = 7;
    assert_int_equal(sysfs_number(card, "name", &value), -EINVAL);
    assert_int_equal(value, 7);
    assert_int_equal(sysfs_number(card, "block/mmcblk0/size", &value), 0);
    assert_int_equal(value, 15269888);
}

static void above_climbs_to_the_nearest_holder(void **state)
{
    (void)state;
    AUTO_FREE char *part = NULL;
    assert_int_equal(sysfs_resolve(f5, "/sys/class/block/mmcblk0p1", &part), 0);
    AUTO_FREE char *card = sysfs_above(part, "oemid"), *own = sysfs_above(part, "partition");
    assert_true(str_ends(card, "/mmc0:0001"));
    assert_string_equal(own, part);
    assert_null(sysfs_above(part, "idVendor"));
    assert_null(sysfs_above("/tmp", "x"));
}

static void a_folder_is_listed_in_order(void **state)
{
    (void)state;
    AUTO_FREE char *class = NULL;
    char **names = NULL;
    assert_int_equal(sysfs_resolve(f5, "/sys/class/block", &class), 0);
    assert_int_equal(sysfs_list(class, &names), 0);
    static const char *const expected[] = {"mmcblk0",   "mmcblk0boot0", "mmcblk0boot1", "mmcblk0p1",
                                           "mtdblock0", "mtdblock1",    "mtdblock2"};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        assert_string_equal(names[i], expected[i]);
    assert_null(names[ARRAY_SIZE(expected)]);
    assert_null(sysfs_list_free(names));
    assert_int_equal(sysfs_list("/nonexistent", &names), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(natural_order_counts_digits),
        cmocka_unit_test(links_are_resolved_within_the_root),
        cmocka_unit_test(what_leads_out_of_a_tree_is_refused),
        cmocka_unit_test(text_is_trimmed_and_cleaned),
        cmocka_unit_test(above_climbs_to_the_nearest_holder),
        cmocka_unit_test(a_folder_is_listed_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
