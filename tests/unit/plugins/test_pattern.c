/* pattern: zeros are zeros, random is not, blocks stay inside the pool and aligned. */
#include "storage/pattern.h"

#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void zeros(void **state)
{
    (void)state;
    struct pattern pattern;
    assert_int_equal(pattern_make(&pattern, 1 << 20, 0), 0);
    const unsigned char *first = pattern_block(&pattern);
    for (size_t i = 0; i < 1 << 20; i++)
        assert_int_equal(first[i], 0);
    assert_ptr_equal(pattern_block(&pattern), first);
    pattern_done(&pattern);
    pattern_done(&pattern);
}

static void random_walks_the_pool(void **state)
{
    (void)state;
    static const size_t blocks[] = {512, 1000, 65536, 1 << 20, 3 << 20, PATTERN_POOL, 9u << 20};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct pattern pattern;
        assert_int_equal(pattern_make(&pattern, blocks[i], 1), 0);
        const unsigned char *last = NULL;
        for (int step = 0; step < 40; step++) {
            const unsigned char *block = pattern_block(&pattern);
            assert_int_equal((uintptr_t)block % 4096, 0);
            assert_true(block >= pattern.bytes);
            assert_true(block + blocks[i] <= pattern.bytes + pattern.size);
            if (blocks[i] <= PATTERN_POOL / 2 && last)
                assert_memory_not_equal(block, last, 512);
            last = block;
        }
        pattern_done(&pattern);
    }
}

static void two_runs_differ(void **state)
{
    (void)state;
    struct pattern a, b;
    assert_int_equal(pattern_make(&a, 4096, 1), 0);
    assert_int_equal(pattern_make(&b, 4096, 1), 0);
    assert_memory_not_equal(a.bytes, b.bytes, 4096);
    assert_memory_not_equal(a.bytes, a.bytes + PATTERN_POOL - 4096, 4096);
    pattern_done(&a);
    pattern_done(&b);
}

static void large_pages_change_no_byte(void **state)
{
    (void)state;
    struct pattern pattern;
    assert_int_equal(pattern_make_large(&pattern, 1 << 20, 0), 0);
    assert_int_equal((uintptr_t)pattern.bytes % PAGES_LARGE, 0);
    assert_int_equal(pattern.size, 1 << 20);
    for (size_t i = 0; i < 1 << 20; i++)
        assert_int_equal(pattern.bytes[i], 0);
    pattern_done(&pattern);
    pattern_done(&pattern);
    assert_int_equal(pattern_make_large(&pattern, 4096, 1), 0);
    assert_int_equal(pattern.size, PATTERN_POOL);
    assert_memory_not_equal(pattern_nth(&pattern, 0), pattern_nth(&pattern, 1), 4096);
    assert_ptr_equal(pattern_nth(&pattern, 0), pattern_nth(&pattern, PATTERN_POOL / 4096));
    pattern_done(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros),
        cmocka_unit_test(random_walks_the_pool),
        cmocka_unit_test(two_runs_differ),
        cmocka_unit_test(large_pages_change_no_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
