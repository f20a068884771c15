/* published: nine operations at three sizes, five lines of each in bw_mem's shape. */
#include "prelude.h"

#include "fake_host.h"

#include <memory/bandwidth.h>
#include <memory/kernel.h>

#include <stdio.h>

#define MS UINT64_C(1000000)

static struct dyno_run run;

/* "52.43 2765.12; 52.43 …": five of them; their median goes to *ret_middle. */
static void check_lines(const char *text, const char *size, double *ret_middle)
{
    double rates[5];
    char wanted[16];
    for (unsigned i = 0; i < 5; i++) {
        int read = 0;
        assert_int_equal(sscanf(text, "%15s %lf%n", wanted, &rates[i], &read), 2);
        assert_string_equal(wanted, size);
        assert_true(rates[i] > 0);
        text += read;
        if (i < 4)
            assert_int_equal(strncmp(text, "; ", 2), 0);
        text += i < 4 ? 2 : 0;
    }
    assert_string_equal(text, "");
    for (unsigned i = 0; i < 5; i++) {
        unsigned below = 0;
        for (unsigned j = 0; j < 5; j++)
            below += rates[j] < rates[i] || (rates[j] == rates[i] && j < i);
        if (below == 2)
            *ret_middle = rates[i];
    }
}

static void all_operations_at_all_sizes(void **state)
{
    (void)state;
    static const char *const sizes[][2] = {
        {"8k", "0.008192"}, {"128k", "0.131072"}, {"50m", "52.43"}};
    const struct fake_option options[] = {
        {"method", "bw_mem", 1}, {"time", "100ms", 100 * MS}, {NULL, NULL, 0}};
    double middle = 0, value = 0;
    char key[48];
    fake_open(&run, NULL, options);
    assert_int_equal(memory_bandwidth(&fake_host, &run), 0);
    for (unsigned k = KERNEL_RD; k < KERNEL_COUNT; k++)
        for (size_t s = 0; s < 3; s++) {
            (void)snprintf(key, sizeof key, "bw_mem-%s-%s", sizes[s][0], kernel_about[k].name);
            check_lines(fake_fact(&run, key), sizes[s][1], &middle);
            if (s == 2 && k == KERNEL_RD) {
                assert_true(fake_result(&run, BANDWIDTH_RATE, &value));
                assert_true(value > middle * 1e6 - 1e4 && value < middle * 1e6 + 1e4);
            }
        }
    assert_true(fake_result(&run, BANDWIDTH_WR, &value));
    assert_true(fake_lane_result(&run, BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_BCOPY, &value));
    assert_non_null(strstr(fake_fact(&run, "published-convention"), "not the board's write"));
    assert_true(run.lane_sums[BANDWIDTH_PUBLISHED][KERNEL_BCOPY - KERNEL_RD] > 0);
    fake_close(&run);
}

/* A size, a kernel, an instruction set were once taken and passed over. */
static void what_is_not_of_the_method_is_refused(void **state)
{
    (void)state;
    static const struct fake_option others[] = {
        {"size", "1M", 1 << 20}, {"threads", "2", 2}, {"kernel", "read", 0}, {"isa", "base", 0}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct fake_option options[] = {
            {"method", "bw_mem", 1}, others[i], {"time", "100ms", 100 * MS}, {NULL, NULL, 0}};
        fake_open(&run, NULL, options);
        assert_int_equal(memory_bandwidth(&fake_host, &run), -EINVAL);
        /* two threads on one CPU have a sentence of their own */
        assert_true(strstr(run.sentence, "leave out size") || strstr(run.sentence, "threads="));
        assert_int_equal(run.phase_count, 0);
        fake_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_operations_at_all_sizes),
        cmocka_unit_test(what_is_not_of_the_method_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
