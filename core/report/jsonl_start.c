#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "report/emit.h"
#include "report/jsonl_parts.h"
#include "report/pieces.h"

/* A described value as the text it came from. False for lists and objects. */
static bool add_value(struct str *pairs, const char *prefix, const char *key, const json_t *value)
{
    struct number_text number;
    const char *text = "";
    if (json_is_string(value)) {
        text = json_string_value(value);
    } else if (json_is_number(value)) {
        number = number_text(json_number_value(value));
        text = number.text;
    } else if (json_is_boolean(value)) {
        text = json_is_true(value) ? "true" : "false";
    } else if (!json_is_null(value)) {
        return false;
    }
    AUTO(str_done) struct str name = {0};
    str_addf(&name, "%s%s", prefix, key);
    str_add_pair(pairs, str_text(&name), text);
    return true;
}

/* Members of the object `key` as pairs, those of `done` left out. */
static int add_members(struct jsonl_reader *reader, const json_t *line, const char *key,
                       const char *prefix, const char *const *done)
{
    json_t *object = json_object_get(line, key), *value;
    const char *name;
    if (!object)
        return 0;
    if (!json_is_object(object))
        return jsonl_fail(reader, "expected \"%s\", an object", key);
    json_object_foreach(object, name, value)
    {
        bool is_done = json_is_null(value) && strcmp(prefix, "option.") != 0;
        for (size_t i = 0; done && done[i]; i++)
            is_done = is_done || !strcmp(name, done[i]);
        if (!is_done && !add_value(&reader->pairs, prefix, name, value))
            return jsonl_fail(reader, "expected \"%s\" in \"%s\" to be a text or a number", name,
                              key);
    }
    return 0;
}

static const char *access_of(const char *kind)
{
    static const char *const accesses[][2] = {{"folder", "folder"}, {"dram", "mem"},
                                              {"mem", "mem"},       {"ethernet", "net"},
                                              {"wifi", "net"},      {"net", "net"}};
    for (size_t i = 0; i < ARRAY_SIZE(accesses); i++) {
        if (!strcmp(kind, accesses[i][0]))
            return accesses[i][1];
    }
    return "block";
}

static int add_target(struct jsonl_reader *reader, const json_t *line)
{
    static const char *const done[] = {"id", "kind", "access", "path", NULL};
    const json_t *target = json_object_get(line, "target");
    const char *id = "", *kind = "", *access = NULL, *path = "";
    if (jsonl_take_optional(reader, target, "id", &id) < 0 ||
        jsonl_take_optional(reader, target, "kind", &kind) < 0 ||
        jsonl_take_optional(reader, target, "access", &access) < 0 ||
        jsonl_take_optional(reader, target, "path", &path) < 0)
        return -EPROTO;
    if (!json_object_get(target, "access"))
        access = access_of(kind);
    if (access && !target_kind_from_name(access))
        return jsonl_fail(reader, "\"%s\" is no access to a target", access);
    if (access)
        str_add_pair(&reader->pairs, "target.kind", access);
    str_add_pair(&reader->pairs, "target.id", id);
    str_add_pair(&reader->pairs, "target.path", path);
    if (kind[0] && (!access || strcmp(kind, access) != 0))
        str_add_pair(&reader->pairs, "target.device", kind);
    return add_members(reader, line, "target", "target.", done);
}

static int add_texts(struct jsonl_reader *reader, const json_t *line)
{
    static const char *const keys[] = {"test", "title", "label"};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *text = NULL;
        if (jsonl_take_optional(reader, line, keys[i], &text) < 0)
            return -EPROTO;
        if (text)
            str_add_pair(&reader->pairs, keys[i], text);
    }
    return 0;
}

static int add_expectations(struct jsonl_reader *reader, const json_t *line)
{
    const json_t *list = json_object_get(line, "expectations");
    if (list && !json_is_array(list))
        return jsonl_fail(reader, "expected \"expectations\", a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text)
            return jsonl_fail(reader, "expected \"expectations\", a list of texts");
        str_add_pair(&reader->pairs, "expect", text);
    }
    return 0;
}

static int copy_text(struct jsonl_reader *reader, const json_t *line, const char *key, char *into,
                     size_t size)
{
    const char *text;
    int code = jsonl_take_text(reader, line, key, &text);
    if (code < 0)
        return code;
    if (strlen(text) >= size)
        return jsonl_fail(reader, "\"%s\" of a metric is longer than %zu bytes", key, size - 1);
    memcpy(into, text, strlen(text) + 1);
    return 0;
}

static int take_about(struct jsonl_reader *reader, const json_t *line, struct frame_metric *about)
{
    const char *unit_name, *kind, *better;
    unsigned unit;
    *about = (struct frame_metric){.is_host = jsonl_is_true(line, "host")};
    if (copy_text(reader, line, "key", about->key, sizeof(about->key)) < 0 ||
        copy_text(reader, line, "label", about->label, sizeof(about->label)) < 0 ||
        jsonl_take_text(reader, line, "unit", &unit_name) < 0 ||
        jsonl_take_text(reader, line, "kind", &kind) < 0 ||
        jsonl_take_text(reader, line, "better", &better) < 0)
        return -EPROTO;
    if (units_from_symbol(unit_name, &unit) < 0 || pieces_kind_from(kind, &about->kind) < 0 ||
        pieces_better_from(better, &about->better) < 0)
        return jsonl_fail(reader, "metric \"%s\" has an unknown unit, kind or direction",
                          about->key);
    about->unit = (uint16_t)unit;
    return 0;
}

static int take_metrics(struct jsonl_reader *reader, const json_t *line)
{
    const json_t *list = json_object_get(line, "metrics");
    if (!json_is_array(list) || json_array_size(list) > FRAME_METRICS_MAX)
        return jsonl_fail(reader, "expected \"metrics\", a list of at most %d", FRAME_METRICS_MAX);
    for (size_t i = 0; i < json_array_size(list); i++) {
        int code = take_about(reader, json_array_get(list, i), &reader->metrics[i]);
        if (code < 0)
            return code;
    }
    reader->metric_count = json_array_size(list);
    return 0;
}

int jsonl_read_start(struct jsonl_reader *reader, const json_t *line)
{
    const char *schema = "", *started = NULL;
    double interval, flags;
    uint64_t wall_ns = 0;
    if (reader->has_start)
        return jsonl_fail(reader, "a second start");
    if (jsonl_take_text(reader, line, "schema", &schema) < 0)
        return -EPROTO;
    if (strcmp(schema, PIECES_SCHEMA) != 0)
        return jsonl_fail(reader, "expected the schema %s, got %s", PIECES_SCHEMA, schema);
    if (take_metrics(reader, line) < 0 || add_texts(reader, line) < 0 ||
        add_target(reader, line) < 0 || add_members(reader, line, "options", "option.", NULL) < 0 ||
        add_members(reader, line, "machine", "machine.", NULL) < 0 ||
        add_expectations(reader, line) < 0 ||
        jsonl_take_number(reader, line, "interval_s", 1e-3, 86400, &interval) < 0 ||
        jsonl_take_whole(reader, line, "flags", 0, UINT32_MAX, &flags) < 0 ||
        jsonl_take_optional(reader, line, "started", &started) < 0)
        return -EPROTO;
    if (started && clock_parse_iso(started, &wall_ns) < 0)
        return jsonl_fail(reader, "expected \"started\", a time as 2026-01-31T09:00:00Z");
    uint64_t report_ns = (uint64_t)llround(interval * (double)NS_PER_S);
    struct frame frame = {
        .type = FRAME_START,
        .start = {.abi = DYNO_ABI_MAJOR << 16 | DYNO_ABI_MINOR,
                  .flags = (uint32_t)flags,
                  .tick_ns = report_ns, /* what comes are whole intervals */
                  .report_ns = report_ns,
                  .mono_ns = JSONL_ZERO_NS,
                  .wall_ns = wall_ns,
                  .metric_count = (uint32_t)reader->metric_count},
        .metrics = reader->metrics,
    };
    reader->has_start = true;
    return jsonl_hand_on(reader, &frame);
}
