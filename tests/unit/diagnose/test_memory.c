/* memory: each rule with the figures that make it speak, and those that do not. */
#include "frames.h"

#include <string.h>

#include "diagnose/verdict.h"
#include "iodyno/plugin.h"

enum { RATE, DRAM_CLOCK, CPU_CLOCK, TEMPERATURE };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "dram_clock", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_clock", ""},
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_NONE, 1, "temperature", ""},
};

struct figures {
    const char *test;
    double rate;
    struct pair start[6], facts[6], events[4]; /* ended by {NULL} */
    double dram[2], clock[2], heat[2];         /* two readings each; 0: none */
    unsigned state;
};

static const struct pair bus[] = {{"target.mode", "DDR4-1600"},
                                  {"target.width", "16"},
                                  {"target.ceiling", "3200000000"},
                                  {"target.ceiling_source", "board file x, at most"}};

static struct verdict judge(const struct figures *figures)
{
    AUTO(str_done) struct str pairs = {0};
    struct model *model = model_new();
    struct verdict verdict;
    str_add_pair(&pairs, "test", figures->test ? figures->test : "memory.bandwidth");
    for (const struct pair *pair = figures->start; pair->key; pair++)
        str_add_pair(&pairs, pair->key, pair->value);
    struct frame frame = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .mono_ns = S, .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics};
    apply(model, &frame, &pairs);
    add_gauge(model, DRAM_CLOCK, figures->dram);
    add_gauge(model, CPU_CLOCK, figures->clock);
    add_gauge(model, TEMPERATURE, figures->heat);
    tell(model, figures->facts, FRAME_FACT);
    tell(model, figures->events, FRAME_EVENT);
    frame =
        (struct frame){.type = FRAME_RESULT,
                       .result = {.metric = RATE, .lane = DYNO_LANE_ALL, .value = figures->rate}};
    if (figures->rate > 0)
        apply(model, &frame, NULL);
    AUTO(str_done) struct str end = {0};
    str_add_pair(&end, "sentence", "");
    frame =
        (struct frame){.type = FRAME_END,
                       .end = {.state = figures->state ? figures->state : RUN_DONE, .t_ns = 9 * S}};
    apply(model, &frame, &end);
    verdict_of(model, &verdict);
    model_free(model);
    return verdict;
}

static struct figures on_board(double rate)
{
    struct figures figures = {.rate = rate, .facts = {{"set-level", "DRAM"}}};
    memcpy(figures.start, bus, sizeof bus);
    return figures;
}

static const char *warning(const struct verdict *verdict, const char *code)
{
    for (unsigned i = 0; i < verdict->warning_count; i++)
        if (strcmp(verdict->warnings[i].code, code) == 0)
            return verdict->warnings[i].text;
    return "";
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* Acceptance case: peak 3200 and 2765 measured are 86.4 %. */
static void the_published_board_is_at_86_percent(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    struct verdict verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    assert_says(verdict.main.text, "2765 MB/s of 3200 MB/s (86.4 %)");
    assert_says(verdict.main.text, "DDR4-1600, 16 bit, board file x, at most");
    assert_true(verdict.fraction > 0.8639 && verdict.fraction < 0.8642);
    assert_int_equal(verdict.warning_count, 0);
    figures = on_board(2230e6);
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "unknown");
}

static void the_option_rules_over_the_board(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    figures.start[4] = (struct pair){"option.dram-peak", "ddr4-2400x16"};
    struct verdict verdict = judge(&figures);
    assert_true(verdict.ceiling_bps > 4799e6 && verdict.ceiling_bps < 4801e6);
    assert_string_equal(verdict.ceiling_source, "option ddr4-2400x16");
    figures.start[4].value = "";
    verdict = judge(&figures);
    assert_true(verdict.ceiling_bps < 3201e6);
}

static void more_than_the_peak_is_no_speed(void **state)
{
    (void)state;
    struct figures figures = on_board(3300e6);
    struct verdict verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_true(verdict.is_warning);
    assert_says(verdict.main.text, "3300 MB/s is more than the peak of 3200 MB/s");
    assert_says(verdict.main.text, "a cache served it, or the peak is wrong");
    figures = on_board(3250e6); /* within what clocks are good for */
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    figures = on_board(2000e6);
    figures.events[0] = (struct pair){"over-ceiling", "memset moved 4000 MB/s, more than the peak"};
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_says(verdict.main.text, "memset moved 4000 MB/s");
}

static void a_cache_is_named_and_has_no_peak(void **state)
{
    (void)state;
    struct figures figures = on_board(90e9);
    figures.facts[0].value = "L2";
    figures.facts[1] = (struct pair){"set", "1 MiB, as asked: L2, not DRAM"};
    struct verdict verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "not-dram");
    assert_says(verdict.main.text, "this is the speed of L2, not of the DRAM: 1 MiB, as asked");
    assert_true(verdict.ceiling_bps < 1);
    assert_int_equal(verdict.warning_count, 0);
}

static void errors_stand_before_all_figures(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    figures.events[0] = (struct pair){"memory-error", "address 0x10: expected 0x1, got 0x3"};
    figures.events[1] = figures.events[0];
    struct verdict verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "memory-error");
    assert_says(verdict.main.text, "got 0x3 (and 1 more)");
    figures.state = RUN_FAILED;
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "unknown");
    assert_says(warning(&verdict, "memory-error"), "got 0x3");
}

static void corrected_errors_warn_and_others_are_the_verdict(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    figures.facts[1] = (struct pair){"edac-errors", "2 corrected, 0 uncorrected"};
    struct verdict verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    assert_says(warning(&verdict, "memory-error"), "2 corrected, 0 uncorrected");
    figures.facts[1].value = "2 corrected, 10 uncorrected";
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "memory-error");
}

static void threads_that_hurt_are_told(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    figures.facts[1] = (struct pair){
        "kernel-write", "1 thread 1000 MB/s (p5 900); 2 threads 499 MB/s (p5 400); neon"};
    struct verdict verdict = judge(&figures);
    assert_says(warning(&verdict, "other-traffic"),
                "write: 2 threads together moved 499 MB/s, less than half of the 1000 MB/s of one");
    figures.facts[1].value = "1 thread 1000 MB/s (p5 900); 2 threads 500 MB/s (p5 400); neon";
    verdict = judge(&figures);
    assert_string_equal(warning(&verdict, "other-traffic"), "");
    figures.facts[1].value = "2 threads 1 MB/s; 1 thread";
    verdict = judge(&figures);
    assert_string_equal(warning(&verdict, "other-traffic"), "");
}

static void what_threads_add_tells_the_limit(void **state)
{
    (void)state;
    struct figures figures = {.rate = 19.7e9, .facts = {{"set-level", "DRAM"}}};
    figures.facts[1] =
        (struct pair){"kernel-read", "1 thread 13300 MB/s (x); 4 threads 19700 MB/s (x); avx2"};
    struct verdict verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_says(verdict.main.text, "4 threads read 1.5 times what one did, 19700 MB/s");
    figures.facts[1].value = "1 thread 5000 MB/s (x); 4 threads 19700 MB/s (x); avx2";
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "cpu-limited");
    assert_says(verdict.main.text, "the CPUs are the limit, not the memory: 4 threads read 3.9");
    figures.facts[1] = (struct pair){NULL, NULL};
    verdict = judge(&figures);
    assert_string_equal(verdict.main.code, "unknown");
    assert_says(verdict.main.text, "nothing tells the peak of this memory");
}

/* RK3588 at 528 of 2112 MHz. */
static void a_memory_that_is_held_down_is_told(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    figures.facts[1] = (struct pair){"dram-clock", "at most 2112000000 Hz, governor dmc_ondemand"};
    figures.dram[0] = figures.dram[1] = 528e6;
    struct verdict verdict = judge(&figures);
    assert_says(warning(&verdict, "below-capability"),
                "the memory ran at 528 MHz of at most 2.1 GHz: its governor dmc_ondemand held it "
                "down");
    figures.dram[0] = figures.dram[1] = 2112e6;
    verdict = judge(&figures);
    assert_int_equal(verdict.warning_count, 0);
    figures.facts[1].value = "at most nothing";
    figures.dram[0] = 1e6;
    verdict = judge(&figures);
    assert_int_equal(verdict.warning_count, 0);
}

/* A clock that falls although its governor is held up is taken away. */
static void a_held_clock_that_falls_is_heat(void **state)
{
    (void)state;
    struct figures figures = on_board(2765e6);
    figures.clock[0] = 1800e6;
    figures.clock[1] = 1200e6;
    figures.heat[0] = figures.heat[1] = 85;
    struct verdict verdict = judge(&figures);
    assert_string_equal(warning(&verdict, "thermal"), "");
    figures.facts[1] = (struct pair){"governor", "held at performance, before: schedutil"};
    verdict = judge(&figures);
    assert_says(warning(&verdict, "thermal"), "its clock fell from 1.8 GHz to 1.2 GHz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_board_is_at_86_percent),
        cmocka_unit_test(the_option_rules_over_the_board),
        cmocka_unit_test(more_than_the_peak_is_no_speed),
        cmocka_unit_test(a_cache_is_named_and_has_no_peak),
        cmocka_unit_test(errors_stand_before_all_figures),
        cmocka_unit_test(corrected_errors_warn_and_others_are_the_verdict),
        cmocka_unit_test(threads_that_hurt_are_told),
        cmocka_unit_test(what_threads_add_tells_the_limit),
        cmocka_unit_test(a_memory_that_is_held_down_is_told),
        cmocka_unit_test(a_held_clock_that_falls_is_heat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
