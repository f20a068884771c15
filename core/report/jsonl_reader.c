#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"
#include "report/jsonl_parts.h"
#include "report/pieces.h"

/* Bytes of a file are foreign: sizes are bounded before the parser sees them, each member is
 * checked for its type, and each frame passes the codec before it is handed on. */

#define DEPTH_MAX 8
#define COMMAS_MAX 20000

struct jsonl_reader *jsonl_reader_new(jsonl_frame_fn fn, void *user)
{
    struct jsonl_reader *reader = mem_new(1, sizeof(*reader));
    reader->fn = fn;
    reader->user = user;
    reader->last_ns = JSONL_ZERO_NS;
    return reader;
}

struct jsonl_reader *jsonl_reader_free(struct jsonl_reader *reader)
{
    if (reader)
        str_done(&reader->pairs);
    free(reader);
    return NULL;
}

static int read_interval(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_SAMPLE};
    struct frame_sample *sample = &frame.sample;
    double merged;
    if (jsonl_take_metric(reader, line, &sample->metric) < 0 ||
        jsonl_take_lane(reader, line, &sample->lane) < 0 ||
        jsonl_take_time(reader, line, "t0_s", &sample->t0_ns) < 0 ||
        jsonl_take_time(reader, line, "t1_s", &sample->t1_ns) < 0 ||
        jsonl_take_number(reader, line, "value", -HUGE_VAL, HUGE_VAL, &sample->value) < 0 ||
        jsonl_take_whole(reader, line, "merged", 0, UINT32_MAX, &merged) < 0)
        return -EPROTO;
    if (reader->metrics[sample->metric].kind == DYNO_TOTAL)
        return jsonl_fail(reader, "\"%s\" has no intervals", reader->metrics[sample->metric].key);
    sample->merged = (uint32_t)merged;
    return jsonl_hand_on(reader, &frame);
}

static int read_result(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_RESULT, .result = {.lane = DYNO_LANE_ALL}};
    if (jsonl_take_metric(reader, line, &frame.result.metric) < 0 ||
        jsonl_take_number(reader, line, "value", -HUGE_VAL, HUGE_VAL, &frame.result.value) < 0)
        return -EPROTO;
    if (!json_is_null(json_object_get(line, "lane")) &&
        jsonl_take_lane(reader, line, &frame.result.lane) < 0)
        return -EPROTO;
    return jsonl_hand_on(reader, &frame);
}

static int read_event(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_EVENT};
    const char *code, *text;
    if (jsonl_take_time(reader, line, "t_s", &frame.event.t_ns) < 0 ||
        jsonl_take_text(reader, line, "code", &code) < 0 ||
        jsonl_take_text(reader, line, "text", &text) < 0)
        return -EPROTO;
    if (jsonl_is_true(line, "owner"))
        frame.flags = FRAME_OWNER;
    str_add_pair(&reader->pairs, code, text);
    return jsonl_hand_on(reader, &frame);
}

static int read_phase(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_PHASE};
    const char *name;
    if (jsonl_take_time(reader, line, "t0_s", &frame.phase.t_ns) < 0 ||
        jsonl_take_text(reader, line, "name", &name) < 0)
        return -EPROTO;
    str_add_pair(&reader->pairs, "name", name);
    return jsonl_hand_on(reader, &frame);
}

static int read_fact(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_FACT};
    const char *key, *text;
    if (jsonl_take_text(reader, line, "key", &key) < 0 ||
        jsonl_take_text(reader, line, "text", &text) < 0)
        return -EPROTO;
    str_add_pair(&reader->pairs, key, text);
    return jsonl_hand_on(reader, &frame);
}

static int read_log(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_LOG};
    const char *level, *text;
    if (jsonl_take_text(reader, line, "level", &level) < 0 ||
        jsonl_take_text(reader, line, "text", &text) < 0)
        return -EPROTO;
    if (pieces_level_from(level, &frame.log.level) < 0)
        return jsonl_fail(reader, "unknown level \"%s\"", level);
    str_add_pair(&reader->pairs, "text", text);
    return jsonl_hand_on(reader, &frame);
}

static int read_end(struct jsonl_reader *reader, const json_t *line)
{
    struct frame frame = {.type = FRAME_END};
    const char *state, *sentence = "";
    double code, signal;
    unsigned number;
    if (jsonl_take_time(reader, line, "t_s", &frame.end.t_ns) < 0 ||
        jsonl_take_text(reader, line, "state", &state) < 0 ||
        jsonl_take_optional(reader, line, "error", &sentence) < 0 ||
        jsonl_take_whole(reader, line, "code", INT32_MIN, 0, &code) < 0 ||
        jsonl_take_whole(reader, line, "signal", 0, UINT32_MAX, &signal) < 0)
        return -EPROTO;
    if (run_state_from_name(state, &number) < 0 || number == RUN_RUNNING)
        return jsonl_fail(reader, "\"%s\" is no state in which a run ends", state);
    frame.end.state = number;
    frame.end.code = (int32_t)code;
    frame.end.signal = (uint32_t)signal;
    str_add_pair(&reader->pairs, "sentence", sentence);
    reader->has_end = true;
    return jsonl_hand_on(reader, &frame);
}

static const struct {
    const char *type;
    int (*read)(struct jsonl_reader *reader, const json_t *line);
    bool may_come_first;
} line_types[] = {
    {"start", jsonl_read_start, true}, {"interval", read_interval, false},
    {"event", read_event, false},      {"phase", read_phase, false},
    {"fact", read_fact, false},        {"log", read_log, true},
    {"result", read_result, false},    {"end", read_end, true},
};

static int dispatch(struct jsonl_reader *reader, const json_t *line)
{
    const char *type;
    if (!json_is_object(line))
        return jsonl_fail(reader, "expected an object");
    if (jsonl_take_text(reader, line, "type", &type) < 0)
        return -EPROTO;
    for (size_t i = 0; i < ARRAY_SIZE(line_types); i++) {
        if (strcmp(type, line_types[i].type) != 0)
            continue;
        if (reader->has_end)
            return jsonl_fail(reader, "nothing may follow the end");
        if (!reader->has_start && !line_types[i].may_come_first)
            return jsonl_fail(reader, "expected the start of a run first");
        str_clear(&reader->pairs);
        return line_types[i].read(reader, line);
    }
    return 0; /* a newer version may know more types */
}

/* What the parser would make of the line must stay small. */
static bool is_bounded(const char *line, size_t size)
{
    bool is_in_text = false;
    unsigned depth = 0, commas = 0;
    for (size_t i = 0; i < size; i++) {
        char c = line[i];
        if (is_in_text && c == '\\')
            i++;
        else if (c == '"')
            is_in_text = !is_in_text;
        else if (!is_in_text && (c == '{' || c == '['))
            depth++;
        else if (!is_in_text && (c == '}' || c == ']') && depth > 0)
            depth--;
        else if (!is_in_text && c == ',')
            commas++;
        if (depth > DEPTH_MAX || commas > COMMAS_MAX)
            return false;
    }
    return true;
}

int jsonl_read_line(struct jsonl_reader *reader, const char *line, size_t size, struct str *why)
{
    reader->line++;
    reader->why = why;
    if (size > JSONL_LINE_MAX)
        return jsonl_fail(reader, "longer than %d bytes", JSONL_LINE_MAX);
    if (!is_bounded(line, size))
        return jsonl_fail(reader, "nested too deeply or too many values");
    json_error_t error;
    json_t *value =
        json_loadb(line, size, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
    if (!value)
        return jsonl_fail(reader, "no JSON: %s", error.text);
    int code = dispatch(reader, value);
    json_decref(value);
    reader->why = NULL;
    return code;
}

int jsonl_read_finish(struct jsonl_reader *reader)
{
    if (reader->has_end)
        return 0;
    reader->has_end = true;
    struct frame frame = {.type = FRAME_END,
                          .end = {.state = RUN_INTERRUPTED, .t_ns = reader->last_ns}};
    str_clear(&reader->pairs);
    str_add_pair(&reader->pairs, "sentence",
                 reader->has_start ? "the file has no end of the run" : "the file holds no run");
    return jsonl_hand_on(reader, &frame);
}
