/* The model and all that is told of it: whatever frames come, sums agree and every text is whole.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnose/verdict.h"
#include "fuzz.h"
#include "iodyno/plugin.h"
#include "report/document.h"
#include "report/jsonl.h"

#define S 1000000000ull
#define ZERO (9000000 * S)
#define PAIRS(text) .pairs = (text), .pairs_size = sizeof(text)

static const struct frame_metric METRICS[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_NONE, 0, "requests", "Requests"},
    {DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, 0, "rtt", "RTT"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
};
static const struct frame SEED[] = {
    {.type = FRAME_START,
     .start = {.tick_ns = S / 4, .report_ns = S, .mono_ns = ZERO, .metric_count = 4},
     .metrics = METRICS,
     PAIRS("test\0storage.write\0option.method\0dd-fsync\0target.kind\0block\0"
           "target.ceiling\000104000000\0expect\0rate > 1 B/s")},
    {.type = FRAME_PHASE, .phase = {ZERO}, PAIRS("name\0write")},
    {.type = FRAME_SAMPLE, .sample = {0, 0, 0, ZERO, ZERO + S, 1048576}},
    {.type = FRAME_SAMPLE, .sample = {1, 0, 0, ZERO, ZERO + S, 1}},
    {.type = FRAME_SAMPLE, .sample = {0, 1, 2, ZERO, ZERO + S, 7}},
    {.type = FRAME_SAMPLE, .sample = {2, 0, 0, ZERO, ZERO + S, 0.5}},
    {.type = FRAME_SAMPLE, .sample = {0, 0, 0, ZERO + S, ZERO + 2 * S, 1048576}},
    {.type = FRAME_SAMPLE, .sample = {1, 0, 0, ZERO + S, ZERO + 2 * S, 9}},
    {.type = FRAME_FACT, PAIRS("engine\0plain")},
    {.type = FRAME_EVENT, .flags = FRAME_OWNER, .event = {ZERO + S}, PAIRS("stalled\0text")},
    {.type = FRAME_LOG, .log = {DYNO_INFO, 0}, PAIRS("text\0line")},
    {.type = FRAME_PROGRESS, .progress = {1, 2}},
    {.type = FRAME_RESULT, .result = {3, DYNO_LANE_ALL, 0, 1048576}},
    {.type = FRAME_END, .end = {.state = RUN_DONE, .t_ns = ZERO + 3 * S}, PAIRS("sentence\0")},
};

static struct packet packet;

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    packet.size = 0;
    if (index > 1)
        return 0;
    for (size_t i = 0; i < sizeof(SEED) / sizeof(SEED[0]) - index; i++)
        FUZZ_HOLDS(packet_add(&packet, &SEED[i]) == 0);
    memcpy(into, packet.bytes, packet.size);
    return packet.size;
}

#define EXACT_NS                                                                                   \
    4000000000000000ull /* seconds beyond this have less than a nanosecond's digits                \
                         */

struct sums {
    bool is_strange; /* more than a file of lines can hold */
    bool is_widened; /* reports were joined: what was written within them is spread evenly */
    struct str lines;
    double amounts[FRAME_METRICS_MAX], sizes[FRAME_METRICS_MAX];
    struct intervals *intervals;
};

static void add_interval(void *user, const struct interval *interval)
{
    struct sums *sums = user;
    FUZZ_HOLDS(interval->t1_ns > interval->t0_ns && interval->metric < FRAME_METRICS_MAX);
    sums->is_widened = sums->is_widened || interval->is_widened;
    sums->amounts[interval->metric] += interval->value;
    sums->sizes[interval->metric] += fabs(interval->value);
}

static void check_sums(const struct model *model, const struct sums *sums)
{
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct model_metric *metric = &model->metrics[i];
        struct series_total total;
        if (!metric->sum || metric->about.kind != DYNO_DELTA)
            continue;
        series_total(metric->sum, &total);
        FUZZ_HOLDS(total.min <= total.max || isnan(total.min) || isnan(total.max));
        FUZZ_HOLDS(!isfinite(sums->sizes[i]) || sums->sizes[i] > 1e300 ||
                   fabs(total.sum - sums->amounts[i]) <= 1e-9 * sums->sizes[i]);
        struct series_bucket columns[5];
        series_columns(metric->sum, total.t0_ns, total.t1_ns, 5, columns);
        (void)series_percentile(metric->sum, 0.5);
    }
}

static void tell_all(const struct model *model, const struct document *document)
{
    struct str text = {0};
    struct verdict verdict;
    verdict_of(model, &verdict);
    FUZZ_HOLDS(verdict.main.code && verdict.warning_count <= VERDICT_WARNINGS_MAX);
    for (int form = DOCUMENT_JSON; form <= DOCUMENT_PLAIN; form++)
        (void)document_write(document, model, (enum document_form)form, &text);
    str_done(&text);
}

/* Second 0 and everything after it within what a number of seconds can tell exactly. */
static bool is_near(const struct model *model, uint64_t t_ns)
{
    return t_ns + EXACT_NS > model->zero_ns && t_ns < model->zero_ns + EXACT_NS;
}

static bool has_twice(const struct frame *start)
{
    const char *key, *other, *value;
    for (uint32_t i = 0; i < start->start.metric_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (!strcmp(start->metrics[i].key, start->metrics[j].key))
                return true;
        }
    }
    for (size_t pos = 0; frame_pair_next(start, &pos, &key, &value);) {
        size_t rest = pos;
        while (frame_pair_next(start, &rest, &other, &value)) {
            if (!strcmp(key, other) && strcmp(key, "expect") != 0)
                return true;
        }
    }
    return false;
}

static bool is_strange(const struct model *model, const struct frame *frame)
{
    switch (frame->type) {
    case FRAME_START:
        return has_twice(frame) || frame->start.mono_ns < EXACT_NS ||
               frame->start.mono_ns > UINT64_MAX / 2 || frame->start.report_ns < S / 1000 ||
               frame->start.report_ns > 86400 * S || frame->start.wall_ns > UINT64_MAX / 8;
    case FRAME_SAMPLE:
        return !is_near(model, frame->sample.t0_ns) || !is_near(model, frame->sample.t1_ns);
    case FRAME_PHASE:
        return !is_near(model, frame->phase.t_ns);
    case FRAME_EVENT:
        return !is_near(model, frame->event.t_ns);
    case FRAME_END:
        return !is_near(model, frame->end.t_ns);
    default:
        return false;
    }
}

static void follow(struct model *model, struct document *document, struct jsonl_writer *writer,
                   struct sums *sums, const struct frame *frame)
{
    if (model_apply(model, frame) < 0)
        return;
    FUZZ_HOLDS(document_apply(document, frame) == 0);
    FUZZ_HOLDS(jsonl_write(writer, frame, &sums->lines) == 0);
    FUZZ_HOLDS(!sums->lines.size || sums->lines.text[sums->lines.size - 1] == '\n');
    sums->is_strange = sums->is_strange || is_strange(model, frame);
    if (frame->type == FRAME_START)
        sums->intervals = intervals_new(frame, add_interval, sums);
    if (frame->type == FRAME_SAMPLE)
        FUZZ_HOLDS(intervals_push(sums->intervals, &frame->sample) == 0);
}

struct copy {
    struct model *model;
    struct document *document;
};

static int take_copy(void *user, const struct frame *frame)
{
    struct copy *copy = user;
    int code = model_apply(copy->model, frame);
    return code < 0 ? code : document_apply(copy->document, frame);
}

/* The place of a cliff is read from what was written second by second, which joined reports no
 * longer tell. */
static void cut_verdict(struct str *document)
{
    char *begin = strstr(document->text, "\n \"verdict\": "), *end;
    FUZZ_HOLDS(begin != NULL);
    end = strchr(begin + 1, '\n');
    FUZZ_HOLDS(end != NULL);
    memmove(begin, end, strlen(end) + 1);
}

/* The lines read back are the same run. */
static void check_lines(const struct model *model, const struct document *document,
                        const struct sums *sums)
{
    struct copy copy = {model_new(), document_new()};
    struct jsonl_reader *reader = jsonl_reader_new(take_copy, &copy);
    struct str why = {0}, one = {0}, two = {0};
    for (const char *at = str_text(&sums->lines); *at; at += strcspn(at, "\n") + 1) {
        int code = jsonl_read_line(reader, at, strcspn(at, "\n"), &why);
        if (code < 0)
            (void)fprintf(stderr, "%s\n%s", str_text(&why), str_text(&sums->lines));
        FUZZ_HOLDS(code == 0);
    }
    FUZZ_HOLDS(document_write(document, model, DOCUMENT_JSON, &one) == 0);
    FUZZ_HOLDS(document_write(copy.document, copy.model, DOCUMENT_JSON, &two) == 0);
    if (sums->is_widened) {
        cut_verdict(&one);
        cut_verdict(&two);
    }
    if (strcmp(one.text, two.text) != 0)
        (void)fprintf(stderr, "%s---\n%s", one.text, two.text);
    FUZZ_HOLDS(strcmp(one.text, two.text) == 0);
    str_done(&why);
    str_done(&one);
    str_done(&two);
    jsonl_reader_free(reader);
    document_free(copy.document);
    model_free(copy.model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct sums sums;
    struct frame frame, event;
    size_t offset = 0;

    if (size > sizeof(packet.bytes))
        return 0;
    memcpy(packet.bytes, bytes, size);
    memset(&sums, 0, sizeof(sums));
    struct model *model = model_new();
    struct document *document = document_new();
    struct jsonl_writer *writer = jsonl_writer_new(model);
    while (frame_next(packet.bytes, size, &offset, &frame) == 1) {
        follow(model, document, writer, &sums, &frame);
        if (model_tick(model, ZERO + 3 * S, &event) == 1)
            follow(model, document, writer, &sums, &event);
    }
    if (sums.intervals)
        intervals_finish(sums.intervals);
    check_sums(model, &sums);
    tell_all(model, document);
    if (model->has_start && model->has_end && !sums.is_strange)
        check_lines(model, document, &sums);
    str_done(&sums.lines);
    intervals_free(sums.intervals);
    jsonl_writer_free(writer);
    document_free(document);
    model_free(model);
    return 0;
}
