/* smbios: populated places, channels, speeds of old and new tables, damage. */
#include "device/smbios.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tables.h"

#define DDR4 0x1a
#define LPDDR5 0x23

static void two_sticks_of_one_channel_are_one_channel(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct smbios_memory memory;
    const struct made_device a1 = {8192, 64, DDR4, 3200, 2666, 0, "ChannelA-DIMM0", "BANK 0", 0};
    const struct made_device a2 = {8192, 64, DDR4, 3200, 2666, 0, "ChannelA-DIMM1", "BANK 1", 0};
    const struct made_device b1 = {8192, 64, DDR4, 3200, 2400, 0, "ChannelB-DIMM0", "BANK 2", 0};
    const struct made_device empty = {0, 64, DDR4, 0, 0, 0, "ChannelB-DIMM1", "BANK 3", 0};
    made_memory(&table, &a1);
    made_memory(&table, &a2);
    made_memory(&table, &b1);
    made_memory(&table, &empty);
    made_end(&table);
    assert_true(smbios_memory(table.bytes, table.size, &memory));
    assert_string_equal(memory.kind, "DDR4");
    assert_int_equal(memory.mtps, 2400);
    assert_int_equal(memory.bits, 128);
    assert_int_equal(memory.devices, 3);
    assert_true(memory.has_channels);
}

static void the_bank_may_name_the_channel(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct smbios_memory memory;
    const struct made_device a = {4096, 64, DDR4, 3200, 3200, 0, "DIMM 0", "P0 CHANNEL A", 0};
    const struct made_device b = {4096, 64, DDR4, 3200, 3200, 0, "DIMM 0", "P0 CHANNEL B", 0};
    made_memory(&table, &a);
    made_memory(&table, &b);
    assert_true(smbios_memory(table.bytes, table.size, &memory));
    assert_int_equal(memory.bits, 128);
    assert_true(memory.has_channels);
}

static void without_channels_each_stick_counts(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct smbios_memory memory;
    const struct made_device a = {4096, 64, 0x18, 1600, 1333, 0, "DIMM_A1", NULL, 0};
    const struct made_device b = {4096, 64, 0x18, 1600, 1333, 0, NULL, NULL, 0};
    made_memory(&table, &a);
    made_memory(&table, &b);
    assert_true(smbios_memory(table.bytes, table.size, &memory));
    assert_string_equal(memory.kind, "DDR3");
    assert_int_equal(memory.bits, 128);
    assert_false(memory.has_channels);
}

/* Version 2.1 ends behind the kind; 2.3 has the rated speed, 2.7 the configured one. */
static void older_tables_are_shorter(void **state)
{
    (void)state;
    struct smbios_memory memory;
    struct made old = {.size = 0}, middle = {.size = 0};
    const struct made_device short_one = {512, 64, 0x13, 667, 533, 0, "DIMM", NULL, 0x15};
    const struct made_device middle_one = {512, 64, 0x13, 667, 533, 0, "DIMM", NULL, 0x1b};
    made_memory(&old, &short_one);
    assert_true(smbios_memory(old.bytes, old.size, &memory));
    assert_string_equal(memory.kind, "DDR2");
    assert_int_equal(memory.mtps, 0);
    made_memory(&middle, &middle_one);
    assert_true(smbios_memory(middle.bytes, middle.size, &memory));
    assert_int_equal(memory.mtps, 667);
}

static void speeds_beyond_16_bits_stand_elsewhere(void **state)
{
    (void)state;
    struct made table = {.size = 0}, mad = {.size = 0};
    struct smbios_memory memory;
    const struct made_device fast = {8192, 32, LPDDR5, 0, 0xffff, 70000, "Channel A", NULL, 0};
    const struct made_device wild = {8192, 5000, 0x77, 0, 0xffff, 0x7fffffff, "x", NULL, 0};
    made_memory(&table, &fast);
    assert_true(smbios_memory(table.bytes, table.size, &memory));
    assert_int_equal(memory.mtps, 70000);
    assert_string_equal(memory.kind, "LPDDR5");
    made_memory(&mad, &wild);
    assert_true(smbios_memory(mad.bytes, mad.size, &memory));
    assert_int_equal(memory.mtps, 0);
    assert_int_equal(memory.bits, 0);
    assert_null(memory.kind);
}

/* An exact copy of each beginning of a table, so that reading beyond it is seen. */
static void a_cut_table_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct smbios_memory memory;
    const struct made_device a = {4096, 64, DDR4, 3200, 3200, 0, "DIMM 0", "CHANNEL A", 0};
    made_memory(&table, &a);
    const size_t one = table.size;
    made_memory(&table, &a);
    for (size_t size = 0; size < table.size; size++) {
        uint8_t *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, table.bytes, size);
        const bool is_found = smbios_memory(copy, size, &memory);
        assert_int_equal(is_found, size >= one);
        if (is_found)
            assert_int_equal(memory.devices, 1);
        free(copy);
    }
    const uint8_t no_length[8] = {17, 0, 0, 0};
    assert_false(smbios_memory(no_length, sizeof no_length, &memory));
    assert_false(smbios_memory("", 0, &memory));
}

static void nothing_is_read_behind_the_end(void **state)
{
    (void)state;
    struct made table = {.size = 0};
    struct smbios_memory memory;
    const struct made_device a = {4096, 64, DDR4, 3200, 3200, 0, "DIMM 0", NULL, 0};
    made_end(&table);
    made_memory(&table, &a);
    assert_false(smbios_memory(table.bytes, table.size, &memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sticks_of_one_channel_are_one_channel),
        cmocka_unit_test(the_bank_may_name_the_channel),
        cmocka_unit_test(without_channels_each_stick_counts),
        cmocka_unit_test(older_tables_are_shorter),
        cmocka_unit_test(speeds_beyond_16_bits_stand_elsewhere),
        cmocka_unit_test(a_cut_table_is_read_as_far_as_it_goes),
        cmocka_unit_test(nothing_is_read_behind_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
