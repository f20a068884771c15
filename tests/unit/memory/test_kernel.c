/* kernel: every loop of every instruction set does what it says, and its sum is known beforehand.
 */
#include "prelude.h"

#include "kernel_check.h"

static void all_do_what_they_say(void **state)
{
    (void)state;
    unsigned functions = 0;
    assert_int_equal(check_kernels(NULL, &functions), 0);
    assert_true(functions >= 15); /* eleven plain ones and four of the narrowest set */
}

static uint64_t does_nothing(const struct kernel_work *work)
{
    (void)work;
    return 0;
}

/* The check itself can fail. */
static void a_loop_that_does_nothing_is_found(void **state)
{
    (void)state;
    struct check_buffers buffers;
    for (unsigned i = 0; i < 3; i++)
        buffers.all[i] = aligned_alloc(4096, 32 << 10);
    for (unsigned k = 0; k < KERNEL_COUNT; k++)
        assert_int_equal(check_one(&buffers, (enum kernel)k, does_nothing, 4096, 1), 0);
    for (unsigned i = 0; i < 3; i++)
        free(buffers.all[i]);
}

static void sums_are_those_of_the_words(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 2, 3, 64, 4095};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < counts[c]; i++)
            sum += kernel_fill_word(1000 + i);
        assert_true(kernel_fill_sum(1000, counts[c]) == sum);
    }
    /* far beyond 2^32 words the product must not have lost its highest bit */
    uint64_t huge = (UINT64_C(1) << 33) + 1;
    assert_true(kernel_fill_sum(0, huge) - kernel_fill_sum(0, huge - 1) ==
                kernel_fill_word(huge - 1));
}

static void the_fill_may_begin_anywhere(void **state)
{
    (void)state;
    _Alignas(64) uint64_t words[40];
    for (unsigned skip = 0; skip < 8; skip++) {
        memset(words, 0, sizeof words);
        kernel_fill(words + skip, 5, 31);
        for (unsigned i = 0; i < 31; i++)
            assert_true(words[skip + i] == kernel_fill_word(5 + i));
        assert_true(words[skip + 31] == 0);
    }
}

static void names_find_their_kernels(void **state)
{
    (void)state;
    assert_int_equal(kernel_find("copy-nt"), KERNEL_COPY_NT);
    assert_int_equal(kernel_find("bcopy"), KERNEL_BCOPY);
    assert_int_equal(kernel_find(""), KERNEL_COUNT);
    for (unsigned k = 0; k < KERNEL_COUNT; k++)
        assert_int_equal(kernel_find(kernel_about[k].name), k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_do_what_they_say),
        cmocka_unit_test(a_loop_that_does_nothing_is_found),
        cmocka_unit_test(sums_are_those_of_the_words),
        cmocka_unit_test(the_fill_may_begin_anywhere),
        cmocka_unit_test(names_find_their_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
