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

static struct model *told(const char *const facts[][2])
{
    struct model *model = model_new();
    struct frame frame = {.type = FRAME_START, .start = {.tick_ns = 1000000000, .mono_ns = 1}};
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
    return model;
}

static void the_published_board(void **state)
{
    (void)state;
    static const char *const facts[][2] = {{"bw-mem-50m", "rd=2765.12 wr=891.00 frd=2037.5"},
                                           {"bw-mem-8k", "rd=9123.456 bcopy=0.5"},
                                           {NULL, NULL}};
    AUTO(str_done) struct str text = {0};
    struct model *model = told(facts);
    assert_int_equal(bwmem_write(model, &text), 0);
    model_free(model);
    assert_string_equal(text.text,
                        "# 8k rd\n0.008192 9123.46\n"
                        "# 8k bcopy\n0.008192 0.500000\n"
                        "# 50m rd\n52.43 2765.12\n"
                        "# 50m wr\n52.43 891.00\n"
                        "# 50m frd\n52.43 2037.50\n"
                        "# published convention: rd 2765.12 MB/s, wr 891.00 MB/s (50m, MB = 10^6 "
                        "bytes)\n"
                        "# wr is not the write bandwidth: it stores one word in every 16 bytes and "
                        "fills no line, so that each line is read before it is written back, and "
                        "the bus moves twice what is counted\n");
}

/* The script runs each operation five times. */
static void repeats_are_lines_of_their_own(void **state)
{
    (void)state;
    static const char *const facts[][2] = {{"bw-mem-128k", "wr=1,2.5,3 rdwr=4"}, {NULL, NULL}};
    AUTO(str_done) struct str text = {0};
    struct model *model = told(facts);
    assert_int_equal(bwmem_write(model, &text), 0);
    model_free(model);
    assert_string_equal(text.text, "# 128k wr\n0.131072 1.00\n0.131072 2.50\n0.131072 3.00\n"
                                   "# 128k rdwr\n0.131072 4.00\n");
}

static void other_runs_have_no_lines(void **state)
{
    (void)state;
    static const char *const none[][2] = {{NULL, NULL}};
    static const char *const strange[][2] = {
        {"bw-mem-50m", "rd= wr=fast frd=-1 cp=. ==="}, {"bw-mem-8k", ""}, {NULL, NULL}};
    AUTO(str_done) struct str text = {0};
    struct model *model = told(none);
    assert_int_equal(bwmem_write(model, &text), -ENODATA);
    model_free(model);
    model = told(strange);
    assert_int_equal(bwmem_write(model, &text), -ENODATA);
    model_free(model);
    assert_int_equal(text.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_board),
        cmocka_unit_test(repeats_are_lines_of_their_own),
        cmocka_unit_test(other_runs_have_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
