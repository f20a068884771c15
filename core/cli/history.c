#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/json.h"
#include "iodyno/plugin.h"

static const struct argument_row rows[] = {
    {"test", true, "only this test"},
    {"device", true, "only this device id, CID or label"},
    {"limit", true, "at most this many (default 50)"},
    {"json", false, "one JSON object (iodyno.history/1)"},
    {NULL, false, NULL},
};

static json_t *row_json(const struct answer *answer, size_t row)
{
    json_t *o = json_object();
    const struct frame frame = {.pairs = answer->rows[row].text,
                                .pairs_size = answer->rows[row].size};
    size_t pos = 0;
    const char *key, *value;
    while (frame_pair_next(&frame, &pos, &key, &value)) {
        bool is_number = strcmp(key, "id") == 0 || strcmp(key, "duration_s") == 0 ||
                         strcmp(key, "rate") == 0 || strcmp(key, "cached") == 0;
        json_t *json = is_number  ? cli_json_pair(value)
                       : value[0] ? cli_json_text(value)
                                  : json_null();
        if (strcmp(key, "partial") == 0) {
            json_decref(json);
            json = json_boolean(value[0] == '1' || strcmp(value, "yes") == 0 ||
                                strcmp(value, "true") == 0);
        }
        json_object_set_new(o, key, json);
    }
    return o;
}

static int print_json(const struct answer *answer)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < answer->row_count; i++)
        json_array_append_new(runs, row_json(answer, i));
    json_t *document = json_object();
    json_object_set_new(document, "schema", json_string("iodyno.history/1"));
    json_object_set_new(document, "runs", runs);
    return cli_json_print(document);
}

static void print_row(const struct answer *answer, size_t row)
{
    double rate = 0;
    unsigned unit = 0;
    struct units_text text = {""};
    if (units_parse_double(answer_value(answer, row, "rate"), &rate) == 0 &&
        units_from_symbol(answer_value(answer, row, "unit"), &unit) == 0)
        text = units_value(rate, unit);
    double seconds = 0;
    struct units_text duration = {""};
    if (units_parse_double(answer_value(answer, row, "duration_s"), &seconds) == 0)
        duration = units_duration(seconds);
    struct str about AUTO(str_done) = {0};
    double cached = 0;
    str_add(&about, answer_value(answer, row, "label"));
    if (units_parse_double(answer_value(answer, row, "cached"), &cached) == 0 && cached > 0)
        str_addf(&about, "%s%s from RAM", about.size ? ", " : "",
                 units_value(cached, DYNO_RATIO).text);
    printf("%6s  %-20s  %-16s %-16s %-11s %12s %10s  %s\n", answer_value(answer, row, "id"),
           answer_value(answer, row, "started"), answer_value(answer, row, "test"),
           answer_value(answer, row, "target"), answer_value(answer, row, "state"), text.text,
           duration.text, str_text(&about));
}

static int show(const struct arguments *arguments, const struct answer *answer)
{
    if (answer->problem.size && answer->row_count == 0)
        return command_fail(EXIT_TEST_FAILED, "%s", str_text(&answer->problem));
    if (answer->problem.size)
        (void)command_fail(0, "%s", str_text(&answer->problem));
    if (arguments_has(arguments, "json"))
        return print_json(answer);
    if (answer->row_count)
        printf("%6s  %-20s  %-16s %-16s %-11s %12s %10s  %s\n", "run", "started (UTC)", "test",
               "target", "state", "rate", "took", "label");
    for (size_t i = 0; i < answer->row_count; i++)
        print_row(answer, i);
    if (answer->row_count == 0)
        printf("no runs are stored here yet\n");
    return EXIT_DONE;
}

static int run(const struct arguments *arguments)
{
    const char *limit = arguments_value(arguments, "limit");
    uint64_t count = 50;
    if (limit && (units_parse_u64(limit, &count) || count == 0))
        return command_fail(EXIT_UNKNOWN_NAME, "--limit: expected a number above 0, got \"%s\"",
                            limit);
    struct str database AUTO(str_done) = {0};
    int code = ask_database(arguments_value(arguments, "db"), &database);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot tell where the results are: %s",
                            err_text(code));
    const char *question[10] = {"query", "list", str_text(&database), "--limit",
                                limit ? limit : "50"};
    size_t at = 5;
    static const char *const filters[] = {"test", "device"};
    static const char *const flags[] = {"--test", "--device"};
    for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
        const char *value = arguments_value(arguments, filters[i]);
        if (!value)
            continue;
        question[at++] = flags[i];
        question[at++] = value;
    }
    struct answer answer AUTO(answer_done) = {0};
    code = ask(NULL, question, &answer);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot ask iodyno-store: %s", err_text(code));
    return show(arguments, &answer);
}

const struct command command_history = {
    .name = "history",
    .usage = "history [--test T] [--device D] [--limit N] [--json]",
    .help = "stored runs, newest first",
    .rows = rows,
    .run = run,
};
