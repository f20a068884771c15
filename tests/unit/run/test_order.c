/* order: what it says of the device, and what takes a person's word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/order.h"

#define S 1000000000ull

static struct option options[] = {
    {.type = DYNO_SIZE, .key = (char[]){"size"}, .def = (char[]){"8G"}},
    {.type = DYNO_UINT, .key = (char[]){"passes"}},
};
static struct catalog_test write_test = {.id = (char[]){"storage.write"},
                                         .plugin = (char[]){"/p/storage.so"},
                                         .targets = DYNO_BLOCK | DYNO_FOLDER,
                                         .flags = DYNO_WRITES,
                                         .options = options,
                                         .option_count = ARRAY_SIZE(options)};
static char *mounts[] = {(char[]){"/media/card"}, NULL};
static struct device devices[] = {
    {.kind = DEVICE_SD,
     .id = (char[]){"mmcblk1"},
     .sysfs_path = (char[]){"/nonexistent"},
     .identity = (char[]){"0123"},
     .size_bytes = 16000000000,
     .has_medium = true,
     .is_testable = true,
     .bus_mode = (char[]){"high speed"},
     .bus_width = 4,
     .bus_clock_hz = 50000000,
     .ceiling_bps = 25e6,
     .bus_source = (char[]){"debugfs"},
     .card = {.doubt = (char[]){"odd"},
              .claims = {.speed_class = 10, .video = 30, .unit_bytes = 4 << 20}}},
    {.kind = DEVICE_PARTITION,
     .id = (char[]){"mmcblk1p1"},
     .sysfs_path = (char[]){"/nonexistent"},
     .parent = (char[]){"mmcblk1"},
     .size_bytes = 15000000000,
     .has_medium = true,
     .is_testable = true,
     .mounts = mounts,
     .filesystem = (char[]){"vfat"},
     .major = 179,
     .minor = 9,
     .start_bytes = 5 << 20},
};
static struct inventory inventory = {devices, ARRAY_SIZE(devices)};
static struct catalog catalog = {.tests = &write_test, .test_count = 1};
static struct board board;

static int make(const char *const *given, const char *const *confirms, struct str *pairs,
                struct str *why)
{
    const struct order_context context = {&catalog, &inventory, &board, NULL};
    const struct order_wish wish = {.test = "storage.write",
                                    .target = "mmcblk1p1",
                                    .options = given,
                                    .confirms = confirms,
                                    .report_ns = S,
                                    .tick_most_ns = S};
    struct frame order;
    return (int)order_make(&context, &wish, pairs, &order, why);
}

static void test_the_device_is_told(void **state)
{
    static const char *const told[][2] = {
        {"target.kind", "block"},
        {"target.device", "sd"},
        {"target.identity", "0123"},
        {"target.size_bytes", "15000000000"},
        {"target.disk_bytes", "16000000000"},
        {"target.number", "179:9"},
        {"target.filesystem", "vfat"},
        {"target.mode", "high speed"},
        {"target.clock_hz", "50000000"},
        {"target.ceiling", "25000000"},
        {"target.ceiling_source", "debugfs"},
        {"target.claim.speed_class", "10"},
        {"target.claim.video", "30"},
        {"target.doubt", "odd"},
        {"target.misaligned", "starts 1.0 MiB into an allocation unit of 4.0 MiB"},
        {"target.capable", "50000000"},
        {"target.capable_source", "SDR50, 4 bit, by its mark V30,"},
    };
    AUTO(str_done) struct str pairs = {0}, why = {0};
    (void)state;
    assert_int_equal(make(NULL, NULL, &pairs, &why), ORDER_OK);
    struct frame frame = {.pairs = pairs.text, .pairs_size = pairs.size};
    for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
        const char *value = frame_pair(&frame, told[i][0]);
        if (!value || strcmp(value, told[i][1]) != 0)
            fail_msg("%s is %s, not %s", told[i][0], value ? value : "absent", told[i][1]);
    }
    assert_null(frame_pair(&frame, "target.claim.uhs"));
    assert_null(frame_pair(&frame, "confirm"));
    assert_non_null(frame_pair(&frame, "target.advice"));
    devices[0].card.claims.video = 0;
    devices[1].start_bytes = 8 << 20;
    assert_int_equal(make(NULL, NULL, &pairs, &why), ORDER_OK);
    frame = (struct frame){.pairs = pairs.text, .pairs_size = pairs.size};
    assert_null(frame_pair(&frame, "target.capable"));
    assert_null(frame_pair(&frame, "target.misaligned"));
    devices[0].card.claims.video = 30;
}

static void test_more_than_ten_drive_writes_take_a_word(void **state)
{
    static const char *const much[] = {"size=16000000000", "passes=11", NULL};
    static const char *const most[] = {"size=16000000000", "passes=10", NULL};
    AUTO(str_done) struct str pairs = {0}, why = {0};
    (void)state;
    assert_int_equal(make(most, NULL, &pairs, &why), ORDER_OK);
    assert_int_equal(make(much, NULL, &pairs, &why), ORDER_UNFIT);
    assert_string_equal(why.text,
                        "this writes 176 GB, 11 drive writes, 0.37 % of a nominal 3000; to "
                        "do it all the same, add --confirm=mmcblk1p1");
    assert_int_equal(make(much, (const char *const[]){"sda", NULL}, &pairs, &why), ORDER_UNFIT);
    assert_int_equal(make(much, (const char *const[]){"sda", "mmcblk1", NULL}, &pairs, &why),
                     ORDER_OK);
    assert_int_equal(make(much, (const char *const[]){"mmcblk1p1", NULL}, &pairs, &why), ORDER_OK);
    struct frame frame = {.pairs = pairs.text, .pairs_size = pairs.size};
    assert_string_equal(frame_pair(&frame, "confirm"), "mmcblk1p1");
}

static void test_the_note_names_it_beforehand(void **state)
{
    const struct order_context context = {&catalog, &inventory, &board, NULL};
    struct order_wish wish = {.test = "storage.write", .target = "mmcblk1p1"};
    AUTO(str_done) struct str note = {0};
    (void)state;
    order_note(&context, &wish, &note);
    assert_int_equal(note.size, 0);
    wish.options = (const char *const[]){"passes=4", NULL};
    order_note(&context, &wish, &note);
    assert_string_equal(note.text,
                        "this writes 34.4 GB, 2.1 drive writes, 0.07 % of a nominal 3000");
}

/* The same partition, not mounted. */
static int make_unmounted(const char *target, const char *const *given, struct str *pairs,
                          struct str *question, struct str *why)
{
    const struct order_context context = {&catalog, &inventory, &board, NULL};
    const struct order_wish wish = {.test = "storage.write",
                                    .target = target,
                                    .options = given,
                                    .report_ns = S,
                                    .tick_most_ns = S};
    struct frame order;
    devices[1].mounts = NULL;
    int refusal = (int)order_make(&context, &wish, pairs, &order, why);
    order_ask(&context, &wish, question);
    devices[1].mounts = mounts;
    return refusal;
}

static void test_what_is_not_mounted_is_for_the_worker_to_ask(void **state)
{
    static const char *const much[] = {"size=15000000000", "passes=11", NULL};
    AUTO(str_done) struct str pairs = {0}, question = {0}, why = {0};
    (void)state;
    assert_int_equal(make_unmounted("mmcblk1p1", NULL, &pairs, &question, &why), ORDER_OK);
    struct frame frame = {.pairs = pairs.text, .pairs_size = pairs.size};
    assert_string_equal(frame_pair(&frame, "target.private"), "179:9");
    assert_string_equal(frame_pair(&frame, "target.path"), "/dev/mmcblk1p1");
    assert_null(frame_pair(&frame, "target.raw"));
    assert_null(frame_pair(&frame, "confirm"));
    assert_string_equal(question.text, "mmcblk1p1 is not mounted: iodyno would mount it where only "
                                       "this run sees it, and unmount it at the end");
    /* Both words are asked for together on the screen. */
    str_clear(&question);
    assert_int_equal(make_unmounted("mmcblk1p1", much, &pairs, &question, &why), ORDER_UNFIT);
    assert_non_null(strstr(question.text, "unmount it at the end; this writes 165 GB"));
}

static void test_a_disk_of_partitions_is_not_mounted_itself(void **state)
{
    AUTO(str_done) struct str pairs = {0}, question = {0}, why = {0};
    (void)state;
    assert_int_equal(make_unmounted("mmcblk1", NULL, &pairs, &question, &why), ORDER_UNFIT);
    assert_string_equal(why.text, "mmcblk1 cannot be used: none of its partitions is mounted: name "
                                  "one of them (mmcblk1p1)");
    assert_int_equal(question.size, 0);
}

static void test_what_is_read_only_is_not_mounted(void **state)
{
    AUTO(str_done) struct str pairs = {0}, question = {0}, why = {0};
    (void)state;
    devices[1].is_read_only = true;
    assert_int_equal(make_unmounted("mmcblk1p1", NULL, &pairs, &question, &why), ORDER_UNFIT);
    devices[1].is_read_only = false;
    assert_string_equal(why.text, "mmcblk1p1 cannot be used: it is read-only");
    devices[1].has_medium = false;
    assert_int_equal(make_unmounted("mmcblk1p1", NULL, &pairs, &question, &why), ORDER_UNFIT);
    devices[1].has_medium = true;
}

static void test_what_is_mounted_needs_no_word(void **state)
{
    const struct order_context context = {&catalog, &inventory, &board, NULL};
    const struct order_wish wish = {.test = "storage.write", .target = "mmcblk1p1"};
    AUTO(str_done) struct str question = {0};
    (void)state;
    order_ask(&context, &wish, &question);
    assert_int_equal(question.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_device_is_told),
        cmocka_unit_test(test_more_than_ten_drive_writes_take_a_word),
        cmocka_unit_test(test_the_note_names_it_beforehand),
        cmocka_unit_test(test_what_is_not_mounted_is_for_the_worker_to_ask),
        cmocka_unit_test(test_a_disk_of_partitions_is_not_mounted_itself),
        cmocka_unit_test(test_what_is_read_only_is_not_mounted),
        cmocka_unit_test(test_what_is_mounted_needs_no_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
