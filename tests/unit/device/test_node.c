/* node: numbers, the kernel's name, and that nothing but the device of that number is opened. */
#include "device/node.h"

#include "../grown.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

static int number(const char *text, unsigned *major, unsigned *minor)
{
    return node_number(text, strlen(text), major, minor);
}

static void a_number_is_two_halves_and_no_more(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    ":",    "8",    "8:",   ":16",          "8:16 ",
                                        "8:x", "-8:1", "+8:1", "8::1", "8:4294967296", "8:1:2"};
    unsigned major = 7, minor = 7;
    assert_int_equal(number("8:16", &major, &minor), 0);
    assert_int_equal(major, 8);
    assert_int_equal(minor, 16);
    assert_int_equal(number("259:4294967295", &major, &minor), 0);
    assert_true(minor == 4294967295u);
    assert_int_equal(node_number("8:16\0", 5, &major, &minor), -ENODEV);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(number(wrong[i], &major, &minor), -ENODEV);
}

static void the_kernel_names_it(void **state)
{
    (void)state;
    AUTO(str_done) struct str path = {0}, folder = {0};
    grow("/a/uevent", "OLDDEVNAME=sdz\nMAJOR=8\nDEVNAME=cciss/c0d0\nDEVTYPE=disk\n");
    grow("/cciss!c0d1/uevent", "MAJOR=8\nOLDDEVNAME=sdz\n");
    str_addf(&folder, "%s/a", grown_root);
    node_path(folder.text, &path);
    assert_string_equal(path.text, "/dev/cciss/c0d0");
    str_clear(&path);
    str_clear(&folder);
    str_addf(&folder, "%s/cciss!c0d1", grown_root);
    node_path(folder.text, &path);
    assert_string_equal(path.text, "/dev/cciss/c0d1");
}

/* A pipe nobody writes to: its open would wait. */
static void what_is_no_such_device_is_not_opened(void **state)
{
    (void)state;
    AUTO(str_done) struct str path = {0};
    int fd = -1;
    str_addf(&path, "%s/pipe", grown_root);
    assert_int_equal(mkfifo(path.text, 0600), 0);
    (void)alarm(10);
    assert_int_equal(node_open(path.text, 8, 16, O_RDONLY, &fd), -ENODEV);
    (void)alarm(0);
    assert_int_equal(node_open("/dev/null", 1, 3, O_RDONLY, &fd), -ENODEV);
    assert_int_equal(node_open(grown_root, 8, 16, O_RDONLY, &fd), -ENODEV);
    str_add(&path, "-not");
    assert_int_equal(node_open(path.text, 8, 16, O_RDONLY, &fd), -ENOENT);
    assert_int_equal(fd, -1);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(a_number_is_two_halves_and_no_more),
        GROWN(the_kernel_names_it),
        GROWN(what_is_no_such_device_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
