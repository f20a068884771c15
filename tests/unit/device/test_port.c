#include "device/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

static void capabilities_are_found_in_the_store(void **state)
{
    (void)state;
    static const uint8_t high_only[] = {5, 15, 12, 0, 1, 7, 16, 2, 2, 0, 0, 0};
    static const uint8_t super[] = {5, 15, 22, 0, 2, 7,  16, 2, 2,  0,   0,
                                    0, 10, 16, 3, 0, 14, 0,  1, 10, 255, 7};
    static const uint8_t plus[] = {5, 15, 25, 0, 1, 20, 16, 10, 0, 0, 0, 0, 0,
                                   0, 0,  0,  0, 0, 0,  0,  0,  0, 0, 0, 0};
    assert_int_equal(port_bos_mbps(high_only, sizeof high_only), 480);
    assert_int_equal(port_bos_mbps(super, sizeof super), 5000);
    assert_int_equal(port_bos_mbps(plus, sizeof plus), 10000);
    assert_int_equal(port_bos_mbps(super, sizeof super - 1), 480); /* cut: not believed */
    assert_int_equal(port_bos_mbps(super, 4), 0);
    assert_int_equal(port_bos_mbps(super + 5, sizeof super - 5), 0); /* no store */
    static const uint8_t zero[] = {5, 15, 9, 0, 1, 0, 0, 0, 0};
    assert_int_equal(port_bos_mbps(zero, sizeof zero), 480);
}

static void advice_follows_the_cause(void **state)
{
    (void)state;
    static const struct {
        struct port_facts facts;
        const char *advice;
    } rows[] = {
        {{480, 5000, 5000, true, 0, PORT_NO_TYPEC},
         "runs at 480 of 5000 Mbit/s: try another cable, or plug it in again quickly"},
        {{480, 5000, 5000, false, 0, PORT_NO_TYPEC},
         "runs at 480 of probably 5000 Mbit/s: try another cable, or plug it in again quickly"},
        {{480, 5000, 5000, true, 0, PORT_REVERSE},
         "runs at 480 of 5000 Mbit/s: flip the plug, then try another cable"},
        {{480, 5000, 480, true, 480, PORT_NO_TYPEC},
         "runs at 480 of 5000 Mbit/s: port limited by the device tree (maximum-speed)"},
        {{480, 5000, 480, true, 0, PORT_NO_TYPEC},
         "runs at 480 of 5000 Mbit/s: this port can do no more: use a SuperSpeed port"},
        {{480, 480, 5000, true, 0, PORT_NO_TYPEC}, NULL},
        {{5000, 10000, 10000, true, 0, PORT_NO_TYPEC}, NULL},
        {{0, 5000, 5000, true, 0, PORT_NO_TYPEC}, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AUTO_FREE char *advice = port_advice(&rows[i].facts);
        if (rows[i].advice)
            assert_string_equal(advice, rows[i].advice);
        else
            assert_null(advice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities_are_found_in_the_store),
        cmocka_unit_test(advice_follows_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
