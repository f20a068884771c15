#include "device/card.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/folder.h"

/* A status register with the given bytes, the rest zero. */
static void make_ssr(char into[129], unsigned speed, unsigned unit, unsigned uhs, unsigned video,
                     unsigned application)
{
    static const char digits[] = "0123456789abcdef";
    memset(into, '0', 128);
    into[128] = '\0';
    into[0] = '8'; /* four data lines */
    into[17] = digits[speed];
    into[20] = digits[unit];
    into[28] = digits[uhs];
    into[30] = digits[video >> 4];
    into[31] = digits[video & 15];
    into[43] = digits[application];
}

static void claims_are_decoded(void **state)
{
    (void)state;
    char ssr[129];
    struct device_claims claims = {0};
    AUTO(str_done) struct str text = {0};
    make_ssr(ssr, 4, 9, 3, 30, 2);
    assert_int_equal(card_claims(ssr, &claims), 0);
    assert_int_equal(claims.speed_class, 10);
    assert_int_equal(claims.uhs, 3);
    assert_int_equal(claims.video, 30);
    assert_int_equal(claims.application, 2);
    assert_true(claims.unit_bytes == 4u << 20);
    card_claims_text(&claims, &text);
    assert_string_equal(text.text, "C10 U3 V30 A2");

    make_ssr(ssr, 1, 15, 0, 0, 0); /* an old card: class 2, units of 64 MiB */
    assert_int_equal(card_claims(ssr, &claims), 0);
    assert_true(claims.unit_bytes == 64u << 20);
    str_clear(&text);
    card_claims_text(&claims, &text);
    assert_string_equal(text.text, "C2");
}

static void registers_that_are_none_claim_nothing(void **state)
{
    (void)state;
    char ssr[129];
    struct device_claims claims = {.video = 7};
    memset(ssr, '0', 128);
    ssr[128] = '\0';
    assert_int_equal(card_claims(ssr, &claims), -ENODATA);
    assert_int_equal(card_claims("", &claims), -EINVAL);
    ssr[127] = 'g';
    assert_int_equal(card_claims(ssr, &claims), -EINVAL);
    ssr[127] = '\0';
    assert_int_equal(card_claims(ssr, &claims), -EINVAL);
    assert_int_equal(claims.video, 7); /* untouched */
    make_ssr(ssr, 9, 0, 7, 255, 15);   /* codes nobody has given a meaning */
    assert_int_equal(card_claims(ssr, &claims), 0);
    assert_int_equal(claims.speed_class + claims.uhs + claims.video + claims.application, 0);
}

static void wear_is_read_in_all_printed_forms(void **state)
{
    (void)state;
    static const struct {
        const char *life, *spare;
        unsigned a, b, reserved;
        bool is_past, is_known;
    } rows[] = {
        {"0x01 0x02", "0x01", 10, 20, 1, false, true}, {"0x01 0x02", "01", 10, 20, 1, false, true},
        {"01 0a", "1", 10, 100, 1, false, true},       {"0x0B 0x00", "0x03", 100, 0, 3, true, true},
        {"0x00 0x00", "0x00", 0, 0, 0, false, false},  {"0x0c 0x03", "0x04", 0, 30, 0, false, true},
        {"0x001 0x02", "x", 0, 0, 0, false, false},    {"", "", 0, 0, 0, false, false},
        {NULL, NULL, 0, 0, 0, false, false},           {NULL, "02", 0, 0, 2, false, true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct device_health health;
        card_health(rows[i].life, rows[i].spare, &health);
        assert_int_equal(health.used[0], rows[i].a);
        assert_int_equal(health.used[1], rows[i].b);
        assert_int_equal(health.reserved, rows[i].reserved);
        assert_int_equal(health.is_past, rows[i].is_past);
        assert_int_equal(card_health_is_known(&health), rows[i].is_known);
    }
    assert_string_equal(card_reserved_name(2), "warning");
    assert_null(card_reserved_name(0));
    assert_null(card_reserved_name(9));
}

static void makers_differ_by_kind(void **state)
{
    (void)state;
    assert_string_equal(card_maker(false, 0x27), "Phison");
    assert_string_equal(card_maker(true, 0x15), "Samsung");
    assert_string_equal(card_maker(false, 0x1b), "Samsung");
    assert_null(card_maker(true, 0x27));
    assert_null(card_maker(false, 0));
    assert_null(card_maker(false, 0x103)); /* not 0x03 */
}

static void identities_are_hexadecimal(void **state)
{
    (void)state;
    assert_true(card_is_cid("0353441b5b324a078000000001013301"));
    assert_false(card_is_cid("0353441b5b324a07800000000101330"));
    assert_false(card_is_cid("0353441b5b324a0780000000010133011"));
    assert_false(card_is_cid("0353441b5b324a07800000000101330\n"));
    assert_false(card_is_cid(""));
}

static void posted_cards_are_read(void **state)
{
    (void)state;
    AUTO(device_done) struct device card = {.kind = DEVICE_SD};
    static const char path[] =
        IODYNO_SYSROOTS "/f1-allwinner/sys/devices/soc/1c0f000.mmc/mmc_host/mmc0/mmc0:0007";
    AUTO(folder_close) struct folder folder = {.fd = -1};
    AUTO(device_done) struct device none = {.kind = DEVICE_SD};
    card_read(&folder, &none);
    assert_int_equal(folder_open(path, &folder), 0);
    card_read(&folder, &card);
    assert_string_equal(card.name, "SD16G");
    assert_string_equal(card.card.maker, "Phison");
    assert_true(card.card.erase_bytes == 4194304);
    assert_string_equal(card.card.date, "11/2015");
    assert_string_equal(card.identity, card.cid);
    assert_null(card.card.doubt); /* an OEM card is innocent */
    assert_null(none.name);
    assert_null(none.identity);
    assert_null(none.card.doubt);
}

static void scr_names_the_data_lines(void **state)
{
    (void)state;
    assert_int_equal(card_bus_lines("0235800201000000"), 4); /* as a board printed it */
    assert_int_equal(card_bus_lines("0231800201000000"), 1);
    assert_int_equal(card_bus_lines("0230800201000000"), 0);
    assert_int_equal(card_bus_lines("0235"), 0);
    assert_int_equal(card_bus_lines("023x800201000000"), 0);
    assert_int_equal(card_bus_lines(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scr_names_the_data_lines),
        cmocka_unit_test(claims_are_decoded),
        cmocka_unit_test(registers_that_are_none_claim_nothing),
        cmocka_unit_test(wear_is_read_in_all_printed_forms),
        cmocka_unit_test(makers_differ_by_kind),
        cmocka_unit_test(identities_are_hexadecimal),
        cmocka_unit_test(posted_cards_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
