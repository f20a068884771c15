/* inbox: each change once, devices and catalog first; the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inbox.h"

static void test_order_and_once(void **state)
{
    struct inbox inbox = {0};
    enum core_event event;
    unsigned run;
    (void)state;
    assert_false(inbox_take(&inbox, &event, &run));
    inbox_put(&inbox, CORE_RUN, 7);
    inbox_put(&inbox, CORE_RUN, 8);
    inbox_put(&inbox, CORE_RUN, 7);
    inbox_put(&inbox, CORE_CATALOG, 0);
    inbox_put(&inbox, CORE_DEVICES, 0);
    inbox_put(&inbox, CORE_EVENTS, 0);
    const enum core_event events[] = {CORE_DEVICES, CORE_CATALOG, CORE_RUN, CORE_RUN};
    const unsigned runs[] = {0, 0, 7, 8};
    for (int i = 0; i < 4; i++) {
        assert_true(inbox_take(&inbox, &event, &run));
        assert_int_equal(event, events[i]);
        assert_int_equal(run, runs[i]);
    }
    assert_false(inbox_take(&inbox, &event, &run));
}

static void test_the_bound(void **state)
{
    struct inbox inbox = {0};
    (void)state;
    for (unsigned i = 1; i <= INBOX_RUNS_MAX + 5; i++)
        inbox_put(&inbox, CORE_RUN, i);
    assert_int_equal(inbox.run_count, INBOX_RUNS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_once),
        cmocka_unit_test(test_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
