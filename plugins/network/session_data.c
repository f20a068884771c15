/* The data of a session: where its counted part begins and ends. */
#include "session.h"

#include "tcpinfo.h"

#include <time.h>

#define DRAIN_NS                                                                                   \
    (150 * CONTROL_NS_PER_S / 1000) /* what is under way, so that little is left over */
#define DRAIN_STEP_NS (2 * CONTROL_NS_PER_S / 1000)

void session_mark(struct session *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        struct tcpinfo info;
        session->marks[i] = (struct session_mark){.tally = tally_view(&session->streams[i].tally)};
        if (session->params.is_udp || tcpinfo_read(session->streams[i].fd, &info) < 0)
            continue;
        session->marks[i].retransmits = info.raw.total_retrans;
        session->marks[i].segments = info.raw.data_segs_out;
    }
    session->start_ns = control_now_ns();
}

static bool is_quiet(const struct session *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        if (!stream->plan.is_sender)
            continue;
        if (!atomic_load(&stream->has_ended) || socket_queued(stream->fd) > 0)
            return false;
    }
    return true;
}

/* Senders have ended, and nothing that has arrived waits to be read; for who hears that the other
 * end has stopped. */
static bool is_read(const struct session *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        if (stream->plan.is_sender ? !atomic_load(&stream->has_ended)
                                   : socket_unread(stream->fd) > 0)
            return false;
    }
    return true;
}

static bool is_counted(const struct session *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        if (!stream->plan.is_sender && !atomic_load(&stream->has_ended) &&
            !atomic_load(&stream->has_drained))
            return false;
    }
    return true;
}

static void await(const struct session *session, bool (*is_so)(const struct session *))
{
    uint64_t end = control_now_ns() + DRAIN_NS;
    struct timespec step = {.tv_nsec = (long)DRAIN_STEP_NS};
    while (!is_so(session) && control_now_ns() < end)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
}

int session_halt(struct session *session, int last_word)
{
    /* without the cancel, which may be why we stop */
    const struct control control = {.fd = session->control.fd, .cancel_fd = -1};
    int error = 0;
    race_set(&session->race, RACE_SENT);
    await(session, session->is_server ? is_read : is_quiet);
    if (last_word)
        error = control_write_state(&control, last_word, control_now_ns() + CONTROL_NS_PER_S);
    race_set(&session->race, RACE_DRAIN);
    session->end_ns = control_now_ns();
    await(session, is_counted);
    return error;
}
