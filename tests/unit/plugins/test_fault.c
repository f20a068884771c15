/* fault: errors sorted by set, not by EIO alone. */
#include "storage/fault.h"

#include <errno.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char text[512];

static int explain(int error, bool is_gone, uint64_t room)
{
    struct fault fault = {.doing = "fsync",
                          .place = "/media/card",
                          .error = error,
                          .done = 104857600,
                          .total = 524288000,
                          .is_disk_gone = is_gone,
                          .room_bytes = room};
    return fault_explain(&fault, text, sizeof text);
}

static void names_the_call_the_place_and_the_bytes(void **state)
{
    (void)state;
    assert_int_equal(explain(-EIO, false, 0), -EIO);
    assert_string_equal(text, "fsync on /media/card failed: Input/output error after 104857600 of "
                              "524288000 bytes: the device reports an error");
}

static void removal_has_many_voices(void **state)
{
    (void)state;
    static const int plain[] = {-ENODEV, -ENXIO, -ENOMEDIUM, -ESHUTDOWN};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        assert_int_equal(explain(plain[i], false, 0), -ENODEV);
    static const int when_gone[] = {-EIO, -EROFS, -ENOTCONN, -ETIMEDOUT};
    for (size_t i = 0; i < sizeof when_gone / sizeof when_gone[0]; i++) {
        assert_int_equal(explain(when_gone[i], true, 0), -ENODEV);
        assert_non_null(strstr(text, "removed"));
        assert_int_equal(explain(when_gone[i], false, 0), when_gone[i]);
        assert_null(strstr(text, "removed"));
    }
    /* a full disk that goes away later was full */
    assert_int_equal(explain(-ENOSPC, true, 0), -ENOSPC);
}

static void a_full_lower_layer_is_told_from_a_full_filesystem(void **state)
{
    (void)state;
    assert_int_equal(explain(-ENOSPC, false, 4096), -ENOSPC);
    assert_non_null(strstr(text, "the filesystem is full"));
    assert_int_equal(explain(-ENOSPC, false, 5u << 20), -ENOSPC);
    assert_non_null(strstr(text, "a layer below it is full"));
}

static void what_turned_read_only_is_said(void **state)
{
    (void)state;
    struct fault fault = {.doing = "write",
                          .place = "/m",
                          .error = -EIO,
                          .done = 1,
                          .total = 2,
                          .is_read_only = true};
    assert_int_equal(fault_explain(&fault, text, sizeof text), -EIO);
    assert_string_equal(text, "write on /m failed: Input/output error after 1 of 2 bytes: the "
                              "device reports an error; the filesystem has turned read-only");
    fault.error = -EROFS; /* once is enough */
    assert_int_equal(fault_explain(&fault, text, sizeof text), -EROFS);
    assert_null(strstr(text, "has turned"));
}

static void other_sets(void **state)
{
    (void)state;
    (void)explain(-EDQUOT, false, 0);
    assert_non_null(strstr(text, "the quota"));
    (void)explain(-EROFS, false, 0);
    assert_non_null(strstr(text, "read-only"));
    (void)explain(-ECONNABORTED, false, 0);
    assert_non_null(strstr(text, "process or server"));
    (void)explain(-EFBIG, false, 0);
    assert_non_null(strstr(text, "no file of that size"));
    assert_int_equal(explain(-EINVAL, false, 0), -EINVAL);
    assert_non_null(strstr(text, "Invalid argument after 104857600 of 524288000 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_call_the_place_and_the_bytes),
        cmocka_unit_test(removal_has_many_voices),
        cmocka_unit_test(a_full_lower_layer_is_told_from_a_full_filesystem),
        cmocka_unit_test(what_turned_read_only_is_said),
        cmocka_unit_test(other_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
