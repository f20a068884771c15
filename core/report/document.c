#include "report/document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "report/bwmem.h"
#include "report/emit.h"
#include "report/figures.h"
#include "report/iperf3.h"
#include "report/pieces.h"
#include "report/prose.h"

struct document {
    struct intervals *intervals;
    struct interval *list;
    size_t count, capacity;
};

struct document *document_new(void)
{
    return mem_new(1, sizeof(struct document));
}

struct document *document_free(struct document *document)
{
    if (document) {
        intervals_free(document->intervals);
        free(document->list);
    }
    free(document);
    return NULL;
}

static void collect(void *user, const struct interval *interval)
{
    struct document *document = user;
    if (document->count == document->capacity) {
        document->capacity = document->capacity ? document->capacity * 2 : 64;
        document->list = mem_grow(document->list, document->capacity, sizeof(*document->list));
    }
    document->list[document->count++] = *interval;
}

int document_apply(struct document *document, const struct frame *frame)
{
    switch (frame->type) {
    case FRAME_START:
        intervals_free(document->intervals);
        document->intervals = intervals_new(frame, collect, document);
        return 0;
    case FRAME_SAMPLE:
        return document->intervals ? intervals_push(document->intervals, &frame->sample) : -EPROTO;
    case FRAME_END:
        if (document->intervals)
            intervals_finish(document->intervals);
        return 0;
    default:
        return 0;
    }
}

/* One order for a run, whether it came live, from the store or from a file. */
static int compare_intervals(const void *a, const void *b)
{
    const struct interval *left = a, *right = b;
    if (left->t0_ns != right->t0_ns)
        return left->t0_ns < right->t0_ns ? -1 : 1;
    if (left->metric != right->metric)
        return left->metric < right->metric ? -1 : 1;
    return (left->lane > right->lane) - (left->lane < right->lane);
}

/* The caller frees; never NULL. Those of metrics the model does not know are left out. */
static struct interval *sorted(const struct document *document, const struct model *model,
                               size_t *ret_count)
{
    struct interval *list = mem_new(document->count + 1, sizeof(*list));
    size_t count = 0;
    for (size_t i = 0; i < document->count; i++) {
        if (document->list[i].metric < model->metric_count)
            list[count++] = document->list[i];
    }
    qsort(list, count, sizeof(*list), compare_intervals);
    *ret_count = count;
    return list;
}

/* --- JSON --- */

static void emit_told(struct emit *emit, const struct model *model)
{
    emit_open(emit, "phases", '[');
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        emit_open(emit, NULL, '{');
        emit_text(emit, "name", phase->name);
        emit_number(emit, "t0_s", model_seconds(model, phase->t0_ns));
        if (phase->t1_ns)
            emit_number(emit, "t1_s", model_seconds(model, phase->t1_ns));
        else
            emit_null(emit, "t1_s");
        emit_close(emit);
    }
    emit_close(emit);
    emit_open(emit, "events", '[');
    for (size_t i = 0; i < model->event_count; i++) {
        const struct model_event *event = &model->events[i];
        emit_open(emit, NULL, '{');
        emit_number(emit, "t_s", model_seconds(model, event->t_ns));
        emit_text(emit, "code", event->code);
        emit_text(emit, "text", event->text);
        emit_close(emit);
    }
    emit_close(emit);
    emit_open(emit, "facts", '{');
    for (size_t i = 0; i < model->fact_count; i++)
        emit_text(emit, model->facts[i].key, model->facts[i].value);
    emit_close(emit);
}

static void emit_measured(struct emit *emit, const struct document *document,
                          const struct model *model)
{
    size_t count;
    AUTO_FREE struct interval *list = sorted(document, model, &count);
    emit_open(emit, "intervals", '[');
    for (size_t i = 0; i < count; i++) {
        emit_open(emit, NULL, '{');
        pieces_interval(emit, model, &list[i]);
        emit_close(emit);
    }
    emit_close(emit);
    emit_open(emit, "results", '[');
    for (size_t i = 0; i < model->result_count; i++) {
        emit_open(emit, NULL, '{');
        pieces_result(emit, model, &model->results[i]);
        emit_close(emit);
    }
    emit_close(emit);
}

static int write_json(const struct document *document, const struct model *model, struct str *into)
{
    struct emit emit = {.into = into, .is_tall = true};
    emit_open(&emit, NULL, '{');
    emit_text(&emit, "schema", PIECES_SCHEMA);
    if (model->run_id)
        emit_number(&emit, "id", (double)model->run_id);
    else
        emit_null(&emit, "id");
    emit_text(&emit, "label", model->label);
    emit_text(&emit, "test", model->test[0] ? model->test : NULL);
    pieces_origin(&emit, model);
    emit_text(&emit, "state", run_state_name(model->state));
    emit_text(&emit, "error", model->sentence[0] ? model->sentence : NULL);
    emit_bool(&emit, "partial", model->is_partial);
    pieces_metrics(&emit, model);
    emit_measured(&emit, document, model);
    emit_told(&emit, model);
    pieces_verdict(&emit, model);
    pieces_checks(&emit, model);
    emit_number(&emit, "merged_samples", (double)model->merged);
    emit_close(&emit);
    str_add(into, "\n");
    return 0;
}

/* --- CSV --- */

static void add_field(struct str *into, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        str_add(into, text);
        return;
    }
    str_add(into, "\"");
    for (; *text; text++)
        str_addf(into, "%s%c", *text == '"' ? "\"" : "", *text);
    str_add(into, "\"");
}

static int write_csv(const struct document *document, const struct model *model, struct str *into)
{
    size_t count;
    AUTO_FREE struct interval *list = sorted(document, model, &count);
    str_add(into, "metric,lane,t0_s,t1_s,value,unit\n");
    for (size_t i = 0; i < count; i++) {
        const struct frame_metric *about = &model->metrics[list[i].metric].about;
        add_field(into, about->key);
        str_addf(into, ",%u,%s", list[i].lane,
                 number_text(model_seconds(model, list[i].t0_ns)).text);
        str_addf(into, ",%s", number_text(model_seconds(model, list[i].t1_ns)).text);
        str_addf(into, ",%s,%s\n", number_text(list[i].value).text, units_symbol(about->unit));
    }
    return 0;
}

/* --- the line of dd --- */

/* dd's seconds have six significant digits. */
static struct number_text six_digits(double seconds)
{
    double parts = 1e6; /* of a second */
    for (double limit = 10; limit <= seconds && parts > 1; limit *= 10)
        parts /= 10;
    return number_text(round(seconds * parts) / parts);
}

static int write_dd(const struct document *document, const struct model *model, struct str *into)
{
    (void)document;
    const char *line = model_fact(model, "dd-line");
    double rate, amount = figures_amount(model);
    if (line) {
        str_add_clean(into, line, strlen(line));
        str_add(into, "\n");
        return 0;
    }
    if (!str_starts(model->test, "storage.") || model_result(model, "rate", &rate) < 0 ||
        rate <= 0 || amount <= 0)
        return -ENODATA;
    str_addf(into, "%s bytes", number_text(amount).text);
    if (amount >= 1000)
        str_addf(into, " (%s", units_bytes(amount).text);
    if (amount >= 1024)
        str_addf(into, ", %s", units_bytes_binary(amount).text);
    str_addf(into, "%s copied, %s s, %s\n", amount >= 1000 ? ")" : "",
             six_digits(amount / rate).text, units_byte_rate(rate).text);
    return 0;
}

static int write_bw_mem(const struct document *document, const struct model *model,
                        struct str *into)
{
    (void)document;
    return bwmem_write(model, into);
}

static int write_iperf3(const struct document *document, const struct model *model,
                        struct str *into)
{
    size_t count;
    AUTO_FREE struct interval *list = sorted(document, model, &count);
    return iperf3_write(model, list, count, into);
}

static int write_markdown(const struct document *document, const struct model *model,
                          struct str *into)
{
    (void)document;
    prose_markdown(model, into);
    return 0;
}

static int write_plain(const struct document *document, const struct model *model, struct str *into)
{
    (void)document;
    prose_plain(model, into);
    return 0;
}

int document_write(const struct document *document, const struct model *model,
                   enum document_form form, struct str *into)
{
    static int (*const writers[])(const struct document *, const struct model *, struct str *) = {
        [DOCUMENT_JSON] = write_json,         [DOCUMENT_CSV] = write_csv,
        [DOCUMENT_MARKDOWN] = write_markdown, [DOCUMENT_DD] = write_dd,
        [DOCUMENT_BW_MEM] = write_bw_mem,     [DOCUMENT_IPERF3] = write_iperf3,
        [DOCUMENT_PLAIN] = write_plain,
    };
    if ((size_t)form >= ARRAY_SIZE(writers))
        return -EINVAL;
    return writers[form](document, model, into);
}
