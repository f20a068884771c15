/* kmsg: records as the kernel gives them, and whose they are. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/kmsg.h"

static void test_records(void **state)
{
    static const char record[] =
        "3,1045,5140900,-;mmc1: error -110 whilst\x1b[2J\n SUBSYSTEM=mmc\n";
    AUTO(str_done) struct str text = {0};
    unsigned level = 9;
    (void)state;
    assert_int_equal(kmsg_parse(record, sizeof record - 1, &level, &text), 0);
    assert_int_equal(level, 3);
    assert_string_equal(text.text, "mmc1: error -110 whilst?[2J");
    str_clear(&text);
    assert_int_equal(kmsg_parse("30,1,2,-;user", 13, &level, &text), 0); /* facility 3, level 6 */
    assert_int_equal(level, 6);
    static const char *const bad[] = {"", ";", "x,1;a", "4;a", "4,1,2,-", "9999999,1;a", "4"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(kmsg_parse(bad[i], strlen(bad[i]), &level, &text), -EINVAL);
    assert_int_equal(level, 6);
}

static void test_names(void **state)
{
    static const struct {
        const char *text, *name;
        bool is_named;
    } cases[] = {
        {"mmcblk0: error -110 sending status command", "mmcblk0", true},
        {"I/O error, dev mmcblk0, sector 12", "mmcblk0", true},
        {"EXT4-fs error (device mmcblk0p12): ext4_find", "mmcblk0", true},
        {"Buffer I/O error on dev sda1, logical block 0", "sda", true},
        {"blk_update_request: I/O error, dev sda, sector 0", "sda", true},
        {"sd 0:0:0:0: [sda] Attached SCSI disk", "sda", true},
        {"mmc1: Timeout waiting for hardware interrupt.", "mmc1", true},
        {"mmc1: error; mmc12: fine", "mmc12", true},
        {"mmcblk0boot0: error", "mmcblk0", false},
        {"mmcblk01: error", "mmcblk0", false},
        {"mmcblk0px: error", "mmcblk0", false},
        {"I/O error, dev sdaa, sector 0", "sda", false},
        {"I/O error, dev xsda, sector 0", "sda", false},
        {"mmc12: error", "mmc1", false},
        {"anything", "", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (kmsg_names(cases[i].text, cases[i].name) != cases[i].is_named)
            fail_msg("\"%s\" and %s", cases[i].text, cases[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
