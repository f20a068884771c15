#include "device/ranking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static struct device made(enum device_kind kind, const char *id, const char *parent)
{
    return (struct device){
        .kind = kind, .id = mem_copy_text(id), .parent = parent ? mem_copy_text(parent) : NULL};
}

static void disks_by_kind_with_their_partitions(void **state)
{
    (void)state;
    struct device devices[] = {
        made(DEVICE_PARTITION, "mmcblk10p1", "mmcblk10"),
        made(DEVICE_USB, "sdaa", NULL),
        made(DEVICE_PARTITION, "sdb10", "sdb"),
        made(DEVICE_USB, "sdb", NULL),
        made(DEVICE_PARTITION, "lost1", "lost"),
        made(DEVICE_PARTITION, "sdb2", "sdb"),
        made(DEVICE_EMMC, "mmcblk10", NULL),
        made(DEVICE_SD, "mmcblk2", NULL),
        made(DEVICE_EMMC, "mmcblk9", NULL),
        made(DEVICE_DRAM, "dram", NULL),
    };
    static const char *const expected[] = {"mmcblk9", "mmcblk10", "mmcblk10p1", "mmcblk2", "sdaa",
                                           "sdb",     "sdb2",     "sdb10",      "dram",    "lost1"};
    ranking_sort(devices, ARRAY_SIZE(devices));
    for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
        assert_string_equal(devices[i].id, expected[i]);
        device_done(&devices[i]);
    }
}

static void any_order_comes_out_the_same(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    struct device devices[COUNT];
    static const unsigned steps[] = {1, 7, 11, 13, 29, 31, 59}; /* prime to it: all are reached */
    for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned number = i * steps[k] % COUNT;
            AUTO(str_done) struct str id = {0};
            str_addf(&id, number == 0 ? "sda" : "sda%u", number);
            devices[i] = number == 0 ? made(DEVICE_SATA, id.text, NULL)
                                     : made(DEVICE_PARTITION, id.text, "sda");
        }
        ranking_sort(devices, COUNT);
        for (unsigned i = 0; i < COUNT; i++) {
            AUTO(str_done) struct str id = {0};
            str_addf(&id, i == 0 ? "sda" : "sda%u", i);
            assert_string_equal(devices[i].id, id.text);
            device_done(&devices[i]);
        }
    }
    ranking_sort(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disks_by_kind_with_their_partitions),
        cmocka_unit_test(any_order_comes_out_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
