/* driver: names that tell a fault in the ways drivers write them, and the one that grew most. */
#include "prelude.h"

#include "network/driver.h"

static void pack(char *into, const char *const names[], unsigned count)
{
    memset(into, 0, (size_t)count * DRIVER_NAME_MAX);
    for (unsigned i = 0; i < count; i++)
        memcpy(into + (size_t)i * DRIVER_NAME_MAX, names[i], strnlen(names[i], DRIVER_NAME_MAX));
}

static void faults_are_known_by_parts_of_their_names(void **state)
{
    (void)state;
    static const char *const faults[] = {
        "rx_crc_errors",      "IEEE_rx_fcs_err",    "RxCRC",
        "rx_align_err",       "mmc_rx_crc_error",   "rx_fifo_overflow",
        "rx_no_buffer_count", "tx late collisions", "rx-discards",
        "rx_missed"};
    static const char *const none[] = {"rx_packets",        "tx_pause", "rx_xoff",
                                       "rx_pause_overflow", "tx_bytes", ""};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        assert_non_null(driver_cause(faults[i]));
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(driver_cause(none[i]));
    assert_non_null(strstr(driver_cause("rx_crc_errors"), "cable"));
    assert_non_null(strstr(driver_cause("rx_overrun"), "overran"));
    assert_non_null(strstr(driver_cause("tx late collisions"), "duplex"));
}

static void the_fault_that_grew_most_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"rx_packets", "rx_crc_errors", "rx_overrun"};
    const uint64_t before[] = {10, 7, 0}, after[] = {90000, 9, 40};
    char packed[3 * DRIVER_NAME_MAX], text[128] = "";
    struct driver first, last;
    pack(packed, names, 3);
    driver_take(packed, before, 3, &first);
    driver_take(packed, after, 3, &last);
    assert_int_equal(first.count, 2);
    assert_true(driver_growth(&first, &last, text, sizeof text));
    assert_non_null(strstr(text, "rx_overrun +40 here: "));
    assert_false(driver_growth(&last, &last, text, sizeof text));
    assert_false(driver_growth(&last, &first, text, sizeof text)); /* set back: nothing is known */
}

static void names_without_an_end_and_other_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"rx_crc_errors_of_the_second_queue", "crc\x1b[31m"};
    const uint64_t values[] = {1, 2};
    char packed[2 * DRIVER_NAME_MAX];
    struct driver driver;
    pack(packed, names, 2);
    driver_take(packed, values, 2, &driver);
    assert_int_equal(driver.count, 2);
    assert_string_equal(driver.faults[0].name, "rx_crc_errors_of_the_second_queu");
    assert_string_equal(driver.faults[1].name, "crc?[31m");
}

static void more_than_there_is_room_for(void **state)
{
    (void)state;
    enum { MANY = DRIVER_FAULTS_MAX + 40 };
    static char packed[MANY * DRIVER_NAME_MAX];
    static uint64_t values[MANY];
    static struct driver driver;
    for (unsigned i = 0; i < MANY; i++)
        (void)snprintf(packed + (size_t)i * DRIVER_NAME_MAX, DRIVER_NAME_MAX, "q%u_crc", i);
    driver_take(packed, values, MANY, &driver);
    assert_int_equal(driver.count, DRIVER_FAULTS_MAX);
}

static void a_port_without_a_driver_tells_nothing(void **state)
{
    (void)state;
    struct driver driver = {.count = 9};
    driver_read("no-such-port", &driver);
    assert_int_equal(driver.count, 0);
    driver_read("lo", &driver);
    assert_int_equal(driver.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_known_by_parts_of_their_names),
        cmocka_unit_test(the_fault_that_grew_most_is_told),
        cmocka_unit_test(names_without_an_end_and_other_bytes),
        cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(a_port_without_a_driver_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
