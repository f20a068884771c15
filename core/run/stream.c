#include "run/stream.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/output.h"

struct stream {
    struct stream_plan plan;
    struct model *model;
    struct tee *tee;
    struct output output;
    bool is_mute, is_held, is_output_over;
    struct packet *kept;          /* the end that is kept back; NULL: none */
    const struct packet *feeding; /* being walked; NULL: none */
    size_t applied, teed;         /* its bytes that are in the model, in the record */
    unsigned untold;              /* frames between the two */
};

static void tell(const struct stream *stream, const struct frame *frame)
{
    if (!stream->is_mute)
        stream->plan.said(stream->plan.user, frame);
}

static void log_line(void *user, const char *line)
{
    AUTO(str_done) struct str pair = {0};
    str_add_pair(&pair, "text", line);
    struct frame frame = {.type = FRAME_LOG,
                          .log = {.level = DYNO_INFO},
                          .pairs = pair.text,
                          .pairs_size = pair.size};
    (void)stream_put(user, &frame);
}

bool stream_read_output(struct stream *stream)
{
    return output_read(&stream->output, clock_mono_ns(), stream->plan.output_fd, log_line, stream);
}

/* Last words: they stand before the end. */
static void finish_output(struct stream *stream)
{
    if (stream->plan.output_fd < 0 || stream->is_output_over)
        return;
    stream->is_output_over = true;
    (void)stream_read_output(stream);
    output_finish(&stream->output, log_line, stream);
}

static void tee_applied(struct stream *stream)
{
    if (stream->feeding && stream->tee && stream->applied > stream->teed)
        tee_push(stream->tee, stream->feeding->bytes + stream->teed, stream->applied - stream->teed,
                 stream->untold);
    stream->teed = stream->applied;
    stream->untold = 0;
}

/* `end`: bytes of the packet up to the end of this frame. */
static int apply(struct stream *stream, const struct frame *frame, size_t end)
{
    if (frame->type == FRAME_END && !stream->model->has_end)
        finish_output(stream);
    int code = model_apply(stream->model, frame);
    if (code < 0)
        return code;
    stream->applied = end;
    stream->untold++;
    tell(stream, frame);
    if (frame->type == FRAME_START)
        output_open(&stream->output, clock_mono_ns(), log_line, stream);
    if (frame->type == FRAME_END && stream->tee) {
        tee_applied(stream);
        tee_finish(stream->tee);
    }
    return 0;
}

/* What the store says beside the frames of a replayed run. True when it was that. */
static bool take_aside(struct stream *stream, const struct frame *frame)
{
    if (!stream->plan.is_replay)
        return false;
    if (frame->type == FRAME_RECORDED) {
        (void)model_apply(stream->model, frame);
        return true;
    }
    if (frame->type != FRAME_REFUSED)
        return false;
    const char *reason = frame_pair(frame, "reason");
    struct frame_end end = {.state = RUN_FAILED, .code = -EIO};
    stream_end(stream, &end, reason ? reason : "the record could not be read");
    return true;
}

/* Its owner may close the descriptor of what the worker prints from here on. */
static int keep_end(struct stream *stream, const struct frame *frame, size_t end)
{
    stream->kept = mem_new(1, sizeof(*stream->kept));
    int code = packet_add(stream->kept, frame);
    if (code < 0)
        return code;
    tee_applied(stream);
    finish_output(stream);
    stream->applied = stream->teed = end;
    return 0;
}

static int apply_foreign(struct stream *stream, const struct frame *frame, size_t end)
{
    if (take_aside(stream, frame))
        return 0;
    if (frame->type < FRAME_START || frame->type > FRAME_END)
        return -EPROTO;
    if ((frame->flags & FRAME_OWNER) && !stream->plan.is_replay)
        return -EPROTO; /* the owner's frames are the owner's alone */
    if (stream->kept)   /* nothing follows it */
        return -EPROTO;
    if (frame->type == FRAME_END && stream->is_held && !stream->model->has_end)
        return keep_end(stream, frame, end);
    return apply(stream, frame, end);
}

static int walk(struct stream *stream, const struct packet *packet, bool is_own)
{
    const struct packet *outer = stream->feeding;
    const size_t outer_applied = stream->applied, outer_teed = stream->teed;
    stream->feeding = packet;
    stream->applied = stream->teed = 0;
    stream->untold = 0;

    struct frame frame;
    size_t offset = 0;
    int code = 0;
    while (code == 0 && !stream->is_mute) {
        int got = frame_next(packet->bytes, packet->size, &offset, &frame);
        if (got == 0)
            break;
        if (got < 0)
            code = got;
        else
            code = is_own ? apply(stream, &frame, offset) : apply_foreign(stream, &frame, offset);
    }
    tee_applied(stream);
    stream->feeding = outer;
    stream->applied = outer_applied;
    stream->teed = outer_teed;
    return code;
}

int stream_feed(struct stream *stream, const struct packet *packet)
{
    return walk(stream, packet, false);
}

int stream_put(struct stream *stream, const struct frame *frame)
{
    struct frame own = *frame;
    own.flags |= FRAME_OWNER;
    AUTO_FREE struct packet *packet = mem_new(1, sizeof(*packet));
    int code = packet_add(packet, &own);
    if (code < 0)
        return code;
    tee_applied(stream); /* what came before stands before */
    return walk(stream, packet, true);
}

static void put_start(struct stream *stream)
{
    const struct frame *order = stream->plan.order;
    struct frame frame = {
        .type = FRAME_START,
        .start = {.abi = (uint32_t)DYNO_ABI_MAJOR << 16 | DYNO_ABI_MINOR,
                  .tick_ns = order->order.tick_ns,
                  .report_ns = order->order.report_ns,
                  .mono_ns = clock_mono_ns(),
                  .wall_ns = clock_wall_ns()},
        .pairs = order->pairs,
        .pairs_size = order->pairs_size,
    };
    (void)stream_put(stream, &frame);
}

void stream_end(struct stream *stream, const struct frame_end *end, const char *sentence)
{
    if (stream->model->has_end || stream->kept)
        return;
    if (!stream->model->has_start)
        put_start(stream);
    AUTO(str_done) struct str pair = {0};
    str_add_pair(&pair, "sentence", sentence);
    struct frame frame = {
        .type = FRAME_END, .end = *end, .pairs = pair.text, .pairs_size = pair.size};
    frame.end.t_ns = clock_mono_ns();
    if (stream->plan.is_replay) /* it has the clock of its record */
        frame.end.t_ns = stream->model->now_ns;
    (void)stream_put(stream, &frame);
}

void stream_hold(struct stream *stream)
{
    stream->is_held = true;
}

void stream_release(struct stream *stream)
{
    AUTO_FREE struct packet *kept = take_pointer(&stream->kept);
    stream->is_held = false;
    if (kept)
        (void)walk(stream, kept, true); /* it was taken apart before: only the model may refuse */
}

bool stream_end_is_kept(const struct stream *stream)
{
    return stream->kept != NULL;
}

static void on_tee(void *user)
{
    struct stream *stream = user;
    struct frame recorded = {.type = FRAME_RECORDED, .recorded = {.id = tee_run_id(stream->tee)}};
    if (recorded.recorded.id)
        (void)model_apply(stream->model, &recorded);
    tell(stream, NULL);
}

struct stream *stream_new(const struct stream_plan *plan)
{
    struct stream *stream = mem_new(1, sizeof(*stream));
    stream->plan = *plan;
    stream->model = model_new();
    if (plan->database)
        stream->tee = tee_new(plan->loop, plan->database, on_tee, stream);
    return stream;
}

struct stream *stream_free(struct stream *stream)
{
    if (!stream)
        return NULL;
    stream->tee = tee_free(stream->tee);
    stream->model = model_free(stream->model);
    output_done(&stream->output);
    free(stream->kept);
    free(stream);
    return NULL;
}

void stream_mute(struct stream *stream)
{
    stream->is_mute = true;
}

struct model *stream_model(const struct stream *stream)
{
    return stream->model;
}

const struct tee *stream_tee(const struct stream *stream)
{
    return stream->tee;
}
