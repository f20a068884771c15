#include "results.h"

#include "json.h"

#include <errno.h>
#include <string.h>

#define COUNT_MAX 9.0e15 /* whole numbers of a double end there */
#define SECONDS_MAX 1e9
#define PLACE_KEY "iodyno_loss_place"
#define PERCENT_MAX 1e6 /* of one core */

int results_id(unsigned index)
{
    return index == 0 ? 1 : (int)index + 2;
}

const struct result_stream *results_find(const struct results *results, int id)
{
    for (unsigned i = 0; i < results->count; i++)
        if (results->streams[i].id == id)
            return &results->streams[i];
    return NULL;
}

static double within(double value, double min, double max)
{
    return value < min ? min : value > max ? max : value;
}

static int64_t count_of(double value)
{
    if (value < 0 || value >= 9223372036854775808.0) /* -1 printed without its sign */
        return RESULTS_UNKNOWN;
    return (int64_t)within(value, 0, COUNT_MAX);
}

static double seconds_of(const json_t *object, const char *key)
{
    double value = 0;
    (void)json_get_number(object, key, &value);
    return within(value, 0, SECONDS_MAX);
}

static const char *take_stream(const json_t *object, struct result_stream *stream)
{
    double id, bytes, retransmits, lost, packets, jitter;
    if (!json_is_object(object) || !json_get_number(object, "id", &id) ||
        !json_get_number(object, "bytes", &bytes) ||
        !json_get_number(object, "retransmits", &retransmits) ||
        !json_get_number(object, "jitter", &jitter) || !json_get_number(object, "errors", &lost) ||
        !json_get_number(object, "packets", &packets))
        return "a stream lacks id, bytes, retransmits, jitter, errors or packets";
    if (id < 1 || id > RESULTS_STREAMS_MAX + 2)
        return "a stream has an impossible id";
    *stream = (struct result_stream){.id = (int)id,
                                     .bytes = (uint64_t)within(bytes, 0, COUNT_MAX),
                                     .retransmits = count_of(retransmits),
                                     .jitter_s = within(jitter, 0, SECONDS_MAX),
                                     .lost = (int64_t)within(lost, 0, COUNT_MAX),
                                     .packets = (int64_t)within(packets, 0, COUNT_MAX),
                                     .end_s = seconds_of(object, "end_time")};
    stream->has_omitted = json_get_number(object, "omitted_errors", &lost) &&
                          json_get_number(object, "omitted_packets", &packets);
    if (stream->has_omitted) {
        stream->omitted_lost = (int64_t)within(lost, 0, COUNT_MAX);
        stream->omitted_packets = (int64_t)within(packets, 0, COUNT_MAX);
    }
    return NULL;
}

static const char *take(const json_t *root, struct results *results)
{
    double retransmits;
    const json_t *streams = json_object_get(root, "streams");
    if (!json_get_number(root, "cpu_util_total", &results->cpu_total) ||
        !json_get_number(root, "cpu_util_user", &results->cpu_user) ||
        !json_get_number(root, "cpu_util_system", &results->cpu_system) ||
        !json_get_number(root, "sender_has_retransmits", &retransmits))
        return "it lacks the CPU use or sender_has_retransmits";
    results->cpu_total = within(results->cpu_total, 0, PERCENT_MAX);
    results->cpu_user = within(results->cpu_user, 0, PERCENT_MAX);
    results->cpu_system = within(results->cpu_system, 0, PERCENT_MAX);
    if (!json_is_array(streams) || json_array_size(streams) > RESULTS_STREAMS_MAX)
        return "it has no streams or too many";
    results->sender_has_retransmits = (int)within((double)count_of(retransmits), -1, 1);
    (void)json_get_text(root, "congestion_used", results->congestion, sizeof results->congestion);
    (void)json_get_text(root, PLACE_KEY, results->loss_place, sizeof results->loss_place);
    for (size_t i = 0; i < json_array_size(streams); i++) {
        struct result_stream stream;
        const char *fault = take_stream(json_array_get(streams, i), &stream);
        if (fault)
            return fault;
        if (results_find(results, stream.id))
            return "two streams have one id";
        results->streams[results->count++] = stream;
    }
    return NULL;
}

int results_parse(const char *text, size_t size, struct results *ret_results, const char **ret_why)
{
    memset(ret_results, 0, sizeof *ret_results);
    json_t *root = json_object_of(text, size, ret_why);
    if (!root)
        return -EBADMSG;
    const char *fault = take(root, ret_results);
    json_decref(root);
    if (!fault)
        return 0;
    *ret_why = fault;
    return -EBADMSG;
}

static json_t *stream_object(const struct result_stream *stream)
{
    json_t *object = json_object();
    int error = json_object_set_new(object, "id", json_integer(stream->id));
    error |= json_object_set_new(object, "bytes", json_integer((json_int_t)stream->bytes));
    error |= json_object_set_new(object, "retransmits", json_integer(stream->retransmits));
    error |= json_object_set_new(object, "jitter", json_real(stream->jitter_s));
    error |= json_object_set_new(object, "errors", json_integer(stream->lost));
    error |= json_object_set_new(object, "packets", json_integer(stream->packets));
    error |= json_object_set_new(object, "start_time", json_integer(0));
    error |= json_object_set_new(object, "end_time", json_real(stream->end_s));
    if (stream->has_omitted) {
        error |= json_object_set_new(object, "omitted_errors", json_integer(stream->omitted_lost));
        error |=
            json_object_set_new(object, "omitted_packets", json_integer(stream->omitted_packets));
    }
    if (error == 0)
        return object;
    json_decref(object);
    return NULL;
}

char *results_text(const struct results *results)
{
    json_t *root = json_object(), *streams = json_array();
    int error = json_object_set_new(root, "cpu_util_total", json_real(results->cpu_total));
    error |= json_object_set_new(root, "cpu_util_user", json_real(results->cpu_user));
    error |= json_object_set_new(root, "cpu_util_system", json_real(results->cpu_system));
    error |= json_object_set_new(root, "sender_has_retransmits",
                                 json_integer(results->sender_has_retransmits));
    if (results->congestion[0])
        error |= json_object_set_new(root, "congestion_used", json_string(results->congestion));
    if (results->loss_place[0])
        error |= json_object_set_new(root, PLACE_KEY, json_string(results->loss_place));
    for (unsigned i = 0; i < results->count; i++)
        error |= json_array_append_new(streams, stream_object(&results->streams[i]));
    error |= json_object_set_new(root, "streams", streams);
    char *text = error ? NULL : json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return text;
}
