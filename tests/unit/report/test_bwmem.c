/* bwmem: the lines bw_mem prints, byte for byte, and what stands beside them. */
#include "report/bwmem.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"

static const struct frame_metric metrics[] = {
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "published_rd", ""},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "published_wr", ""},
};

static struct model *told(const char *const facts[][2], double rd, double wr)
{
    struct model *model = model_new();
    struct frame frame = {
        .type = FRAME_START,
        .start = {.tick_ns = 1000000000, .mono_ns = 1, .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics};
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "test", "memory.bandwidth");
    frame.pairs = pairs.text;
    frame.pairs_size = pairs.size;
    assert_int_equal(model_apply(model, &frame), 0);
    for (size_t i = 0; facts[i][0]; i++) {
        AUTO(str_done) struct str pair = {0};
        str_add_pair(&pair, facts[i][0], facts[i][1]);
        frame = (struct frame){.type = FRAME_FACT, .pairs = pair.text, .pairs_size = pair.size};
        assert_int_equal(model_apply(model, &frame), 0);
    }
    const double rates[] = {rd, wr};
    for (uint16_t i = 0; i < 2; i++) {
        frame = (struct frame){.type = FRAME_RESULT,
                               .result = {.metric = i, .lane = DYNO_LANE_ALL, .value = rates[i]}};
        if (rates[i] > 0)
            assert_int_equal(model_apply(model, &frame), 0);
    }
    return model;
}

static void the_published_board(void **state)
{
    (void)state;
    static const char *const facts[][2] = {
        {"bw_mem-50m-rd", "52.43 2765.12; 52.43 2764.90; 52.43 2765.00"},
        {"bw_mem-50m-wr", "52.43 891.00"},
        {"bw_mem-8k-bcopy", "0.008192 9123.46"},
        {NULL, NULL}};
    AUTO(str_done) struct str text = {0};
    struct model *model = told(facts, 2765.12e6, 891e6);
    assert_int_equal(bwmem_write(model, &text), 0);
    model_free(model);
    assert_string_equal(text.text,
                        "# 8k bcopy\n0.008192 9123.46\n"
                        "# 50m rd\n52.43 2765.12\n52.43 2764.90\n52.43 2765.00\n"
                        "# 50m wr\n52.43 891.00\n"
                        "# published convention: rd 2765 MB/s, wr 891 MB/s (50m, medians, MB = "
                        "10^6 bytes)\n"
                        "# wr is not the write bandwidth: it stores one word in every 16 bytes and "
                        "fills no line, so that each line is read before it is written back, and "
                        "the bus moves twice what is counted\n");
}

static void other_runs_have_no_lines(void **state)
{
    (void)state;
    static const char *const none[][2] = {{NULL, NULL}};
    static const char *const strange[][2] = {{"bw_mem-50m-rd", "fast"},
                                             {"bw_mem-50m-wr", "52.43"},
                                             {"bw_mem-8k-rd", "; ;52.43 ;1 2x; 1 2 3; 1  2"},
                                             {"bw_mem-1m-rd", "1.05 2765.00"},
                                             {NULL, NULL}};
    AUTO(str_done) struct str text = {0};
    struct model *model = told(none, 1e9, 1e9);
    assert_int_equal(bwmem_write(model, &text), -ENODATA);
    model_free(model);
    model = told(strange, 0, 0);
    assert_int_equal(bwmem_write(model, &text), -ENODATA);
    model_free(model);
    assert_int_equal(text.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_board),
        cmocka_unit_test(other_runs_have_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
