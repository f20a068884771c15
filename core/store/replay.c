/* replay: a stored run, a running one or a file of JSON lines goes out as the frames it once was:
 * as fast as the line takes them, or at the pace at which they happened. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "report/jsonl.h"
#include "store/command.h"
#include "store/database.h"
#include "store/lines.h"
#include "store/moment.h"
#include "store/stored.h"

#define FOLLOW_MS 250
#define PACE_STEP_MS 60000

struct replay {
    struct line *line;
    double speed;               /* 0: no pace */
    uint64_t zero_ns, begin_ns; /* second 0 of the run, and when it was shown here */
    const char *path;
    struct str *why;
    struct jsonl_reader *reader;
    bool is_over; /* a file: its first run has ended; one that follows is not shown */
};

/* Waits until the moment of the frame has come. */
static int keep_pace(struct replay *replay, const struct frame *frame)
{
    uint64_t t_ns = moment_of(frame);
    if (replay->speed <= 0)
        return 0;
    if (frame->type == FRAME_START) {
        replay->zero_ns = t_ns;
        replay->begin_ns = clock_mono_ns();
    }
    if (t_ns <= replay->zero_ns)
        return 0;
    double after_ns = (double)(t_ns - replay->zero_ns) / replay->speed;
    for (;;) {
        double left_ms =
            (after_ns - (double)(clock_mono_ns() - replay->begin_ns)) / (double)NS_PER_MS;
        if (left_ms < 1)
            return 0;
        int r = line_flush(replay->line);
        if (r == 0)
            r = line_wait(replay->line, left_ms < PACE_STEP_MS ? (int)left_ms : PACE_STEP_MS);
        if (r < 0)
            return r;
    }
}

static int send_frame(void *user, const struct frame *frame)
{
    struct replay *replay = user;
    int r = keep_pace(replay, frame);
    replay->is_over = frame->type == FRAME_END;
    return r < 0 ? r : line_add(replay->line, frame);
}

/* Everything that is there; then, while more may come, what comes. */
static int send_stored(struct replay *replay, struct stored *stored, bool is_following)
{
    for (;;) {
        struct frame frame;
        bool is_growing = stored_is_growing(stored);
        int r = 0;
        while ((r = stored_next(stored, &frame)) > 0) {
            r = send_frame(replay, &frame);
            if (r < 0)
                return r;
        }
        if (r == 0)
            r = line_flush(replay->line);
        if (r < 0 || stored->has_end || (is_growing && !is_following))
            return r;
        if (!is_growing) {
            stored_interruption(stored, &frame);
            return send_frame(replay, &frame);
        }
        r = line_wait(replay->line, FOLLOW_MS);
        if (r < 0)
            return r;
    }
}

static bool is_line_gone(int code)
{
    return code == -EPIPE || code == -ETIMEDOUT || code == -ECONNRESET;
}

static int replay_run(struct replay *replay, int64_t run, bool is_following)
{
    struct database database;
    struct stored stored;
    int r = database_open(replay->path, DATABASE_READ, &database, replay->why);
    if (r == 0)
        r = stored_open(database.db, run, &stored);
    if (r == -ENOENT)
        str_addf(replay->why, "there is no run %lld in %s", (long long)run, replay->path);
    if (r < 0) {
        database_done(&database);
        return r;
    }
    struct frame recorded = {.type = FRAME_RECORDED, .recorded = {.id = (uint64_t)run}};
    r = line_add(replay->line, &recorded);
    if (r == 0)
        r = send_stored(replay, &stored, is_following);
    if (r == -EPROTO || r == -EUCLEAN)
        str_addf(replay->why, "the record of run %lld in %s is damaged", (long long)run,
                 replay->path);
    else if (r < 0 && !is_line_gone(r))
        database_explain(replay->path, "read", r, replay->why);
    stored_done(&stored);
    database_done(&database);
    return r;
}

static int read_line(void *user, const char *line, size_t size)
{
    struct replay *replay = user;
    if (replay->is_over)
        return -ECANCELED;
    return jsonl_read_line(replay->reader, line, size, replay->why);
}

static int replay_file(struct replay *replay, const char *path)
{
    replay->path = path;
    replay->reader = jsonl_reader_new(send_frame, replay);
    AUTO(str_done) struct str why = {0};
    struct str *asker = replay->why;
    replay->why = &why;
    int r = lines_read(path, read_line, replay, replay->why);
    replay->why = asker;
    if (why.size) /* a sentence about a line names the file too */
        str_addf(asker, "%s%s%s", str_starts(why.text, "line ") ? path : "",
                 str_starts(why.text, "line ") ? ", " : "", why.text);
    if (replay->is_over)
        r = 0;
    else if (r == 0)
        r = jsonl_read_finish(replay->reader);
    jsonl_reader_free(replay->reader);
    return r;
}

int replay_main(const struct command *command)
{
    struct str why = {0};
    struct replay replay = {
        .line = command->line, .speed = command->speed, .path = command->words[0], .why = &why};
    int64_t run = 0;
    replay.line->is_patient = replay.line->heeds_half_close = true;
    int r = command_run(command->words[1], &run) == 0
                ? replay_run(&replay, run, command->is_following)
                : replay_file(&replay, command->words[1]);
    if (r == 0)
        r = line_flush(replay.line);
    if (r < 0 && !is_line_gone(r) && str_text(&why)[0])
        line_refuse(replay.line, replay.path, str_text(&why));
    str_done(&why);
    return r < 0 ? COMMAND_FAILED : COMMAND_OK;
}
