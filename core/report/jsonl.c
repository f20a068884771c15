#include "report/jsonl.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "report/pieces.h"

/* The writer. The reader stands in jsonl_reader.c. */

struct jsonl_writer {
    const struct model *model;
    struct intervals *intervals;
    struct str *into; /* while jsonl_write runs */
};

struct jsonl_writer *jsonl_writer_new(const struct model *model)
{
    struct jsonl_writer *writer = mem_new(1, sizeof(*writer));
    writer->model = model;
    return writer;
}

struct jsonl_writer *jsonl_writer_free(struct jsonl_writer *writer)
{
    if (writer)
        intervals_free(writer->intervals);
    free(writer);
    return NULL;
}

static struct emit begin_line(struct str *into, const char *type)
{
    struct emit emit = {.into = into};
    emit_open(&emit, NULL, '{');
    emit_text(&emit, "type", type);
    return emit;
}

static void end_line(struct emit *emit)
{
    emit_close(emit);
    str_add(emit->into, "\n");
}

static void write_interval(void *user, const struct interval *interval)
{
    struct jsonl_writer *writer = user;
    struct emit emit = begin_line(writer->into, "interval");
    pieces_interval(&emit, writer->model, interval);
    end_line(&emit);
}

static void write_start(struct jsonl_writer *writer, const struct frame *frame)
{
    const struct model *model = writer->model;
    struct emit emit = begin_line(writer->into, "start");
    emit_text(&emit, "schema", PIECES_SCHEMA);
    if (model->run_id)
        emit_number(&emit, "id", (double)model->run_id);
    emit_text(&emit, "label", model->label);
    emit_text(&emit, "test", model->test);
    emit_text(&emit, "title", model->title);
    pieces_origin(&emit, model);
    emit_number(&emit, "tick_s", (double)model->tick_ns / (double)NS_PER_S);
    emit_number(&emit, "flags", model->flags);
    pieces_metrics(&emit, model);
    emit_open(&emit, "expectations", '[');
    for (size_t i = 0; i < model->check_count; i++)
        emit_text(&emit, NULL, model->checks[i].expect.text);
    emit_close(&emit);
    end_line(&emit);
    intervals_free(writer->intervals);
    writer->intervals = intervals_new(frame, write_interval, writer);
}

static void write_told(struct jsonl_writer *writer, const struct frame *frame)
{
    const char *key, *value;
    size_t pos = 0;
    if (!frame_pair_next(frame, &pos, &key, &value))
        return;
    if (frame->type == FRAME_FACT) {
        struct emit emit = begin_line(writer->into, "fact");
        emit_text(&emit, "key", key);
        emit_text(&emit, "text", value);
        end_line(&emit);
    } else if (frame->type == FRAME_PHASE) {
        struct emit emit = begin_line(writer->into, "phase");
        emit_text(&emit, "name", value);
        emit_number(&emit, "t0_s", model_seconds(writer->model, frame->phase.t_ns));
        end_line(&emit);
    } else if (frame->type == FRAME_EVENT) {
        struct emit emit = begin_line(writer->into, "event");
        emit_number(&emit, "t_s", model_seconds(writer->model, frame->event.t_ns));
        emit_text(&emit, "code", key);
        emit_text(&emit, "text", value);
        if (frame->flags & FRAME_OWNER)
            emit_bool(&emit, "owner", true);
        end_line(&emit);
    } else {
        struct emit emit = begin_line(writer->into, "log");
        emit_text(&emit, "level", pieces_level(frame->log.level));
        emit_text(&emit, "text", value);
        end_line(&emit);
    }
}

static void write_result(struct jsonl_writer *writer, const struct frame_result *result)
{
    if (result->metric >= writer->model->metric_count)
        return;
    struct model_result stored = {result->metric, result->lane, result->value};
    struct emit emit = begin_line(writer->into, "result");
    pieces_result(&emit, writer->model, &stored);
    end_line(&emit);
}

static void write_end(struct jsonl_writer *writer)
{
    const struct model *model = writer->model;
    if (writer->intervals)
        intervals_finish(writer->intervals);
    struct emit emit = begin_line(writer->into, "end");
    emit_number(&emit, "t_s", model_seconds(model, model->end_ns));
    if (model->run_id)
        emit_number(&emit, "id", (double)model->run_id);
    emit_text(&emit, "state", run_state_name(model->state));
    emit_text(&emit, "error", model->sentence[0] ? model->sentence : NULL);
    emit_number(&emit, "code", model->code);
    emit_number(&emit, "signal", model->signal);
    emit_bool(&emit, "partial", model->is_partial);
    pieces_verdict(&emit, model);
    pieces_checks(&emit, model);
    emit_number(&emit, "merged_samples", (double)model->merged);
    end_line(&emit);
}

int jsonl_write(struct jsonl_writer *writer, const struct frame *frame, struct str *into)
{
    int code = 0;
    writer->into = into;
    switch (frame->type) {
    case FRAME_START:
        write_start(writer, frame);
        break;
    case FRAME_SAMPLE:
        code = writer->intervals ? intervals_push(writer->intervals, &frame->sample) : 0;
        break;
    case FRAME_RESULT:
        write_result(writer, &frame->result);
        break;
    case FRAME_FACT:
    case FRAME_PHASE:
    case FRAME_EVENT:
    case FRAME_LOG:
        write_told(writer, frame);
        break;
    case FRAME_END:
        write_end(writer);
        break;
    default: /* progress and the run's number have no line */
        break;
    }
    writer->into = NULL;
    return code;
}
