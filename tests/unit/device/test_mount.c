#include "device/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static struct mount_table parse(const char *text)
{
    struct mount_table table;
    assert_int_equal(mount_parse(text, strlen(text), &table), 0);
    return table;
}

static void any_number_of_optional_fields(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table = parse("36 35 98:0 /a /m rw,noatime - ext3 /dev/root rw,errors=x\n"
                                     "37 35 8:17 / /n ro master:1 shared:2 - vfat /dev/sdb1 rw\n"
                                     "38 35 0:5 / /t rw - tmpfs  rw,size=1k");
    assert_int_equal(table.count, 3);
    const struct mount_entry *entry = &table.entries[0];
    assert_int_equal(entry->id, 36);
    assert_int_equal(entry->major, 98);
    assert_int_equal(entry->minor, 0);
    assert_string_equal(entry->root, "/a");
    assert_string_equal(entry->point, "/m");
    assert_string_equal(entry->filesystem, "ext3");
    assert_string_equal(entry->source, "/dev/root");
    assert_false(entry->is_read_only);
    assert_true(table.entries[1].is_read_only);
    assert_string_equal(table.entries[2].source, ""); /* two blanks in a row */
    assert_string_equal(table.entries[2].super_options, "rw,size=1k");
}

static void read_only_by_mount_or_superblock(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table = parse("1 0 8:1 / /a rw - ext4 x ro,errors=remount-ro\n"
                                     "2 0 8:2 / /b ro - ext4 x rw\n"
                                     "3 0 8:3 / /c rw,norelatime - ext4 x rw,root=1,errors=ro\n");
    assert_true(table.entries[0].is_read_only);
    assert_true(table.entries[1].is_read_only);
    assert_false(table.entries[2].is_read_only);
}

static void octal_escapes_are_decoded(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table = parse("1 0 8:1 / /a\\040b#c\\134d rw - ext4 x rw\n"
                                     "2 0 8:1 / /tab\\011\\012 rw - ext4 x rw\n"
                                     "3 0 8:1 / /x\\04 rw - ext4 x rw\n"
                                     "4 0 8:1 / /y\\000z\\777\\08 rw - ext4 x rw\n");
    assert_string_equal(table.entries[0].point, "/a b#c\\d");
    assert_string_equal(table.entries[1].point, "/tab\t\n");
    assert_string_equal(table.entries[2].point, "/x\\04"); /* cut short: as written */
    assert_string_equal(table.entries[3].point, "/y\\000z\\777\\08");
}

static void bad_lines_are_skipped(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table = parse("\n"
                                     "no line\n"
                                     "1 0 8:1 / /no-dash rw ext4 x rw\n"
                                     "2 0 81 / /no-colon rw - ext4 x rw\n"
                                     "3 0 8:99999999999 / /big rw - ext4 x rw\n"
                                     "-4 0 8:1 / /negative rw - ext4 x rw\n"
                                     "5 0 8:1 / relative rw - ext4 x rw\n"
                                     "6 0 8:1 / /short rw - ext4\n"
                                     "7 0 8:1 / /good rw - ext4 x rw\n");
    assert_int_equal(table.count, 1);
    assert_string_equal(table.entries[0].point, "/good");
    struct mount_table empty;
    assert_int_equal(mount_parse("", 0, &empty), 0);
    assert_int_equal(empty.count, 0);
    static const char hole[] = "1 0 8:1 / /a\0b rw - ext4 x rw";
    assert_int_equal(mount_parse(hole, sizeof hole - 1, &empty), 0);
    assert_int_equal(empty.count, 0);
    mount_table_done(&empty);
}

static void look_ups_take_the_topmost(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table = parse("1 0 8:1 / / rw - ext4 x rw\n"
                                     "2 1 8:2 / /media rw - ext4 x rw\n"
                                     "3 2 8:3 / /media/card rw - ext4 x rw\n"
                                     "4 2 8:4 / /media/card rw - vfat x rw\n");
    assert_int_equal(mount_by_point(&table, "/media/card")->id, 4);
    assert_null(mount_by_point(&table, "/none"));
    assert_int_equal(mount_by_id(&table, 3)->minor, 3);
    assert_null(mount_by_id(&table, 9));
    assert_int_equal(mount_by_path(&table, "/media/card/deep/file")->id, 4);
    assert_int_equal(mount_by_path(&table, "/media/cards")->id, 2);
    assert_int_equal(mount_by_path(&table, "/mediax")->id, 1);
    assert_int_equal(mount_by_path(&table, "/")->id, 1);
    assert_null(mount_by_path(&table, "relative"));
}

static void overlay_leads_to_its_upper_folder(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table =
        parse("1 0 0:40 / / rw - overlay o rw,lowerdir=/r,upperdir=/up\\040per\\054x/u,workdir=/w\n"
              "2 1 8:2 / /up\\040per,x rw - ext4 x rw\n"
              "3 1 0:41 / /lost rw - overlay o rw,lowerdir=/r,upperdir=up/u\n"
              "4 1 0:42 / /ro rw - overlay o ro,lowerdir=/r:/s\n"
              "5 1 0:43 / /self rw - overlay o rw,upperdir=/self/u\n"
              "6 1 0:44 / /twice rw - overlay o rw,upperdir=/u\n");
    assert_int_equal(mount_backing(&table, mount_by_id(&table, 1))->id, 2);
    assert_int_equal(mount_backing(&table, mount_by_id(&table, 2))->id, 2);
    assert_null(mount_backing(&table, mount_by_id(&table, 3)));
    assert_null(mount_backing(&table, mount_by_id(&table, 4)));
    assert_null(mount_backing(&table, mount_by_id(&table, 5)));
    assert_int_equal(mount_backing(&table, mount_by_id(&table, 6))->id, 2); /* by way of "/" */
    AUTO(str_done) struct str value = {0};
    assert_int_equal(mount_option(mount_by_id(&table, 1), "upperdir", &value), 0);
    assert_string_equal(value.text, "/up per,x/u");
    assert_int_equal(mount_option(mount_by_id(&table, 1), "upper", &value), -ENOENT);
}

static void overlays_in_a_circle_end(void **state)
{
    (void)state;
    AUTO(mount_table_done)
    struct mount_table table = parse("1 0 0:40 / /a rw - overlay o rw,upperdir=/b/u\n"
                                     "2 0 0:41 / /b rw - overlay o rw,upperdir=/a/u\n");
    assert_null(mount_backing(&table, &table.entries[0]));
}

static void both_ways_to_the_mount_id_agree(void **state)
{
    (void)state;
    AUTO_CLOSE int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    uint64_t by_statx = 0, by_fdinfo = 1;
    assert_int_equal(mount_id_of(fd, &by_statx), 0);
    assert_int_equal(setenv("IODYNO_NO_STATX", "1", 1), 0);
    assert_int_equal(mount_id_of(fd, &by_fdinfo), 0);
    (void)unsetenv("IODYNO_NO_STATX");
    assert_int_equal(by_statx, by_fdinfo);
    AUTO(mount_table_done) struct mount_table table = {0};
    assert_int_equal(mount_read("", &table), 0);
    assert_string_equal(mount_by_id(&table, by_statx)->filesystem, "proc");
    assert_true(mount_id_of(-1, &by_statx) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_optional_fields),
        cmocka_unit_test(read_only_by_mount_or_superblock),
        cmocka_unit_test(octal_escapes_are_decoded),
        cmocka_unit_test(bad_lines_are_skipped),
        cmocka_unit_test(look_ups_take_the_topmost),
        cmocka_unit_test(overlay_leads_to_its_upper_folder),
        cmocka_unit_test(overlays_in_a_circle_end),
        cmocka_unit_test(both_ways_to_the_mount_id_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
