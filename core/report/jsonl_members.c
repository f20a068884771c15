#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "iodyno/plugin.h"
#include "report/emit.h"
#include "report/jsonl_parts.h"

int jsonl_fail(struct jsonl_reader *reader, const char *format, ...)
{
    if (!reader->why)
        return -EPROTO;
    AUTO(str_done) struct str said = {0};
    va_list args;
    va_start(args, format);
    str_addv(&said, format, args);
    va_end(args);
    str_addf(reader->why, "line %lu: ", reader->line);
    str_add_clean(reader->why, str_text(&said), said.size);
    return -EPROTO;
}

int jsonl_hand_on(struct jsonl_reader *reader, struct frame *frame)
{
    frame->pairs = reader->pairs.size ? reader->pairs.text : NULL;
    frame->pairs_size = reader->pairs.size;
    reader->packet.size = 0;
    int code = packet_add(&reader->packet, frame);
    struct frame checked;
    size_t offset = 0;
    if (code < 0 || frame_next(reader->packet.bytes, reader->packet.size, &offset, &checked) != 1)
        return jsonl_fail(reader, "%s",
                          code == -EMSGSIZE ? "more text than a run can have"
                                            : "a value out of range");
    code = reader->fn(reader->user, &checked);
    return code == -EPROTO ? jsonl_fail(reader, "it does not fit the lines before it") : code;
}

int jsonl_take_text(struct jsonl_reader *reader, const json_t *line, const char *key,
                    const char **ret_text)
{
    const json_t *value = json_object_get(line, key);
    if (!json_is_string(value))
        return jsonl_fail(reader, "expected \"%s\", a text", key);
    *ret_text = json_string_value(value);
    return 0;
}

int jsonl_take_optional(struct jsonl_reader *reader, const json_t *line, const char *key,
                        const char **ret_text)
{
    const json_t *value = json_object_get(line, key);
    return !value || json_is_null(value) ? 0 : jsonl_take_text(reader, line, key, ret_text);
}

int jsonl_take_number(struct jsonl_reader *reader, const json_t *line, const char *key, double min,
                      double max, double *ret_number)
{
    const json_t *value = json_object_get(line, key);
    double number = json_number_value(value);
    if (!json_is_number(value) && min == -HUGE_VAL)
        return jsonl_fail(reader, "expected \"%s\", a number", key);
    if (!json_is_number(value) || !(number >= min && number <= max))
        return jsonl_fail(reader, "expected \"%s\", a number from %s to %s", key,
                          number_text(min).text, number_text(max).text);
    *ret_number = number;
    return 0;
}

int jsonl_take_whole(struct jsonl_reader *reader, const json_t *line, const char *key, double min,
                     double max, double *ret_number)
{
    *ret_number = 0;
    if (!json_object_get(line, key))
        return 0;
    int code = jsonl_take_number(reader, line, key, min, max, ret_number);
    if (code == 0 && *ret_number != floor(*ret_number))
        return jsonl_fail(reader, "expected \"%s\", a whole number", key);
    return code;
}

int jsonl_take_time(struct jsonl_reader *reader, const json_t *line, const char *key,
                    uint64_t *ret_ns)
{
    double seconds = 0;
    int code =
        jsonl_take_number(reader, line, key, -JSONL_SECONDS_MAX, JSONL_SECONDS_MAX, &seconds);
    if (code < 0)
        return code;
    *ret_ns = JSONL_ZERO_NS + (uint64_t)llround(seconds * (double)NS_PER_S);
    if (*ret_ns > reader->last_ns)
        reader->last_ns = *ret_ns;
    return 0;
}

int jsonl_take_metric(struct jsonl_reader *reader, const json_t *line, uint16_t *ret_metric)
{
    const char *key = NULL;
    int code = jsonl_take_text(reader, line, "metric", &key);
    if (code < 0)
        return code;
    for (size_t i = 0; i < reader->metric_count; i++) {
        if (!strcmp(reader->metrics[i].key, key)) {
            *ret_metric = (uint16_t)i;
            return 0;
        }
    }
    return jsonl_fail(reader, "the start names no metric \"%s\"", key);
}

int jsonl_take_lane(struct jsonl_reader *reader, const json_t *line, uint16_t *ret_lane)
{
    double lane;
    if (!json_object_get(line, "lane"))
        return jsonl_fail(reader, "expected \"lane\"");
    int code = jsonl_take_whole(reader, line, "lane", 0, DYNO_LANE_MAX, &lane);
    if (code == 0)
        *ret_lane = (uint16_t)lane;
    return code;
}

bool jsonl_is_true(const json_t *line, const char *key)
{
    return json_is_true(json_object_get(line, key));
}
