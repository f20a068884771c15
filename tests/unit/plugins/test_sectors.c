/* sectors: each way of coming back wrong is found, counted and named. */
#include "storage/sectors.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define AT (5 * (uint64_t)SECTORS_BLOCK) /* a block of the middle */

static struct sectors sectors;
static unsigned char *copy;
static char text[SECTORS_WHY_MAX];

static int open_sectors(void **state)
{
    (void)state;
    copy = malloc(SECTORS_BLOCK);
    return copy ? sectors_make(&sectors, 0x1234567890abcdef) : -1;
}

static int close_sectors(void **state)
{
    (void)state;
    free(copy);
    sectors_done(&sectors);
    return 0;
}

static void as_written_is_right(void **state)
{
    (void)state;
    for (uint64_t at = 0; at < 20 * (uint64_t)SECTORS_BLOCK; at += SECTORS_BLOCK) {
        memcpy(copy, sectors_block(&sectors, at), SECTORS_BLOCK);
        (void)sectors_block(&sectors, at + 8 * (uint64_t)SECTORS_BLOCK); /* the pool moves on */
        assert_int_equal(sectors_check(&sectors, copy, SECTORS_BLOCK, at), 0);
    }
    assert_int_equal(sectors_check(&sectors, copy + 1024, 512, 19 * (uint64_t)SECTORS_BLOCK + 1024),
                     0);
}

static void another_place_is_named(void **state)
{
    (void)state;
    memcpy(copy, sectors_block(&sectors, AT + 64 * (uint64_t)SECTORS_BLOCK), SECTORS_BLOCK);
    assert_int_equal(sectors_check(&sectors, copy, SECTORS_BLOCK, AT), SECTORS_BLOCK / 512);
    assert_int_equal(sectors.first_kind, SECTOR_MOVED);
    assert_int_equal(sectors.first_offset, AT);
    sectors_explain(&sectors, SECTORS_BLOCK, text);
    assert_non_null(strstr(text, "2048 of 2048 sectors"));
    assert_non_null(strstr(text, "written to byte 72351744")); /* 69 MiB */
}

static void blank_and_corrupt(void **state)
{
    (void)state;
    memcpy(copy, sectors_block(&sectors, AT), SECTORS_BLOCK);
    memset(copy + 512, 0, 512);
    memset(copy + 1024, 0xff, 512);
    copy[4096 + 511] ^= 1; /* one bit, behind the stamp */
    copy[8192] ^= 1;       /* one bit, in the seed of the stamp */
    assert_int_equal(sectors_check(&sectors, copy, SECTORS_BLOCK, AT), 4);
    assert_int_equal(sectors.kinds[SECTOR_BLANK], 2);
    assert_int_equal(sectors.kinds[SECTOR_CORRUPT], 2);
    assert_int_equal(sectors.first_offset, AT + 512);
    assert_int_equal(sectors.first_expected, sectors_stamp(&sectors, AT + 512));
    assert_int_equal(sectors.first_got, 0);
    sectors_explain(&sectors, SECTORS_BLOCK, text);
    assert_non_null(strstr(text, "4 of 2048 sectors"));
    assert_non_null(strstr(text, "never stored"));
}

static void another_runs_data_is_no_match(void **state)
{
    (void)state;
    uint64_t place;
    struct sectors other;
    assert_int_equal(sectors_make(&other, 99), 0);
    assert_false(sectors_offset(&sectors, sectors_stamp(&other, AT), &place));
    assert_int_equal(sectors_check(&sectors, sectors_block(&other, AT), SECTORS_BLOCK, AT), 2048);
    assert_int_equal(sectors.kinds[SECTOR_CORRUPT], 2048);
    sectors_done(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_written_is_right, open_sectors, close_sectors),
        cmocka_unit_test_setup_teardown(another_place_is_named, open_sectors, close_sectors),
        cmocka_unit_test_setup_teardown(blank_and_corrupt, open_sectors, close_sectors),
        cmocka_unit_test_setup_teardown(another_runs_data_is_no_match, open_sectors, close_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
