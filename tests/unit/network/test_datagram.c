/* datagram: heads in both widths, the hello of all versions, a receiver's account of gaps and
 * jitter. */
#include "prelude.h"

#include "network/datagram.h"

static void heads_are_big_endian(void **state)
{
    (void)state;
    static const unsigned char narrow[] = {0, 0, 0, 3, 0, 0, 0, 7, 0x12, 0x34, 0x56, 0x78};
    static const unsigned char wide[] = {0, 0, 0, 3, 0,    0,    0,    7,
                                         0, 0, 0, 1, 0x12, 0x34, 0x56, 0x78};
    unsigned char bytes[DATAGRAM_HEAD];
    struct datagram head = {.sent_ns = UINT64_C(3000007000), .number = 0x12345678};
    datagram_write(bytes, &head, false);
    assert_memory_equal(bytes, narrow, sizeof narrow);
    head.number |= UINT64_C(1) << 32;
    datagram_write(bytes, &head, true);
    assert_memory_equal(bytes, wide, sizeof wide);
    struct datagram back = {0};
    assert_true(datagram_read(bytes, sizeof bytes, true, &back));
    assert_int_equal(back.sent_ns, head.sent_ns);
    assert_int_equal(back.number, head.number);
}

static void short_ones_are_none(void **state)
{
    (void)state;
    const unsigned char bytes[DATAGRAM_HEAD] = {0};
    struct datagram back;
    assert_false(datagram_read(bytes, 11, false, &back));
    assert_true(datagram_read(bytes, 12, false, &back));
    assert_false(datagram_read(bytes, 15, true, &back));
    assert_true(datagram_read(bytes, 16, true, &back));
    assert_false(datagram_read(bytes, 0, true, &back));
}

static void numbers_no_sender_reaches_are_none(void **state)
{
    (void)state;
    unsigned char bytes[DATAGRAM_HEAD];
    struct datagram back;
    datagram_write(bytes, &(struct datagram){.number = DATAGRAM_NUMBER_MAX}, true);
    assert_true(datagram_read(bytes, sizeof bytes, true, &back));
    datagram_write(bytes, &(struct datagram){.number = DATAGRAM_NUMBER_MAX + 1}, true);
    assert_false(datagram_read(bytes, sizeof bytes, true, &back));
    memset(bytes, 0xff, sizeof bytes);
    assert_false(datagram_read(bytes, sizeof bytes, true, &back));
}

static void answers_of_all_versions(void **state)
{
    (void)state;
    static const char *const good[] = {"6789", "9876", "\xb1\x68\xde\x3a", "\x3a\xde\x68\xb1"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(datagram_is_answer((const unsigned char *)good[i], 4));
    assert_false(datagram_is_answer((const unsigned char *)"6788", 4));
    assert_false(datagram_is_answer((const unsigned char *)"6789", 3));
}

static struct datagram_account after(const uint64_t *numbers, size_t count)
{
    struct datagram_account account = {0};
    for (size_t i = 0; i < count; i++)
        datagram_take(&account, &(struct datagram){.sent_ns = 1000000 * i, .number = numbers[i]},
                      5000000 + 1000000 * i);
    return account;
}

#define AFTER(...)                                                                                 \
    after((const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

static void gaps_are_lost_until_they_are_filled(void **state)
{
    (void)state;
    struct datagram_account account = AFTER(1, 2, 3);
    assert_int_equal(account.highest, 3);
    assert_int_equal(account.lost + account.out_of_order, 0);
    assert_true(account.jitter_ns == 0);
    account = AFTER(1, 4);
    assert_int_equal(account.lost, 2);
    account = AFTER(1, 4, 2);
    assert_int_equal(account.lost, 1);
    assert_int_equal(account.out_of_order, 1);
    assert_int_equal(account.highest, 4);
    account = AFTER(1, 1, 1); /* twice: never below none */
    assert_int_equal(account.lost, 0);
    assert_int_equal(account.out_of_order, 2);
    account = AFTER(3); /* the first ones are missing */
    assert_int_equal(account.lost, 2);
    account = AFTER(UINT64_C(4999999999), UINT64_C(5000000000));
    assert_int_equal(account.lost, UINT64_C(4999999998));
}

static void jitter_is_a_sixteenth_of_each_change(void **state)
{
    (void)state;
    struct datagram_account account = {0};
    datagram_take(&account, &(struct datagram){.sent_ns = 0, .number = 1}, 100000);
    assert_true(account.jitter_ns == 0); /* the first one changes nothing */
    datagram_take(&account, &(struct datagram){.sent_ns = 1000000, .number = 2}, 1260000);
    assert_true(account.jitter_ns > 9900 && account.jitter_ns < 10100); /* 160 us / 16 */
}

static void any_time_of_a_peer_can_be_borne(void **state)
{
    (void)state;
    struct datagram_account account = {0};
    struct tally tally = {0};
    datagram_take(&account, &(struct datagram){.sent_ns = UINT64_MAX, .number = 1}, 0);
    datagram_take(&account, &(struct datagram){.sent_ns = UINT64_MAX / 2, .number = 2}, 1);
    datagram_take(&account, &(struct datagram){.sent_ns = 0, .number = DATAGRAM_NUMBER_MAX}, 2);
    datagram_publish(&account, &tally);
    assert_int_equal(tally_get(&tally.lost), DATAGRAM_NUMBER_MAX - 3);
    assert_true(tally_get(&tally.jitter_ns) <= UINT64_C(1000000000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_big_endian),
        cmocka_unit_test(short_ones_are_none),
        cmocka_unit_test(numbers_no_sender_reaches_are_none),
        cmocka_unit_test(answers_of_all_versions),
        cmocka_unit_test(gaps_are_lost_until_they_are_filled),
        cmocka_unit_test(jitter_is_a_sixteenth_of_each_change),
        cmocka_unit_test(any_time_of_a_peer_can_be_borne),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
