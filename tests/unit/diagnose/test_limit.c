/* limit: what held a run back: bus, CPU, disk, or what was looked at in vain. */
#include "figures.h"

static void test_bus(void **state)
{
    (void)state;
    struct figures figures = {
        .method = "dd-direct", .written = 100 * MIB, .rate = 80e6, .ceiling = "100000000"};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    assert_string_equal(verdict.main.text,
                        "the bus is the limit: 80.0 MB/s of 100 MB/s (80 %), as SDR104, 4 bit "
                        "allows; only a faster mode of the bus gives more");
    figures.rate = 79.9e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_fsync_share(void **state)
{
    (void)state;
    struct figures figures = {
        .written = 524288000, .rate = 67.1e6, .real_s = 8, .sync_s = 4, .ceiling = "104000000"};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_non_null(strstr(verdict.main.text, "67.1 MB/s of 104 MB/s (64"));
    assert_non_null(strstr(verdict.main.text, "50 % of the time spent in sync"));
    assert_true(verdict.ceiling_bps == 104e6);
    assert_string_equal(verdict.ceiling_source, "SDR104, 4 bit");
    assert_true(verdict.fraction > 0.645 && verdict.fraction < 0.646);
    figures.sync_s = 3.9;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "unknown");
    assert_string_equal(
        verdict.main.text,
        "unknown limit: 3.9 s of 8.0 s were sync, no CPU time is known, the bus was "
        "at 64.5 % of 104 MB/s, RAM took the rest of the writes; method=dd-direct "
        "writes past RAM and tells");
    /* Where the CPU's part is known, the rest was waiting in write(). */
    figures.results[0] = (struct named){"cpu_share", 0.2};
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_string_equal(verdict.main.text, "the disk is the limit: 67.1 MB/s of 104 MB/s (64.5 %), "
                                           "80 % of the time waiting for it, CPU 20 %");
}

static void test_a_serial_run_is_held_up_by_its_larger_part(void **state)
{
    (void)state;
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 40e6,
                              .results = {{"cpu_share", 0.62}},
                              .heat = {55, 61},
                              .clock = {1.2e9, 1.2e9},
                              .pairs = {{"machine.governor", "powersave"}}};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
    assert_string_equal(
        verdict.main.text,
        "the CPU is the limit: 40.0 MB/s of 104 MB/s (38.5 %) took 62 % of the time in CPU work, "
        "38 % waiting, one request at a time, at 1.2 GHz, at up to 61.0 degC; larger blocks, or "
        "more "
        "in flight (method=queue, depth), give more, as may the governor performance instead of "
        "powersave");
    figures.results[0].value = 0.49;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_non_null(strstr(verdict.main.text, "CPU 49 %"));
    figures.results[0].value = 0.6;
    figures.rate = 90e6; /* it filled the bus all the same */
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited");
}

static void test_a_queue_takes_a_whole_core(void **state)
{
    (void)state;
    struct figures figures = {.test = "storage.random",
                              .has_no_method = true,
                              .read = 100 * MIB,
                              .rate = 60e6,
                              .results = {{"cpu_share", 0.89}},
                              .facts = {{"engine", "io_uring"}},
                              .pairs = {{"option.depth", "32"}, {"machine.cpus", "4"}}};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    figures.results[0].value = 0.9;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
    assert_non_null(strstr(verdict.main.text, "took 90 % of the time in CPU work; larger blocks"));
    figures.facts[0].value = "threads"; /* they have all four */
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    figures.results[0].value = 3.6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
    figures.pairs[0].value = "2"; /* no more than two of them */
    figures.results[0].value = 1.8;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
}

static void test_the_kernel_on_one_core(void **state)
{
    (void)state;
    struct figures figures = {.test = "storage.read",
                              .method = "queue",
                              .read = 100 * MIB,
                              .rate = 38e6,
                              .results = {{"cpu_share", 0.3}, {"kernel_share", 0.96}},
                              .pairs = {{"option.depth", "32"}}};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
    assert_string_equal(
        verdict.main.text,
        "the CPU is the limit: 38.0 MB/s of 104 MB/s (36.5 %) kept one core 96 % of "
        "the time in the kernel (drivers, interrupts, encryption), the test itself "
        "30 %; larger blocks give more");
    figures.results[1].value = 0.89;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_without_a_share_the_times_of_the_process_serve(void **state)
{
    (void)state;
    /* Ten seconds in all; 0.5 s of them in sync. */
    struct figures figures = {.written = 1000e6,
                              .rate = 80e6,
                              .real_s = 10,
                              .sync_s = 0.5,
                              .results = {{"cpu_user", 0.4}, {"cpu_sys", 7.3}}};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
    assert_non_null(strstr(verdict.main.text, "took 77 % of the time in CPU work, 23 % waiting"));
    figures.results[1].value = 2.6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_non_null(strstr(verdict.main.text, "70 % of the time waiting for it, CPU 30 %"));
}

static void test_what_was_looked_at(void **state)
{
    (void)state;
    struct figures figures = {
        .test = "storage.read", .method = "dd", .read = 100 * MIB, .rate = 50e6, .cached = -1};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "unknown");
    assert_string_equal(verdict.main.text,
                        "unknown limit: no CPU time is known, the bus was at 48.1 % of 104 MB/s, "
                        "nothing tells how much came from RAM; method=dd-direct reads past RAM and "
                        "tells");
    figures.results[0] = (struct named){"cpu_share", 0.1};
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_non_null(strstr(verdict.main.text, "90 % of the time waiting for it"));
    figures.rate = 0;
    verdict = judge(figures);
    assert_string_equal(verdict.main.text, "unknown limit: the run ended without a rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_fsync_share),
        cmocka_unit_test(test_a_serial_run_is_held_up_by_its_larger_part),
        cmocka_unit_test(test_a_queue_takes_a_whole_core),
        cmocka_unit_test(test_the_kernel_on_one_core),
        cmocka_unit_test(test_without_a_share_the_times_of_the_process_serve),
        cmocka_unit_test(test_what_was_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
