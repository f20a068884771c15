/* document: a run as JSON, CSV, Markdown, dd's line and plain text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "report/document.h"
#include "story.h"

struct told {
    struct model *model;
    struct document *document;
};

static void take(void *user, const struct frame *frame)
{
    struct told *told = user;
    assert_int_equal(model_apply(told->model, frame), 0);
    assert_int_equal(document_apply(told->document, frame), 0);
}

static struct told tell(unsigned state, const char *sentence)
{
    struct told told = {model_new(), document_new()};
    struct story story = {take, &told};
    story_tell(&story, state, sentence);
    return told;
}

static void told_done(struct told *told)
{
    model_free(told->model);
    document_free(told->document);
}

static char *form(const struct told *told, enum document_form form)
{
    struct str text = {0};
    assert_int_equal(document_write(told->document, told->model, form, &text), 0);
    return str_take(&text);
}

static json_t *json_of(const struct told *told)
{
    AUTO_FREE char *text = form(told, DOCUMENT_JSON);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("line %d: %s", error.line, error.text);
    return json;
}

static const char *text_at(const json_t *json, const char *object, const char *key)
{
    return json_string_value(json_object_get(json_object_get(json, object), key));
}

static json_int_t whole_at(const json_t *json, const char *object, const char *key)
{
    const json_t *value = json_object_get(json_object_get(json, object), key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void test_json_has_its_keys_in_order(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "schema",  "id",         "label",  "test",  "machine", "target",  "options",
        "started", "interval_s", "state",  "error", "partial", "metrics", "intervals",
        "results", "phases",     "events", "facts", "verdict", "checks",  "merged_samples"};
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    json_t *json = json_of(&told), *value;
    const char *key;
    size_t i = 0;
    json_object_foreach(json, key, value)
    {
        assert_true(i < ARRAY_SIZE(keys));
        assert_string_equal(key, keys[i++]);
    }
    assert_int_equal(i, ARRAY_SIZE(keys));
    assert_true(json_is_null(json_object_get(json, "id")));
    assert_true(json_is_null(json_object_get(json, "error")));
    assert_string_equal(json_string_value(json_object_get(json, "started")),
                        "2026-01-31T09:00:00Z");
    assert_int_equal(json_integer_value(json_object_get(json, "merged_samples")), 2);
    json_decref(json);
}

static void test_json_numbers_are_base_units(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    json_t *json = json_of(&told);
    assert_int_equal(whole_at(json, "options", "bs"), 1048576);
    assert_int_equal(whole_at(json, "options", "count"), 8);
    const json_t *options = json_object_get(json, "options");
    assert_true(json_real_value(json_object_get(options, "time")) == 0.5);
    assert_string_equal(text_at(json, "options", "method"), "dd-fsync");
    assert_string_equal(text_at(json, "options", "file"), "007"); /* a name, not a number */
    assert_true(json_is_null(json_object_get(options, "data")));
    assert_int_equal(whole_at(json, "target", "ceiling"), 104000000);
    assert_int_equal(whole_at(json, "target", "width"), 4);
    assert_string_equal(text_at(json, "target", "cid"), "123456789");
    assert_string_equal(text_at(json, "target", "kind"), "partition");
    assert_string_equal(text_at(json, "target", "access"), "block");
    assert_int_equal(whole_at(json, "machine", "cpus"), 2);
    assert_true(json_is_true(json_object_get(json_object_get(json, "machine"), "clock_set")));
    json_decref(json);
}

static void test_json_intervals_sum_to_the_total(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    json_t *json = json_of(&told);
    const json_t *intervals = json_object_get(json, "intervals");
    json_int_t sum = 0;
    double last = -1;
    for (size_t i = 0; i < json_array_size(intervals); i++) {
        const json_t *interval = json_array_get(intervals, i);
        double t0 = json_number_value(json_object_get(interval, "t0_s"));
        assert_true(t0 >= last);
        last = t0;
        if (!strcmp(json_string_value(json_object_get(interval, "metric")), "written"))
            sum += json_integer_value(json_object_get(interval, "value"));
    }
    assert_int_equal(sum, 8388608);
    json_decref(json);
}

static void test_json_of_a_failure_has_no_rate(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_FAILED, "cannot write: Input/output error");
    json_t *json = json_of(&told);
    const json_t *results = json_object_get(json, "results");
    assert_int_equal(json_array_size(results), 2);
    for (size_t i = 0; i < 2; i++)
        assert_string_not_equal(
            json_string_value(json_object_get(json_array_get(results, i), "metric")), "rate");
    assert_string_equal(json_string_value(json_object_get(json, "state")), "failed");
    assert_string_equal(json_string_value(json_object_get(json, "error")),
                        "cannot write: Input/output error");
    const json_t *check = json_array_get(json_object_get(json, "checks"), 0);
    assert_true(json_is_null(json_object_get(check, "value")));
    assert_true(json_is_false(json_object_get(check, "pass")));
    json_decref(json);
}

static void test_json_of_nothing_is_whole(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = {model_new(), document_new()};
    json_t *json = json_of(&told);
    assert_string_equal(json_string_value(json_object_get(json, "state")), "running");
    json_decref(json);
    struct frame frame = {.type = FRAME_SAMPLE, .sample = {.t1_ns = 1}};
    assert_int_equal(document_apply(told.document, &frame), -EPROTO);
}

static void test_csv(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    AUTO_FREE char *text = form(&told, DOCUMENT_CSV);
    assert_true(str_starts(text, "metric,lane,t0_s,t1_s,value,unit\n"
                                 "written,0,0.003000001,2.003000001,4194304,B\n"));
    assert_non_null(strstr(text, "\nrequests,0,2.003000001,4.003000001,4,count\n"));
}

static void test_line_of_dd(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    AUTO_FREE char *made = form(&told, DOCUMENT_DD);
    assert_string_equal(made, "8388608 bytes (8.4 MB, 8.0 MiB) copied, 4.5 s, 1.9 MB/s\n");
    AUTO(told_done) struct told failed = tell(RUN_FAILED, "gone");
    AUTO(str_done) struct str none = {0};
    assert_int_equal(document_write(failed.document, failed.model, DOCUMENT_DD, &none), -ENODATA);
}

static void test_line_of_dd_from_the_test_itself(void **state)
{
    (void)state;
    struct told told = {model_new(), document_new()};
    struct story story = {take, &told};
    story_start(&story);
    struct frame frame = {.type = FRAME_FACT};
    story_pair(&story, &frame, "dd-line", "8 bytes copied, 1 s, 8 B/s");
    AUTO_FREE char *text = form(&told, DOCUMENT_DD);
    assert_string_equal(text, "8 bytes copied, 1 s, 8 B/s\n");
    told_done(&told);
}

static void test_plain(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    AUTO_FREE char *text = form(&told, DOCUMENT_PLAIN);
    assert_true(str_starts(text, "storage.write on mmcblk1p1 (SN32G)\n"
                                 "1.9 MB/s (1.8 MiB/s): 8.4 MB in 4.5 s\n"
                                 "the disk is the limit: 1.9 MB/s of 104 MB/s (1.8 %)"));
    assert_non_null(
        strstr(text, "over time, Written by the disk: min 0 B/s, mean 1.9 MB/s, p95 2.1 MB/s, "
                     "max 2.1 MB/s\n"));
    assert_non_null(strstr(text, "  write  0.00 to 4.00 s"));
    assert_non_null(strstr(text, "  rate >= 60MB/s   1.9 MB/s (1.8 MiB/s), missed\n"));
    assert_non_null(strstr(text, "same by hand: dd if=/dev/zero of=FILE bs=1M count=8"));
}

static void test_plain_of_a_failure(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_FAILED, "cannot write: Input/output error");
    AUTO_FREE char *text = form(&told, DOCUMENT_PLAIN);
    assert_non_null(strstr(text, "failed: cannot write: Input/output error\n"));
    assert_null(strstr(text, "MiB/s): 8.4 MB"));
}

static void test_markdown(void **state)
{
    (void)state;
    AUTO(told_done) struct told told = tell(RUN_DONE, "");
    AUTO_FREE char *text = form(&told, DOCUMENT_MARKDOWN);
    assert_true(str_starts(text, "# storage.write on mmcblk1p1 (SN32G): Card 1\n\n"
                                 "**1.9 MB/s (1.8 MiB/s): 8.4 MB in 4.5 s**\n"));
    assert_non_null(strstr(text, "| board | A \\| board |\n"));
    assert_non_null(strstr(text, "## Results\n\n| result | value |\n|---|---|\n| Rate | "));
    assert_non_null(strstr(text, "| 3.20 s | mark: line one?line \"two\" |"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_has_its_keys_in_order),
        cmocka_unit_test(test_json_numbers_are_base_units),
        cmocka_unit_test(test_json_intervals_sum_to_the_total),
        cmocka_unit_test(test_json_of_a_failure_has_no_rate),
        cmocka_unit_test(test_json_of_nothing_is_whole),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_line_of_dd),
        cmocka_unit_test(test_line_of_dd_from_the_test_itself),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_plain_of_a_failure),
        cmocka_unit_test(test_markdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
