/* params: what is written reads back, each value in its range, keys of another type as absent. */
#include "prelude.h"

#include "network/params.h"

static int parse(const char *text, struct params *params, const char **why)
{
    return params_parse(text, strlen(text), params, why);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    const struct params params = {.is_udp = true,
                                  .is_bidirectional = true,
                                  .has_64bit_counters = 1,
                                  .omit_s = 3,
                                  .time_s = 12,
                                  .bytes = UINT64_C(5000000000),
                                  .blocks = 7,
                                  .parallel = 128,
                                  .len = 1400,
                                  .bps = UINT64_C(10000000000),
                                  .burst = 10,
                                  .pacing_timer_us = 1000,
                                  .window = 1 << 20,
                                  .tos = 0x10,
                                  .server_affinity_plus_1 = 3,
                                  .congestion = "cubic",
                                  .title = "bench3",
                                  .client_version = "iodyno"};
    struct params back;
    const char *why = "";
    char *text = params_text(&params);
    assert_non_null(text);
    assert_int_equal(parse(text, &back, &why), 0);
    free(text);
    assert_true(back.is_udp && back.is_bidirectional && back.has_64bit_counters);
    assert_false(back.is_reverse || back.is_nodelay || back.is_zerocopy);
    assert_int_equal(back.bytes, params.bytes);
    assert_int_equal(back.bps, params.bps);
    assert_int_equal(back.parallel, 128);
    assert_int_equal(back.len, 1400);
    assert_int_equal(back.window, 1 << 20);
    assert_int_equal(back.omit_s, 3);
    assert_int_equal(back.server_affinity_plus_1, 3);
    assert_string_equal(back.congestion, "cubic");
    assert_string_equal(back.title, "bench3");
    assert_int_equal(params_streams(&back), 256);
}

static void what_every_server_needs_is_always_there(void **state)
{
    (void)state;
    const struct params params = {.parallel = 1, .len = PARAMS_TCP_LEN};
    static const char *const due[] = {"\"tcp\":true",  "\"omit\":0",       "\"time\":0",
                                      "\"num\":0",     "\"blockcount\":0", "\"parallel\":1",
                                      "\"len\":131072"};
    char *text = params_text(&params);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++)
        assert_non_null(strstr(text, due[i]));
    assert_null(strstr(text, "bandwidth"));
    assert_null(strstr(text, "reverse"));
    free(text);
}

static void the_parameters_of_3_12(void **state)
{
    (void)state;
    struct params params;
    const char *why = "";
    assert_int_equal(parse("{\"tcp\":true,\"omit\":0,\"time\":10,\"num\":0,\"blockcount\":0,"
                           "\"parallel\":3,\"reverse\":true,\"len\":131072,\"pacing_timer\":1000,"
                           "\"client_version\":\"3.12\",\"unheard_of\":[1,2]}",
                           &params, &why),
                     0);
    assert_true(params.is_reverse);
    assert_int_equal(params.parallel, 3);
    assert_int_equal(params.time_s, 10);
    assert_string_equal(params.client_version, "3.12");
    assert_int_equal(params_streams(&params), 3);
}

static void a_length_that_is_missing_is_the_default(void **state)
{
    (void)state;
    struct params params;
    const char *why = "";
    assert_int_equal(parse("{\"tcp\":true}", &params, &why), 0);
    assert_int_equal(params.len, PARAMS_TCP_LEN);
    assert_int_equal(params.parallel, 1);
    assert_int_equal(parse("{\"udp\":true}", &params, &why), 0);
    assert_int_equal(params.len, PARAMS_UDP_LEN);
}

static void values_stop_at_their_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why; /* NULL: good */
    } rows[] = {
        {"{\"tcp\":true,\"parallel\":128}", NULL},
        {"{\"tcp\":true,\"parallel\":129}", "parallel"},
        {"{\"tcp\":true,\"parallel\":0}", "parallel"},
        {"{\"tcp\":true,\"parallel\":-1}", "parallel"},
        {"{\"tcp\":true,\"parallel\":1.5}", "parallel"},
        {"{\"tcp\":true,\"parallel\":1e300}", "parallel"},
        {"{\"tcp\":true,\"len\":1048576}", NULL},
        {"{\"tcp\":true,\"len\":1048577}", "len"},
        {"{\"udp\":true,\"len\":15}", "len"},
        {"{\"udp\":true,\"len\":16}", NULL},
        {"{\"udp\":true,\"len\":65507}", NULL},
        {"{\"udp\":true,\"len\":65508}", "len"},
        {"{\"tcp\":true,\"omit\":600}", NULL},
        {"{\"tcp\":true,\"omit\":601}", "omit"},
        {"{\"tcp\":true,\"time\":18446744073709551615}", "time"},
        {"{\"tcp\":true,\"TOS\":256}", "TOS"},
        {"{\"tcp\":true,\"udp\":true}", "at once"},
        {"{\"tcp\":1}", "neither"},
        {"{\"time\":1}", "neither"},
        {"{\"tcp\":true,\"reverse\":true,\"bidirectional\":true}", "reverse and bidirectional"},
        {"{\"tcp\":true,\"parallel\":\"many\"}", NULL}, /* of another type: absent */
        {"[]", "no object"},
        {"", "not JSON"},
        {"{\"tcp\":true", "not JSON"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct params params = {.parallel = 77};
        const char *why = "";
        int code = parse(rows[i].text, &params, &why);
        if (code != (rows[i].why ? -EBADMSG : 0) || (rows[i].why && !strstr(why, rows[i].why)))
            fail_msg("%s: %d, %s", rows[i].text, code, why);
        if (code < 0)
            assert_int_equal(params.parallel, 77); /* untouched */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_every_server_needs_is_always_there),
        cmocka_unit_test(the_parameters_of_3_12),
        cmocka_unit_test(a_length_that_is_missing_is_the_default),
        cmocka_unit_test(values_stop_at_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
