/* results: both ends' figures, in the spelling of all versions, each brought into its range. */
#include "prelude.h"

#include "network/results.h"

#define HEAD                                                                                       \
    "{\"cpu_util_total\":1.5,\"cpu_util_user\":0.5,\"cpu_util_system\":1,"                         \
    "\"sender_has_retransmits\":18446744073709551615,\"streams\":["
#define STREAM(id, bytes)                                                                          \
    "{\"id\":" #id ",\"bytes\":" #bytes                                                            \
    ",\"retransmits\":18446744073709551615,\"jitter\":1.5e-05,\"errors\":2,\"packets\":100}"

static struct results results;

static int parse(const char *text, const char **why)
{
    return results_parse(text, strlen(text), &results, why);
}

static void ids_leave_out_two(void **state)
{
    (void)state;
    static const int ids[] = {1, 3, 4, 5, 6};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(results_id(i), ids[i]);
}

static void minus_one_of_3_12(void **state)
{
    (void)state;
    const char *why = "";
    assert_int_equal(parse(HEAD STREAM(1, 123456789012) "," STREAM(3, 5) "]}", &why), 0);
    assert_int_equal(results.sender_has_retransmits, -1);
    assert_int_equal(results.count, 2);
    const struct result_stream *stream = results_find(&results, 1);
    assert_non_null(stream);
    assert_int_equal(stream->retransmits, RESULTS_UNKNOWN);
    assert_int_equal(stream->bytes, UINT64_C(123456789012));
    assert_int_equal(stream->lost, 2);
    assert_int_equal(stream->packets, 100);
    assert_true(stream->jitter_s > 1.4e-5 && stream->jitter_s < 1.6e-5);
    assert_false(stream->has_omitted);
    assert_null(results_find(&results, 2));
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    static struct results all;
    const char *why = "";
    all = (struct results){.cpu_total = 12.5,
                           .sender_has_retransmits = 1,
                           .congestion = "bbr",
                           .loss_place = "rx_crc_errors +3 here: cable",
                           .count = RESULTS_STREAMS_MAX};
    for (unsigned i = 0; i < RESULTS_STREAMS_MAX; i++)
        all.streams[i] = (struct result_stream){.id = results_id(i),
                                                .bytes = UINT64_C(1) << 50,
                                                .retransmits = (int64_t)i - 1,
                                                .end_s = 10,
                                                .omitted_packets = 5,
                                                .omitted_lost = 1,
                                                .has_omitted = i % 2 != 0};
    char *text = results_text(&all);
    assert_non_null(text);
    assert_int_equal(parse(text, &why), 0);
    free(text);
    assert_int_equal(results.count, RESULTS_STREAMS_MAX);
    assert_int_equal(results.streams[255].bytes, UINT64_C(1) << 50);
    assert_int_equal(results.streams[0].retransmits, RESULTS_UNKNOWN);
    assert_int_equal(results.streams[255].omitted_packets, 5);
    assert_false(results.streams[254].has_omitted);
    assert_string_equal(results.congestion, "bbr");
    assert_string_equal(results.loss_place, "rx_crc_errors +3 here: cable");
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why; /* NULL: good */
    } rows[] = {
        {"", "not JSON"},
        {"[]", "no object"},
        {"{}", "lacks"},
        {HEAD "]}", NULL},
        {HEAD "1]}", "a stream lacks"},
        {HEAD STREAM(1, 5) "," STREAM(1, 6) "]}", "two streams"},
        {HEAD STREAM(0, 5) "]}", "impossible id"},
        {HEAD STREAM(5000000000, 5) "]}", "impossible id"},
        {HEAD "{\"id\":1,\"bytes\":\"5\"}]}", "a stream lacks"},
        {"{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":0,"
         "\"sender_has_retransmits\":1,\"streams\":7}",
         "no streams"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *why = "";
        int code = parse(rows[i].text, &why);
        if (code != (rows[i].why ? -EBADMSG : 0) || (rows[i].why && !strstr(why, rows[i].why)))
            fail_msg("%s: %d, %s", rows[i].text, code, why);
    }
}

static void values_are_brought_into_their_range(void **state)
{
    (void)state;
    const char *why = "";
    assert_int_equal(parse(HEAD "{\"id\":1,\"bytes\":-5,\"retransmits\":1e30,\"jitter\":-1,"
                                "\"errors\":1e300,\"packets\":-7,\"end_time\":1e300}]}",
                           &why),
                     0);
    const struct result_stream *stream = &results.streams[0];
    assert_int_equal(stream->bytes, 0);
    assert_int_equal(stream->retransmits, RESULTS_UNKNOWN);
    assert_true(stream->jitter_s == 0 && stream->end_s <= 1e9);
    assert_true(stream->lost > 0 && stream->lost <= INT64_C(9000000000000000));
    assert_int_equal(stream->packets, 0);
}

static void more_streams_than_can_be(void **state)
{
    (void)state;
    const size_t room = 1u << 17;
    char *text = malloc(room);
    const char *why = "";
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "%s", HEAD);
    for (unsigned i = 0; i <= RESULTS_STREAMS_MAX; i++)
        used +=
            (size_t)snprintf(text + used, room - used,
                             "%s{\"id\":%d,\"bytes\":1,\"retransmits\":0,\"jitter\":0,\"errors\":0,"
                             "\"packets\":0}",
                             i ? "," : "", results_id(i));
    (void)snprintf(text + used, room - used, "]}");
    assert_int_equal(parse(text, &why), -EBADMSG);
    assert_non_null(strstr(why, "too many"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_leave_out_two),
        cmocka_unit_test(minus_one_of_3_12),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(values_are_brought_into_their_range),
        cmocka_unit_test(more_streams_than_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
