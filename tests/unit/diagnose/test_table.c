/* table: what the cells of storage.table show, taken together. */
#include "figures.h"

static struct figures table(void)
{
    return (struct figures){.test = "storage.table",
                            .has_no_method = true,
                            .read = 100 * MIB,
                            .written = 100 * MIB,
                            .results = {{"seq1m_q8_read", 80.1e6},
                                        {"seq1m_q1_read", 76e6},
                                        {"seq1m_q8_write", 19e6},
                                        {"seq1m_q1_write", 20.3e6},
                                        {"rnd4k_q32_read_iops", 1400},
                                        {"rnd4k_q1_read_iops", 1270},
                                        {"rnd4k_q32_write_iops", 270},
                                        {"rnd4k_q1_write_iops", 270}}};
}

static void test_a_card(void **state)
{
    (void)state;
    struct verdict verdict = judge(table());
    assert_string_equal(verdict.main.code, "device-limited");
    assert_false(verdict.is_warning);
    assert_string_equal(
        verdict.main.text,
        "the disk is the limit: in sequence 80.1 MB/s read, 20.3 MB/s written (77.0 % and 19.5 % "
        "of "
        "SDR104, 4 bit); at random, 4 KiB one at a time, 1270 and 270 IOPS, 6.5 % and 5.4 % of "
        "that "
        "rate; 32 in flight give 1.1 and 1.0 times as many: larger blocks help, a queue does not");
}

static void test_what_a_queue_gives(void **state)
{
    (void)state;
    struct figures figures = table();
    figures.results[4].value = 1270 * 1.5;
    struct verdict verdict = judge(figures);
    assert_non_null(strstr(verdict.main.text, "a queue helps its reads, its writes take larger"));
    figures.results[6].value = 270 * 1.5;
    verdict = judge(figures);
    assert_non_null(strstr(verdict.main.text, "1.5 and 1.5 times as many: keep several in flight"));
    figures.results[4].value = 1270;
    verdict = judge(figures);
    assert_non_null(strstr(verdict.main.text, "a queue helps its writes, its reads take larger"));
}

static void test_the_bus_in_sequence(void **state)
{
    (void)state;
    struct figures figures = table();
    figures.results[0].value = 83.2e6; /* 80 % of 104 */
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    assert_true(
        str_starts(verdict.main.text, "the bus is the limit of reads: in sequence 83.2 MB/s read"));
    figures.results[0].value = 83.1e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_more_than_the_bus_carries(void **state)
{
    (void)state;
    struct figures figures = table();
    figures.results[1].value = 106e6;
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited"); /* within 2 % */
    figures.results[1].value = 1060e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_string_equal(verdict.main.text,
                        "SEQ1M Q1 read gave 1.1 GB/s, more than the 104 MB/s that SDR104, 4 bit "
                        "can carry: an error of method, not the speed of the "
                        "device; take a larger size");
}

static void test_reads_from_ram(void **state)
{
    (void)state;
    struct figures figures = table();
    figures.cached = 0.4; /* by the disk's own counter */
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "cached"),
                        "40 % of what was read came from RAM, not from the device; take a larger "
                        "size");
    figures.cached = -1; /* no counter, and 4 us a request */
    figures.results[5].value = 250000;
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "cached"), "RND4K Q1 read took 4.0 us a request"));
    figures.results[5].value = 199999;
    verdict = judge(figures);
    assert_false(warns(&verdict, "cached"));
}

static void test_the_cell_that_takes_the_cpu(void **state)
{
    (void)state;
    struct figures figures = table();
    figures.results[8] = (struct named){"cpu_share", 0.97};
    figures.facts[0] = (struct pair){"cpu-cell", "rnd4k_q32_read"};
    struct verdict verdict = judge(figures);
    assert_non_null(strstr(verdict.main.text, "; RND4K Q32 read took 97 % of the CPU it can use"));
    figures.results[8].value = 0.89;
    verdict = judge(figures);
    assert_null(strstr(verdict.main.text, "of the CPU"));
    figures.results[8].value = 0.97;
    figures.facts[0].value = "a strange word";
    verdict = judge(figures);
    assert_null(strstr(verdict.main.text, "of the CPU"));
}

static void test_cells_that_are_missing(void **state)
{
    (void)state;
    struct figures figures = table();
    figures.results[4] = (struct named){NULL, 0}; /* only those in sequence */
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.text,
                        "the disk is the limit: in sequence 80.1 MB/s read, 20.3 "
                        "MB/s written (77.0 % and 19.5 % of SDR104, 4 bit)");
    figures.results[2] = (struct named){NULL, 0};
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "unknown");
}

static void test_a_running_table_has_no_limit_yet(void **state)
{
    (void)state;
    struct figures figures = table();
    struct verdict verdict;
    struct model *model = model_new();
    start(model, &figures);
    add_sample(model, READ, 0, 5e9); /* no mean of all cells is over the ceiling */
    verdict_of(model, &verdict);
    assert_string_equal(verdict.main.text,
                        "its cells are being measured; what they show is told at the end");
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_card),
        cmocka_unit_test(test_what_a_queue_gives),
        cmocka_unit_test(test_the_bus_in_sequence),
        cmocka_unit_test(test_more_than_the_bus_carries),
        cmocka_unit_test(test_reads_from_ram),
        cmocka_unit_test(test_the_cell_that_takes_the_cpu),
        cmocka_unit_test(test_cells_that_are_missing),
        cmocka_unit_test(test_a_running_table_has_no_limit_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
