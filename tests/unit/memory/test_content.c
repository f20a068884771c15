/* content: each kind finds its one wrong word, wherever it lies. */
#include "prelude.h"

#include <memory/content.h>
#include <memory/kernel.h>

#define WORDS 1500u /* more than two stretches, and a rest */

static uint64_t words[WORDS];

static const struct content kinds[] = {
    {.kind = CONTENT_FILL, .first = 9},
    {.kind = CONTENT_WORD, .word = 0x55},
    {.kind = CONTENT_TRIAD, .first = 1020},
    {.kind = CONTENT_ADDRESS, .first = 0x1000},
    {.kind = CONTENT_WALKING, .first = 3},
    {.kind = CONTENT_FILL, .first = 9, .invert = UINT64_MAX},
    {.kind = CONTENT_WORD, .word = 1, .invert = UINT64_MAX},
};

static void what_is_written_is_found_right(void **state)
{
    (void)state;
    static const size_t places[] = {0, 1, 511, 512, 513, 1024, WORDS - 1};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        content_write(&kinds[k], words, WORDS);
        assert_int_equal(content_find(&kinds[k], words, 0, WORDS), WORDS);
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
            for (unsigned bit = 0; bit < 64; bit += 21) {
                words[places[p]] ^= UINT64_C(1) << bit;
                assert_int_equal(content_find(&kinds[k], words, 0, WORDS), places[p]);
                assert_int_equal(content_find(&kinds[k], words, places[p] + 1, WORDS), WORDS);
                words[places[p]] ^= UINT64_C(1) << bit;
            }
    }
}

static void sparse_ones_look_at_a_word_in_sixteen_bytes(void **state)
{
    (void)state;
    struct content content = {.kind = CONTENT_WORD, .word = UINT64_C(0x100000001), .sparse = 1};
    uint32_t *halves = (uint32_t *)words;
    memset(words, 0xff, sizeof words);
    for (size_t i = 0; i < WORDS * 2; i += 4)
        halves[i] = 1;
    assert_int_equal(content_find(&content, words, 0, WORDS), WORDS);
    halves[801] = 7; /* the second of its sixteen bytes: nobody's */
    assert_int_equal(content_find(&content, words, 0, WORDS), WORDS);
    halves[800] = 7;
    assert_int_equal(content_find(&content, words, 0, WORDS), 400);
}

static void the_inverse_and_the_word_make_minus_one(void **state)
{
    (void)state;
    uint64_t inverse[8];
    content_write(&kinds[0], words, 8);
    content_invert(inverse, words, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_true(inverse[i] + words[i] == UINT64_MAX);
    struct content inverted = kinds[0];
    inverted.invert = ~inverted.invert;
    assert_int_equal(content_find(&inverted, inverse, 0, 8), 8);
}

static void triad_is_exact(void **state)
{
    (void)state;
    struct content content = {.kind = CONTENT_TRIAD};
    for (size_t i = 0; i < 2048; i++) {
        double b = kernel_triad_value(i), a = b + KERNEL_TRIAD_FACTOR * b;
        uint64_t bits;
        memcpy(&bits, &a, sizeof bits);
        assert_true(content_word(&content, i) == bits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_found_right),
        cmocka_unit_test(sparse_ones_look_at_a_word_in_sixteen_bytes),
        cmocka_unit_test(the_inverse_and_the_word_make_minus_one),
        cmocka_unit_test(triad_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
