/* bandwidth: lanes, columns, headline, shares, sentences; a flipped bit leaves no headline. */
#include "prelude.h"

#include "fake_host.h"

#include <memory/bandwidth.h>
#include <memory/cpus.h>
#include <memory/kernel.h>

#include <stdio.h>

#define MS UINT64_C(1000000)
#define KIB UINT64_C(1024)

static struct dyno_run run;

static int go(const struct fake_option *options)
{
    fake_open(&run, NULL, options);
    int code = memory_bandwidth(&fake_host, &run);
    return code;
}

static double lane(unsigned metric, unsigned kernel)
{
    double value = -1;
    (void)fake_lane_result(&run, metric, kernel, &value);
    return value;
}

static double whole(unsigned metric)
{
    return lane(metric, DYNO_LANE_ALL);
}

static void all_kernels_by_one_thread(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"kernel", "all", 0},
                                          {"threads", "1", 1},
                                          {"size", "192K", 192 * KIB},
                                          {"time", "400ms", 400 * MS},
                                          {NULL, NULL, 0}};
    assert_int_equal(go(options), 0);
    assert_true(whole(BANDWIDTH_RATE) == lane(BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_READ));
    double write = lane(BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_WRITE),
           memset_rate = lane(BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_MEMSET);
    assert_true(whole(BANDWIDTH_WRITE) == (write > memset_rate ? write : memset_rate));
    assert_true(whole(BANDWIDTH_RD) == lane(BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_RD));
    assert_true(whole(BANDWIDTH_WR) > 0 && whole(BANDWIDTH_COPY) > 0 && whole(BANDWIDTH_TRIAD) > 0);
    assert_true(whole(BANDWIDTH_P5) <= whole(BANDWIDTH_RATE) &&
                whole(BANDWIDTH_RATE) <= whole(BANDWIDTH_P95) &&
                whole(BANDWIDTH_P95) <= whole(BANDWIDTH_BEST));
    assert_true(lane(BANDWIDTH_ALL + COLUMN_MEDIAN, KERNEL_READ) < 0); /* no second column */
    assert_true(run.lane_sums[BANDWIDTH_MOVED][KERNEL_READ] > 0);
    assert_true(run.lane_sums[BANDWIDTH_PUBLISHED][KERNEL_WR - KERNEL_RD] > 0);
    assert_true(run.sums[BANDWIDTH_TAKEN] >= 192 * KIB);
    assert_true(whole(BANDWIDTH_SHARE) < 0); /* nothing tells a peak */
    assert_string_equal(fake_fact(&run, "peak-source"), "unknown");
    assert_non_null(strstr(fake_fact(&run, "published-convention"), "not the board's write"));
    assert_int_equal(strncmp(fake_fact(&run, "kernel-read"), "1 thread ", 9), 0);
    /* it is a cache, and said to be one */
    assert_string_equal(run.event_code, "not-dram");
    assert_string_not_equal(fake_fact(&run, "set-level"), "DRAM");
    fake_close(&run);
}

static void both_columns_of_one_kernel(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"kernel", "copy", 0},
                                          {"size", "192K", 192 * KIB},
                                          {"isa", "base", 0},
                                          {"time", "300ms", 300 * MS},
                                          {NULL, NULL, 0}};
    assert_int_equal(go(options), 0);
    double one = lane(BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_COPY),
           all = lane(BANDWIDTH_ALL + COLUMN_MEDIAN, KERNEL_COPY);
    assert_true(one > 0 && whole(BANDWIDTH_RATE) == (one > all ? one : all));
    assert_true(whole(BANDWIDTH_COPY) == whole(BANDWIDTH_RATE));
    assert_true(whole(BANDWIDTH_WRITE) < 0);
    assert_string_equal(fake_fact(&run, "isa"), kernel_isas[0]->name);
    assert_true(run.lane_sums[BANDWIDTH_MOVED][KERNEL_READ] == 0);
    fake_close(&run);
}

/* What is shown is what was counted: bytes over seconds. */
static void the_mean_is_bytes_over_seconds(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"kernel", "read", 0},
                                          {"threads", "1", 1},
                                          {"size", "1M", 1024 * KIB},
                                          {"time", "350ms", 350 * MS},
                                          {NULL, NULL, 0}};
    assert_int_equal(go(options), 0);
    double seconds = (double)(run.last_t1[BANDWIDTH_MOVED] - run.first_t0[BANDWIDTH_MOVED]) / 1e9;
    double mean = lane(BANDWIDTH_ONE + COLUMN_MEAN, KERNEL_READ);
    double counted = run.sums[BANDWIDTH_MOVED] / seconds;
    assert_true(mean > counted * 0.995 && mean < counted * 1.005);
    fake_close(&run);
}

static void a_peak_gives_shares(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"kernel", "memset", 0},    {"threads", "1", 1},         {"size", "512M", 512 * KIB * KIB},
        {"dram-peak", "100000", 0}, {"time", "200ms", 200 * MS}, {NULL, NULL, 0}};
    int code = go(options);
    if (code == -ENOSPC) /* a machine without so much */
        skip();
    assert_int_equal(code, 0);
    assert_string_equal(fake_fact(&run, "set-level"), "DRAM");
    assert_true(whole(BANDWIDTH_PEAK) == 1e11);
    assert_true(whole(BANDWIDTH_SHARE) == whole(BANDWIDTH_RATE) / 1e11);
    assert_true(whole(BANDWIDTH_WRITE_SHARE) == whole(BANDWIDTH_WRITE) / 1e11);
    fake_close(&run);
}

static void a_flipped_bit_fails_without_a_headline(void **state)
{
    (void)state;
    static const char *const kernels[] = {"read", "write", "copy", "triad", "memcpy"};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const struct fake_option options[] = {{"kernel", kernels[i], 0},   {"threads", "1", 1},
                                              {"size", "192K", 192 * KIB}, {"flip", "yes", 1},
                                              {"time", "60ms", 60 * MS},   {NULL, NULL, 0}};
        assert_int_equal(go(options), -EIO);
        assert_string_equal(run.event_code, "memory-error");
        assert_non_null(strstr(run.sentence, "memory error: 1 wrong word"));
        assert_int_equal(run.result_count, 0);
        fake_close(&run);
    }
}

static void refused(const struct fake_option *options, int code, const char *part)
{
    assert_int_equal(go(options), code);
    if (!strstr(run.sentence, part))
        fail_msg("\"%s\" is not in \"%s\"", part, run.sentence);
    assert_int_equal(run.phase_count, 0); /* else it would count as failed */
    assert_int_equal(run.result_count, 0);
    fake_close(&run);
}

#define ONE(key, text, number)                                                                     \
    (const struct fake_option[])                                                                   \
    {                                                                                              \
        {key, text, number}, {"time", "100ms", 100 * MS},                                          \
        {                                                                                          \
            NULL, NULL, 0                                                                          \
        }                                                                                          \
    }

static void bad_wishes_end_in_a_sentence(void **state)
{
    (void)state;
    refused(ONE("threads", "256", 256), -EINVAL, "threads=256: this run may use ");
    refused(ONE("cpus", "9999", 0), -EINVAL, "cpus=9999: CPU 9999 may not be used here");
    refused(ONE("size", "1E", UINT64_C(1) << 60), -ENOSPC, "is more than may be taken here");
    refused(ONE("size", "1", 1), -EINVAL, "leaves less than 4 KiB");
    /* one thread could, all together cannot: nothing is measured before that is said */
    struct cpus cpus;
    assert_int_equal(cpus_find("", &cpus), 0);
    if (cpus.count > 1)
        refused(ONE("size", "4K", 4096), -EINVAL, "leaves less than 4 KiB for each of");
    refused(ONE("dram-peak", "fast", 0), -EINVAL, "dram-peak: expected");
#if defined(__x86_64__)
    refused(ONE("isa", "sve", 0), -EINVAL, "isa=sve: this CPU does not have it; it has sse2");
    refused(ONE("kernel", "zva", 0), -EINVAL, "kernel=zva: this CPU has no such instruction");
#endif
}

static double read_rate_at_write = -1;

static void look_at_write(struct dyno_run *of, const char *name)
{
    if (strncmp(name, "memset", 6) == 0) /* eleven kernels of 120 ms are more than 100 ms: */
        assert_true(of->done < of->total);
    if (strncmp(name, "write, 1", 8) == 0)
        (void)fake_lane_result(of, BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_READ, &read_rate_at_write);
}

/* Once the figures of all kernels came at the end, and the bars had none to show before. */
static void a_kernel_is_told_when_it_has_finished(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"kernel", "all", 0},
                                          {"threads", "1", 1},
                                          {"size", "192K", 192 * KIB},
                                          {"time", "100ms", 100 * MS},
                                          {NULL, NULL, 0}};
    fake_open(&run, NULL, options);
    run.on_phase = look_at_write;
    assert_int_equal(memory_bandwidth(&fake_host, &run), 0);
    assert_true(read_rate_at_write > 0);
    assert_true(read_rate_at_write == lane(BANDWIDTH_ONE + COLUMN_MEDIAN, KERNEL_READ));
    fake_close(&run);
}

static void cancel_on_phase(struct dyno_run *of, const char *name)
{
    if (strncmp(name, "read", 4) == 0)
        fake_cancel(of);
}

static void a_cancelled_run_keeps_what_it_has(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"kernel", "read", 0},        {"threads", "1", 1},
                                          {"size", "192K", 192 * KIB},  {"isa", "base", 0},
                                          {"time", "1h", 3600000 * MS}, {NULL, NULL, 0}};
    fake_open(&run, NULL, options);
    run.on_phase = cancel_on_phase;
    assert_int_equal(memory_bandwidth(&fake_host, &run), -ECANCELED);
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kernels_by_one_thread),
        cmocka_unit_test(both_columns_of_one_kernel),
        cmocka_unit_test(the_mean_is_bytes_over_seconds),
        cmocka_unit_test(a_peak_gives_shares),
        cmocka_unit_test(a_flipped_bit_fails_without_a_headline),
        cmocka_unit_test(bad_wishes_end_in_a_sentence),
        cmocka_unit_test(a_kernel_is_told_when_it_has_finished),
        cmocka_unit_test(a_cancelled_run_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
