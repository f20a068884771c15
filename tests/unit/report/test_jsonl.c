/* jsonl: a run as lines and back; what is refused, and with which sentence. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "report/document.h"
#include "report/jsonl.h"
#include "story.h"

/* One who follows a run: model, document and writer, as the commands have them. */
struct follower {
    struct model *model;
    struct document *document;
    struct jsonl_writer *writer;
    struct str lines;
    unsigned frames;
};

static struct follower follower_new(void)
{
    struct follower follower = {.model = model_new(), .document = document_new()};
    follower.writer = jsonl_writer_new(follower.model);
    return follower;
}

static void follower_done(struct follower *follower)
{
    jsonl_writer_free(follower->writer);
    document_free(follower->document);
    model_free(follower->model);
    str_done(&follower->lines);
}

static int take(void *user, const struct frame *frame)
{
    struct follower *follower = user;
    follower->frames++;
    int code = model_apply(follower->model, frame);
    if (code < 0)
        return code;
    assert_int_equal(document_apply(follower->document, frame), 0);
    assert_int_equal(jsonl_write(follower->writer, frame, &follower->lines), 0);
    return 0;
}

static void take_all(void *user, const struct frame *frame)
{
    assert_int_equal(take(user, frame), 0);
}

static int read_lines(struct jsonl_reader *reader, const char *text, struct str *why)
{
    int code = 0;
    while (*text && code == 0) {
        size_t size = strcspn(text, "\n");
        code = jsonl_read_line(reader, text, size, why);
        text += size + (text[size] == '\n');
    }
    return code;
}

static void check_round_trip(unsigned state, const char *sentence)
{
    AUTO(follower_done) struct follower first = follower_new(), second = follower_new();
    struct story story = {take_all, &first};
    story_tell(&story, state, sentence);

    struct jsonl_reader *reader = jsonl_reader_new(take, &second);
    AUTO(str_done) struct str why = {0}, one = {0}, two = {0};
    assert_int_equal(read_lines(reader, str_text(&first.lines), &why), 0);
    assert_int_equal(why.size, 0);
    unsigned frames = second.frames;
    assert_int_equal(jsonl_read_finish(reader), 0);
    assert_int_equal(second.frames, frames);
    jsonl_reader_free(reader);

    assert_int_equal(document_write(first.document, first.model, DOCUMENT_JSON, &one), 0);
    assert_int_equal(document_write(second.document, second.model, DOCUMENT_JSON, &two), 0);
    assert_string_equal(one.text, two.text);
    assert_int_equal(second.model->flags, first.model->flags);
    assert_int_equal(second.model->target_kind, DYNO_BLOCK);
    assert_string_equal(model_target(second.model, "device"), "partition");
    assert_string_equal(second.model->title, first.model->title);
    assert_int_equal(second.model->log_count, 1);
    assert_int_equal(second.model->logs[0].level, DYNO_WARNING);
    assert_true(second.model->events[0].is_owner);
    assert_int_equal(second.model->code, first.model->code);
    assert_int_equal(second.model->merged, 2);
    struct series_total a, b;
    series_total(first.model->metrics[WRITTEN].sum, &a);
    series_total(second.model->metrics[WRITTEN].sum, &b);
    assert_true(a.sum == b.sum && a.sum == 8388608);
}

static void test_round_trip(void **state)
{
    (void)state;
    check_round_trip(RUN_DONE, "");
    check_round_trip(RUN_FAILED, "cannot write to mmcblk1p1: Input/output error");
    check_round_trip(RUN_CANCELLED, "");
}

static void test_lines_are_whole_and_the_end_is_last(void **state)
{
    (void)state;
    AUTO(follower_done) struct follower follower = follower_new();
    struct story story = {take_all, &follower};
    story_tell(&story, RUN_DONE, "");
    const char *text = follower.lines.text;
    assert_true(str_starts(text, "{\"type\": \"start\", \"schema\": \"iodyno.run/1\""));
    assert_int_equal(text[follower.lines.size - 1], '\n');
    const char *last = text;
    unsigned widened = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        last = at;
        const char *mark = strstr(at, "\"widened\": true");
        widened += str_starts(at, "{\"type\": \"interval\", \"metric\": \"written\"") && mark &&
                   mark < strchr(at, '\n');
    }
    assert_true(str_starts(last, "{\"type\": \"end\""));
    assert_int_equal(widened, 2); /* four requests in two seconds, twice */
}

#define START                                                                                      \
    "{\"type\":\"start\",\"schema\":\"iodyno.run/1\",\"interval_s\":1,\"metrics\":[{\"key\":"      \
    "\"sent\",\"unit\":\"B\",\"kind\":\"delta\",\"better\":\"higher\",\"label\":\"Sent\"},"        \
    "{\"key\":\"rate\",\"unit\":\"bit/s\",\"kind\":\"total\",\"better\":\"higher\","               \
    "\"label\":\"Rate\"}]}\n"
#define INTERVAL "{\"type\":\"interval\",\"metric\":\"sent\",\"lane\":0,"

static void test_bad_lines_name_their_number(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"no json", "line 1: no JSON"},
        {"[]", "line 1: expected an object"},
        {"{}", "line 1: expected \"type\", a text"},
        {"{\"type\":7}", "line 1: expected \"type\", a text"},
        {"{\"type\":\"start\"}", "line 1: expected \"schema\""},
        {"{\"type\":\"start\",\"schema\":\"other/1\"}", "expected the schema iodyno.run/1"},
        {"{\"type\":\"start\",\"schema\":\"iodyno.run/1\"}", "expected \"metrics\", a list"},
        {"{\"type\":\"start\",\"schema\":\"iodyno.run/1\",\"metrics\":[7]}", "expected \"key\""},
        {"{\"type\":\"start\",\"schema\":\"iodyno.run/1\",\"metrics\":[]}", "interval_s"},
        {"{\"type\":\"start\",\"schema\":\"iodyno.run/1\",\"metrics\":[],\"interval_s\":0}",
         "\"interval_s\", a number from 0.001 to 86400"},
        {"{\"type\":\"start\",\"schema\":\"iodyno.run/1\",\"metrics\":[],\"interval_s\":1,"
         "\"options\":{\"a\":[]}}",
         "expected \"a\" in \"options\" to be a text or a number"},
        {"{\"type\":\"start\",\"schema\":\"iodyno.run/1\",\"metrics\":[],\"interval_s\":1,"
         "\"started\":\"yesterday\"}",
         "expected \"started\""},
        {"{\"type\":\"event\",\"t_s\":1,\"code\":\"a\",\"text\":\"b\"}",
         "line 1: expected the start of a run first"},
        {START START, "line 2: a second start"},
        {START "{\"type\":\"interval\",\"metric\":\"other\"}", "no metric \"other\""},
        {START "{\"type\":\"interval\",\"metric\":\"rate\",\"lane\":0,\"t0_s\":0,\"t1_s\":1,"
               "\"value\":1}",
         "\"rate\" has no intervals"},
        {START INTERVAL "\"t0_s\":1,\"t1_s\":1,\"value\":1}", "line 2: a value out of range"},
        {START INTERVAL "\"t0_s\":0,\"t1_s\":1e300,\"value\":1}", "expected \"t1_s\""},
        {START INTERVAL "\"t0_s\":0,\"t1_s\":1,\"value\":\"1\"}", "expected \"value\", a number"},
        {START INTERVAL "\"t0_s\":0,\"t1_s\":1}", "expected \"value\", a number"},
        {START INTERVAL "\"t0_s\":0,\"t1_s\":1,\"value\":1,\"value\":1}", "line 2: no JSON"},
        {START INTERVAL "\"t0_s\":5,\"t1_s\":6,\"value\":1}\n" INTERVAL
                        "\"t0_s\":4,\"t1_s\":5,\"value\":1}",
         "line 3: it does not fit the lines before it"},
        {START "{\"type\":\"interval\",\"metric\":\"sent\",\"lane\":256,\"t0_s\":0,\"t1_s\":1,"
               "\"value\":1}",
         "\"lane\", a number from 0 to 255"},
        {START "{\"type\":\"interval\",\"metric\":\"sent\",\"lane\":1.5,\"t0_s\":0,\"t1_s\":1,"
               "\"value\":1}",
         "\"lane\", a whole number"},
        {START "{\"type\":\"log\",\"level\":\"loud\",\"text\":\"\"}", "unknown level \"loud\""},
        {START "{\"type\":\"fact\",\"key\":\"\",\"text\":\"x\"}", "line 2: a value out of range"},
        {START "{\"type\":\"end\",\"t_s\":1,\"state\":\"running\"}",
         "no state in which a run ends"},
        {START "{\"type\":\"end\",\"t_s\":1,\"state\":\"done\"}\n"
               "{\"type\":\"log\",\"level\":\"info\",\"text\":\"\"}",
         "line 3: nothing may follow the end"},
        {"{\"type\":\"x\",\"a\":[[[[[[[[[[]]]]]]]]]]}", "nested too deeply"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(follower_done) struct follower follower = follower_new();
        AUTO(str_done) struct str why = {0};
        struct jsonl_reader *reader = jsonl_reader_new(take, &follower);
        assert_int_equal(read_lines(reader, cases[i].text, &why), -EPROTO);
        if (!strstr(str_text(&why), cases[i].part))
            fail_msg("case %zu: \"%s\" is not in \"%s\"", i, cases[i].part, str_text(&why));
        jsonl_reader_free(reader);
    }
}

static void test_long_lines_and_unknown_types(void **state)
{
    (void)state;
    AUTO(follower_done) struct follower follower = follower_new();
    AUTO(str_done) struct str why = {0}, line = {0};
    struct jsonl_reader *reader = jsonl_reader_new(take, &follower);
    str_add(&line, "{\"type\":\"newer\",\"text\":\"");
    while (line.size < JSONL_LINE_MAX - 2)
        str_add(&line, "x");
    str_add(&line, "\"}");
    assert_int_equal(line.size, JSONL_LINE_MAX);
    assert_int_equal(jsonl_read_line(reader, line.text, line.size, &why), 0);
    str_add(&line, " ");
    assert_int_equal(jsonl_read_line(reader, line.text, line.size, &why), -EPROTO);
    assert_non_null(strstr(why.text, "line 2: longer than"));
    assert_int_equal(follower.frames, 0);
    jsonl_reader_free(reader);
}

static void test_file_without_an_end_is_interrupted(void **state)
{
    (void)state;
    AUTO(follower_done) struct follower follower = follower_new(), empty = follower_new();
    AUTO(str_done) struct str why = {0};
    struct jsonl_reader *reader = jsonl_reader_new(take, &follower);
    assert_int_equal(
        read_lines(reader, START INTERVAL "\"t0_s\":0,\"t1_s\":2.5,\"value\":1}", &why), 0);
    assert_int_equal(jsonl_read_finish(reader), 0);
    assert_int_equal(jsonl_read_finish(reader), 0);
    assert_int_equal(follower.model->state, RUN_INTERRUPTED);
    assert_true(model_seconds(follower.model, follower.model->end_ns) == 2.5);
    jsonl_reader_free(reader);

    reader = jsonl_reader_new(take, &empty);
    assert_int_equal(jsonl_read_finish(reader), 0);
    assert_string_equal(empty.model->sentence, "the file holds no run");
    jsonl_reader_free(reader);
}

static int refuse(void *user, const struct frame *frame)
{
    (void)frame;
    return *(int *)user;
}

static void test_errors_of_the_taker_are_handed_back(void **state)
{
    (void)state;
    int code = -EPIPE;
    AUTO(str_done) struct str why = {0};
    struct jsonl_reader *reader = jsonl_reader_new(refuse, &code);
    assert_int_equal(read_lines(reader, START, &why), -EPIPE);
    assert_int_equal(why.size, 0);
    jsonl_reader_free(reader);
}

/* All that can be in one packet, and every byte of it in need of a backslash. */
static void test_largest_start_fits_a_line(void **state)
{
    (void)state;
    AUTO(follower_done) struct follower first = follower_new(), second = follower_new();
    AUTO(str_done) struct str pairs = {0}, why = {0};
    struct frame_metric metrics[FRAME_METRICS_MAX];
    for (unsigned i = 0; i < FRAME_METRICS_MAX; i++) {
        metrics[i] = (struct frame_metric){DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "", ""};
        memset(metrics[i].key, '"', 31);
        memset(metrics[i].label, '\\', 39);
    }
    AUTO_FREE char *text = mem_new(32768, 1);
    memset(text, '"', FRAME_PACKET_MAX - sizeof(metrics) - 200);
    str_add_pair(&pairs, "option.x", text);
    struct frame start = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .mono_ns = S, .metric_count = FRAME_METRICS_MAX},
        .metrics = metrics,
        .pairs = pairs.text,
        .pairs_size = pairs.size};
    AUTO_FREE struct packet *packet = mem_new(1, sizeof(*packet));
    assert_int_equal(packet_add(packet, &start), 0);
    take_all(&first, &start);
    assert_true(first.lines.size <= JSONL_LINE_MAX);
    struct jsonl_reader *reader = jsonl_reader_new(take, &second);
    assert_int_equal(read_lines(reader, first.lines.text, &why), 0);
    assert_string_equal(model_option(second.model, "x"), text);
    jsonl_reader_free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_lines_are_whole_and_the_end_is_last),
        cmocka_unit_test(test_bad_lines_name_their_number),
        cmocka_unit_test(test_long_lines_and_unknown_types),
        cmocka_unit_test(test_file_without_an_end_is_interrupted),
        cmocka_unit_test(test_errors_of_the_taker_are_handed_back),
        cmocka_unit_test(test_largest_start_fits_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
