/* pages: what is given is aligned, zero and writable to its last byte, at any size. */
#include "storage/pages.h"

#include <errno.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,       4096, PAGES_LARGE - 1, PAGES_LARGE, PAGES_LARGE + 1,
                                   8u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct pages pages;
        assert_int_equal(pages_make(&pages, sizes[i]), 0);
        assert_int_equal((uintptr_t)pages.bytes % PAGES_LARGE, 0);
        assert_true(pages.bytes + sizes[i] <= (unsigned char *)pages.mapping + pages.mapped);
        assert_int_equal(pages.bytes[0] | pages.bytes[sizes[i] - 1], 0);
        memset(pages.bytes, 0xa5, sizes[i]);
        pages_done(&pages);
        assert_null(pages.bytes);
        pages_done(&pages);
    }
}

static void what_no_machine_has_is_refused(void **state)
{
    (void)state;
    struct pages pages = {0};
    assert_int_equal(pages_make(&pages, SIZE_MAX), -ENOMEM);
    assert_int_equal(pages_make(&pages, SIZE_MAX / 2), -ENOMEM);
    assert_null(pages.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size),
        cmocka_unit_test(what_no_machine_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
