#include "device/part.h"

#include <errno.h>
#include <fcntl.h>
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
#include "device/folder.h"

static struct {
    char path[64];
    struct folder folder;
} made;

static void write_text(const char *name, const char *text)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", made.path, name);
    AUTO_FCLOSE FILE *file = fopen(path.text, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
}

static int make(void **state)
{
    (void)state;
    (void)snprintf(made.path, sizeof made.path, "/tmp/iodyno-part-XXXXXX");
    if (!mkdtemp(made.path) || folder_open(made.path, &made.folder) < 0)
        return -1;
    return mkdirat(made.folder.fd, "sda7", 0700);
}

static int unmake(void **state)
{
    static const char *const names[] = {"uevent", "dev", "size", "start", "ro", "partition"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(str_done) struct str path = {0};
        str_addf(&path, "sda7/%s", names[i]);
        (void)unlinkat(made.folder.fd, path.text, 0);
    }
    (void)unlinkat(made.folder.fd, "sda7", AT_REMOVEDIR);
    folder_close(&made.folder);
    return rmdir(made.path);
}

static struct device of_disk(void)
{
    return (struct device){.kind = DEVICE_SATA,
                           .id = mem_copy_text("sda"),
                           .sysfs_path = mem_copy_text(made.path),
                           .stat_path = mem_copy_text("/stat"),
                           .logical_block = 4096};
}

static void four_texts_tell_all(void **state)
{
    (void)state;
    AUTO(device_done) struct device disk = of_disk(), part = {0};
    write_text("sda7/uevent", "MAJOR=259\nMINOR=7\nDEVNAME=sda7\nDEVTYPE=partition\nPARTN=7\n"
                              "PARTNAME=a\x1b[2Jb=c\n");
    write_text("sda7/size", "2048\n");
    write_text("sda7/start", "8192\n");
    write_text("sda7/ro", "1\n");
    unsigned long before = folder_opened();
    assert_int_equal(part_read(&made.folder, "sda7", &disk, &part), 0);
    assert_int_equal(folder_opened() - before, 4);
    assert_string_equal(part.id, "sda7");
    assert_string_equal(part.name, "a?[2Jb=c");
    assert_string_equal(part.parent, "sda");
    assert_int_equal(part.major, 259);
    assert_int_equal(part.minor, 7);
    assert_true(part.size_bytes == 2048ull * 512 && part.start_bytes == 8192ull * 512);
    assert_true(part.is_read_only && part.has_medium && !part.is_write_protected);
    assert_int_equal(part.logical_block, 4096);
    assert_true(str_ends(part.sysfs_path, "/sda7"));
}

static void an_old_tree_has_no_uevent(void **state)
{
    (void)state;
    AUTO(device_done) struct device disk = of_disk(), part = {0};
    write_text("sda7/partition", "7\n");
    assert_int_equal(part_read(&made.folder, "sda7", &disk, &part), -ENODEV);
    write_text("sda7/dev", "8:7\n");
    assert_int_equal(part_read(&made.folder, "sda7", &disk, &part), 0);
    assert_int_equal(part.major, 8);
    assert_int_equal(part.minor, 7);
    assert_null(part.name);
    assert_false(part.has_medium); /* nothing tells its size */
}

static void what_is_no_partition_is_refused(void **state)
{
    (void)state;
    AUTO(device_done) struct device disk = of_disk(), part = {0};
    write_text("sda7/uevent", "MAJOR=8\nMINOR=7\nDEVTYPE=partitioned\n");
    assert_int_equal(part_read(&made.folder, "sda7", &disk, &part), -ENODEV);
    assert_int_equal(part_read(&made.folder, "sda8", &disk, &part), -ENODEV);
    static const char *const numbers[] = {"",     "8",    "8:", ":7", "8:7:", "4294967296:0",
                                          "-8:7", "8:0x7"};
    write_text("sda7/partition", "7\n");
    write_text("sda7/uevent", "MAJOR=\nMINOR=7\n");
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        write_text("sda7/dev", numbers[i]);
        assert_int_equal(part_read(&made.folder, "sda7", &disk, &part), -ENODEV);
    }
    assert_null(part.id);
}

static void sizes_beyond_the_bound_are_unknown(void **state)
{
    (void)state;
    write_text("sda7/size", "36028797018963967\n"); /* the most whose bytes fit */
    assert_true(part_sectors(&made.folder, "sda7/size") == 36028797018963967ull * 512);
    write_text("sda7/size", "36028797018963968\n");
    assert_true(part_sectors(&made.folder, "sda7/size") == 0);
}

#define MADE_TEST(fn) cmocka_unit_test_setup_teardown(fn, make, unmake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MADE_TEST(four_texts_tell_all),
        MADE_TEST(an_old_tree_has_no_uevent),
        MADE_TEST(what_is_no_partition_is_refused),
        MADE_TEST(sizes_beyond_the_bound_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
