/* varint: every number returns, and bytes that are none are refused. */
#include "scene.h"
#include "store/varint.h"

static void test_returns(void **state)
{
    static const struct {
        uint64_t value;
        size_t size;
    } cases[] = {{0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {UINT64_MAX, 10}};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint8_t bytes[VARINT_MAX];
        uint64_t back = 1;
        size_t at = 0;
        assert_int_equal(varint_put(bytes, cases[i].value), cases[i].size);
        assert_int_equal(varint_get(bytes, cases[i].size, &at, &back), 0);
        assert_true(back == cases[i].value);
        assert_int_equal(at, cases[i].size);
        at = 0;
        assert_int_equal(varint_get(bytes, cases[i].size - 1, &at, &back), -EPROTO);
    }
}

static void test_refuses_more_than_64_bits(void **state)
{
    uint8_t bytes[11];
    uint64_t back = 5;
    size_t at = 0;
    (void)state;
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(varint_get(bytes, sizeof(bytes), &at, &back), -EPROTO);
    bytes[9] = 2;
    at = 0;
    assert_int_equal(varint_get(bytes, 10, &at, &back), -EPROTO);
    assert_int_equal(back, 5);
}

static void test_zigzag(void **state)
{
    static const uint64_t differences[] = {0, 1, UINT64_MAX, 2, 1ull << 63, (1ull << 63) - 1};
    (void)state;
    assert_int_equal(varint_zigzag(UINT64_MAX), 1); /* -1 is short */
    for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
        assert_true(varint_unzigzag(varint_zigzag(differences[i])) == differences[i]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returns),
        cmocka_unit_test(test_refuses_more_than_64_bits),
        cmocka_unit_test(test_zigzag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
