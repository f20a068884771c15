/* recorder: keeps one run while it happens. Packets wait in memory at most RECORDER_WAIT_NS, then
 * are committed; a database that does not take them is tried again until the queue is full. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "loop/loop.h"
#include "store/command.h"
#include "store/database.h"
#include "store/packing.h"
#include "store/record.h"
#include "store/rescue.h"
#include "wire/channel.h"

/* From the oldest waiting packet: with ticks of 0.1 to 1 s about one commit a second, and a tenth
 * of a second is left for the commit itself (no frame older than 1.1 s may be lost). */
#define RECORDER_WAIT_NS (900 * NS_PER_MS)
#define RECORDER_SYNC_NS (10 * NS_PER_S)
#define RECORDER_LAST_TRIES 11 /* a minute in all: then the end of the run is given up */

struct recorder {
    struct loop *loop;
    struct loop_fd *line_handle;
    struct loop_timer *timer;
    bool is_timer_set, is_over, has_failed, is_rescuing, has_renewed, is_told;
    const char *path;
    struct line *line;
    struct database database;
    struct record record;
    uint64_t synced_ns; /* when a commit was last waited for until the disk had it */
    unsigned refused;   /* packets */
};

static void give_up(struct recorder *recorder, int code)
{
    AUTO(str_done) struct str why = {0};
    database_explain(recorder->path, "write results to", code, &why);
    line_refuse(recorder->line, recorder->path, str_text(&why));
    log_say(LOG_ERROR, "%s", str_text(&why));
    recorder->is_over = recorder->has_failed = true;
    if (recorder->loop)
        loop_stop(recorder->loop, COMMAND_FAILED);
}

static int commit_once(struct recorder *recorder, bool is_synced)
{
    struct database *database = &recorder->database;
    struct record *record = &recorder->record;
    int r = database_begin(database, is_synced);
    if (r < 0)
        return r;
    r = record_store(record, database->db);
    if (r == 0 && recorder->is_rescuing && record->settled_seq > 0) {
        r = rescue_frames(database->moved, record->id, database->db);
        r = r > 0 ? 0 : r < 0 ? r : -EUCLEAN; /* not even the start of the run was left */
    }
    r = database_end(database, r);
    record_settled(record, r == 0);
    if (r == 0 && is_synced)
        recorder->synced_ns = clock_mono_ns();
    return r;
}

/* The file turned out to be damaged in a place that opening it does not touch: it is set aside, and
 * the run goes on in a new one, under its number. */
static int renew(struct recorder *recorder)
{
    AUTO(str_done) struct str why = {0};
    int r = database_replace(recorder->path, &recorder->database, &why);
    if (r < 0 || !recorder->database.moved)
        return -EUCLEAN;
    log_say(LOG_WARNING, "%s was damaged and is now %s", recorder->path, recorder->database.moved);
    record_renew(&recorder->record);
    recorder->is_rescuing = true;
    r = commit_once(recorder, true);
    recorder->is_rescuing = false;
    return r;
}

static int commit(struct recorder *recorder, bool is_synced)
{
    int r = commit_once(recorder, is_synced);
    if (r != -EUCLEAN || recorder->has_renewed)
        return r;
    recorder->has_renewed = true;
    return renew(recorder);
}

static bool is_passing(int code)
{
    return code == -EBUSY || code == -ENOSPC;
}

static void arm(struct recorder *recorder)
{
    if (recorder->is_timer_set)
        return;
    if (loop_timer_set(recorder->timer, RECORDER_WAIT_NS, 0) == 0)
        recorder->is_timer_set = true;
}

/* The row exists from here on: the owner may name the run. */
static void tell_number(struct recorder *recorder)
{
    struct frame recorded = {.type = FRAME_RECORDED};
    if (recorder->is_told)
        return;
    recorder->is_told = true;
    recorder->synced_ns = clock_mono_ns();
    recorded.recorded.id = (uint64_t)recorder->record.id;
    if (line_add(recorder->line, &recorded) == 0)
        (void)line_flush(recorder->line); /* an owner that is gone needs no number */
}

static void on_due(void *user)
{
    struct recorder *recorder = user;
    recorder->is_timer_set = false;
    if (recorder->record.queue.size == 0 || !recorder->record.has_start)
        return;
    int r = commit(recorder, clock_mono_ns() - recorder->synced_ns >= RECORDER_SYNC_NS);
    if (r == 0)
        tell_number(recorder);
    else if (is_passing(r))
        arm(recorder);
    else if (r < 0)
        give_up(recorder, r);
}

/* A database that others keep locked is tried again with what comes next. */
static int begin(struct recorder *recorder)
{
    int r = commit(recorder, false);
    if (r == 0)
        tell_number(recorder);
    return r == -EBUSY ? 0 : r;
}

static void take(struct recorder *recorder, const struct packet *packet)
{
    bool was_started = recorder->record.has_start;
    int r = record_take(&recorder->record, packet->bytes, packet->size);
    if (r == -EPROTO) {
        recorder->refused++;
        return;
    }
    if (r == 0 && !was_started && recorder->record.has_start)
        r = begin(recorder);
    if (r < 0)
        give_up(recorder, r);
    else
        arm(recorder);
}

static void on_line(void *user, int fd, uint32_t epoll_events)
{
    struct recorder *recorder = user;
    struct packet packet;
    (void)epoll_events;
    for (int i = 0; i < CHANNEL_TURN_MAX && !recorder->is_over; i++) {
        packet.size = 0;
        int r = channel_receive(fd, &packet);
        if (r == -EAGAIN)
            return;
        if (r > 0)
            take(recorder, &packet);
        else if (r == -EPROTO)
            recorder->refused++;
        else
            recorder->is_over = true;
        recorder->is_over = recorder->is_over || recorder->record.has_end;
    }
    if (recorder->is_over && !recorder->has_failed)
        loop_stop(recorder->loop, COMMAND_OK);
}

static void on_term(void *user, int signo, int value)
{
    struct recorder *recorder = user;
    (void)signo;
    (void)value;
    on_due(recorder); /* the machine goes down: what is here is safe, the owner's end may follow */
}

static int set_up(struct recorder *recorder)
{
    int r = loop_new(&recorder->loop);
    if (r == 0)
        r = loop_add_fd(recorder->loop, recorder->line->fd, EPOLLIN, on_line, recorder,
                        &recorder->line_handle);
    if (r == 0)
        r = loop_add_timer(recorder->loop, 0, 0, on_due, recorder, &recorder->timer);
    if (r == 0)
        r = loop_on_signal(recorder->loop, SIGTERM, on_term, recorder);
    return r;
}

/* What is left is written and, at the end of a run, waited for until the disk has it; then the run
 * is packed in a transaction of its own: until that succeeds it stands there unpacked. */
static int finish(struct recorder *recorder)
{
    struct record *record = &recorder->record;
    if (!record->has_start)
        return COMMAND_OK;
    int r = record->queue.size > 0 ? commit(recorder, true) : 0;
    for (int i = 0; i < RECORDER_LAST_TRIES && r == -EBUSY; i++) /* each waits DATABASE_BUSY_MS */
        r = commit(recorder, true);
    if (r == 0)
        tell_number(recorder);
    if (r < 0) {
        give_up(recorder, r);
        return COMMAND_FAILED;
    }
    if (!record->has_end)
        return COMMAND_OK;
    r = database_begin(&recorder->database, true);
    if (r == 0)
        r = database_end(&recorder->database, packing_run(recorder->database.db, record->id));
    if (r < 0)
        log_say(LOG_WARNING, "run %lld is stored, but could not be packed", (long long)record->id);
    (void)packing_left(&recorder->database); /* another end of a run will try again */
    return COMMAND_OK;
}

int recorder_main(const struct command *command)
{
    AUTO(str_done) struct str why = {0};
    struct recorder recorder = {.path = command->words[0], .line = command->line};
    int r = database_open(recorder.path, DATABASE_WRITE, &recorder.database, &why);
    if (r < 0) {
        line_refuse(recorder.line, recorder.path, str_text(&why));
        return COMMAND_FAILED;
    }
    if (recorder.database.moved)
        log_say(LOG_WARNING, "%s was damaged and is now %s", recorder.path,
                recorder.database.moved);
    recorder.record.owner = owner_of(getppid());
    recorder.record.recorder = owner_of(getpid());
    r = set_up(&recorder);
    if (r < 0)
        give_up(&recorder, r);
    else
        r = loop_run(recorder.loop);
    if (r == COMMAND_OK)
        r = finish(&recorder);
    if (recorder.refused > 0)
        log_say(LOG_WARNING, "%u packets were refused", recorder.refused);
    loop_free(recorder.loop);
    record_done(&recorder.record);
    database_done(&recorder.database);
    return r < 0 ? COMMAND_FAILED : r;
}
