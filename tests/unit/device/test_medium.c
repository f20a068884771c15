#include "device/medium.h"

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

#define DISK "/sys/devices/usb1/1-1/host2/block/sdc"
#define MODULE "/sys/module/block/parameters"

static char root[64];

static const char *const files[] = {
    "/sys/devices/usb1/1-1/idVendor",
    DISK "/removable",
    DISK "/events",
    DISK "/events_async",
    DISK "/events_poll_msecs",
    MODULE "/events_dfl_poll_msecs",
};

static void make_folders(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
}

/* NULL: the file is absent. */
static void write_file(const char *name, const char *text)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s%s", root, name);
    make_folders(path.text);
    (void)unlink(path.text);
    if (!text)
        return;
    AUTO_FCLOSE FILE *file = fopen(path.text, "we");
    assert_non_null(file);
    assert_true(fprintf(file, "%s\n", text) > 0);
}

static int make(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/iodyno-medium-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int unmake(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        AUTO(str_done) struct str path = {0};
        str_addf(&path, "%s%s", root, files[i]);
        (void)unlink(path.text);
        for (char *slash = NULL; (slash = strrchr(path.text, '/')) > path.text + strlen(root);) {
            *slash = '\0';
            (void)rmdir(path.text);
        }
    }
    return rmdir(root);
}

static struct device reader(void)
{
    struct str path = {0};
    str_addf(&path, "%s" DISK, root);
    return (struct device){.kind = DEVICE_USB, .sysfs_path = str_take(&path)};
}

static void who_watches_is_told_by_the_kernel_and_udev(void **state)
{
    (void)state;
    static const struct {
        const char *removable, *events, *async, *own_ms, *default_ms;
        bool has_udev, is_unwatched;
    } rows[] = {
        {"1", "media_change", "", "-1", "0", false, true}, /* a board without udev */
        {"1", "media_change", "", "-1", NULL, false, true},
        {"1", "media_change", NULL, NULL, NULL, false, true},
        {"1", "media_change", "", "-1", "2000", true, false}, /* udev as usual */
        {"1", "media_change", "", "2000", "0", true, false},
        {"1", "media_change", "", "-1", "2000", false, true}, /* asked, but opened by nobody */
        {"1", "media_change", "", "-1", "0", true, true},     /* udev came after the module */
        {"1", "media_change", "", "0", "2000", true, true},
        {"1", "media_change eject_request", "eject_request", "-1", "0", false, true},
        {"1", "media_change", "media_change", "-1", "0", false, false}, /* tells by itself */
        {"1", "eject_request", "", "-1", "0", false, false},
        {"1", "media_changes", "", "-1", "0", false, false},
        {"1", NULL, NULL, NULL, NULL, false, false}, /* kernels before 2.6.38 */
        {"0", "media_change", "", "-1", "0", false, false},
        {NULL, "media_change", "", "-1", "0", false, false},
        {"1", "media_change", "", "often", "2000", true, true},
    };
    AUTO(device_done) struct device disk = reader();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        write_file(DISK "/removable", rows[i].removable);
        write_file(DISK "/events", rows[i].events);
        write_file(DISK "/events_async", rows[i].async);
        write_file(DISK "/events_poll_msecs", rows[i].own_ms);
        write_file(MODULE "/events_dfl_poll_msecs", rows[i].default_ms);
        bool is_unwatched = medium_is_unwatched(root, &disk, rows[i].has_udev);
        if (is_unwatched != rows[i].is_unwatched)
            fail_msg("row %zu: %d", i, is_unwatched);
    }
}

static void only_usb_disks_are_asked(void **state)
{
    (void)state;
    AUTO(device_done) struct device disk = reader();
    write_file(DISK "/removable", "1");
    write_file(DISK "/events", "media_change");
    assert_true(medium_is_unwatched(root, &disk, false));
    disk.kind = DEVICE_SD;
    assert_false(medium_is_unwatched(root, &disk, false));
    struct device nowhere = {.kind = DEVICE_USB};
    assert_false(medium_is_unwatched(root, &nowhere, false));
}

static void slots_of_a_reader_share_its_bus(void **state)
{
    (void)state;
    AUTO(device_done) struct device disk = reader();
    write_file("/sys/devices/usb1/1-1/idVendor", "0bda");
    AUTO_FREE char *bus = medium_bus(&disk);
    assert_true(str_ends(bus, "/usb1/1-1"));
    write_file("/sys/devices/usb1/1-1/idVendor", NULL);
    AUTO_FREE char *own = medium_bus(&disk);
    assert_string_equal(own, disk.sysfs_path);
}

#define MADE_TEST(fn) cmocka_unit_test_setup_teardown(fn, make, unmake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MADE_TEST(who_watches_is_told_by_the_kernel_and_udev),
        MADE_TEST(only_usb_disks_are_asked),
        MADE_TEST(slots_of_a_reader_share_its_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
