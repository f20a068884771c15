#include "session.h"

#include "datagram.h"
#include "tcpinfo.h"

#include <common/cleanup.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define HELLO_AGAIN_NS (CONTROL_NS_PER_S / 2)

bool session_is_sender(const struct session *session, unsigned index)
{
    bool is_client_sender = session->params.is_bidirectional ? index < session->params.parallel
                                                             : !session->params.is_reverse;
    return is_client_sender != session->is_server;
}

uint64_t session_moved_bytes(const struct session *session)
{
    uint64_t moved = 0;
    for (unsigned i = 0; i < session->count; i++)
        moved += tally_get(&session->streams[i].tally.bytes);
    return moved;
}

struct tally_view session_moved(const struct session *session, unsigned index)
{
    struct tally_view now = tally_view(&session->streams[index].tally);
    return tally_since(&now, &session->marks[index].tally);
}

/* A server that was there while data moved, and is no more, is as a device that was pulled out. */
static int code_of(const struct session *session, int error)
{
    bool is_gone =
        error == -ETIMEDOUT || error == -ECONNABORTED || error == -ECONNRESET || error == -EPIPE;
    return is_gone && session->start_ns ? -ENODEV : error;
}

int session_blame(const struct session *session, int error, const char *what)
{
    const struct plan *plan = session->plan;
    static const struct {
        int code;
        const char *text;
    } reasons[] = {
        {-ETIMEDOUT, "it said nothing for too long"},
        {-ECONNABORTED, "it closed the connection"},
        {-ECONNRESET, "it closed the connection"},
        {-EPIPE, "it closed the connection"},
        {-EPROTO, "it sent what no iperf3 sends"},
        {-EMSGSIZE, "it announced a text of an impossible length"},
    };
    if (error == -ECANCELED)
        return error;
    for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
        if (reasons[i].code == error)
            return plan_explain(plan, code_of(session, error), "%s port %u broke off at %s: %s",
                                plan->server, plan->port, what, reasons[i].text);
    return plan_explain(plan, error, "%s port %u broke off at %s: %s", plan->server, plan->port,
                        what, strerror(-error));
}

int session_refuse(struct session *session, int state, const char *what)
{
    const struct plan *plan = session->plan;
    int number = 0, code = 0;
    if (state == STATE_SERVER_TERMINATE)
        return plan_explain(plan, -ECONNABORTED, "%s port %u was stopped", plan->server,
                            plan->port);
    if (state == STATE_ACCESS_DENIED)
        return plan_explain(plan, -EBUSY, "%s port %u turned the test away", plan->server,
                            plan->port);
    if (state != STATE_SERVER_ERROR)
        return plan_explain(plan, -EPROTO, "%s port %u said %s where %s was due", plan->server,
                            plan->port, state_name(state), what);
    int error =
        control_read_error(&session->control, control_now_ns() + CONTROL_NS_PER_S, &number, &code);
    if (error < 0)
        return session_blame(session, error, "its own error");
    const char *text = state_error_text(number);
    return plan_explain(plan, -EREMOTEIO, "%s port %u refused the test: %s (iperf3's error %d%s%s)",
                        plan->server, plan->port, text ? text : "it does not say why", number,
                        code ? ", " : "", code ? strerror(code) : "");
}

/* Waits for one state and no other. */
static int expect(struct session *session, int wanted, uint64_t within_ns)
{
    int state = 0;
    int error = control_read_state(&session->control, control_now_ns() + within_ns, &state);
    if (error < 0)
        return session_blame(session, error, state_name(wanted));
    return state == wanted ? 0 : session_refuse(session, state, state_name(wanted));
}

static int send_params(struct session *session)
{
    AUTO_FREE char *text = params_text(&session->params);
    if (!text)
        return -ENOMEM;
    int error = control_write_text(&session->control, text, control_now_ns() + SESSION_STATE_NS);
    return error < 0 ? session_blame(session, error, "the parameters") : 0;
}

/* The hello again and again, until the answer or the first data is there. */
static int say_hello(const struct session *session, int fd)
{
    struct control wait = {.fd = fd, .cancel_fd = session->control.cancel_fd};
    uint64_t end = control_now_ns() + SESSION_STATE_NS;
    unsigned char bytes[DATAGRAM_HELLO_SIZE + 1];
    while (control_now_ns() < end) {
        if (send(fd, datagram_hello, sizeof datagram_hello, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
            errno != EAGAIN && errno != ECONNREFUSED && errno != ENOBUFS)
            return -errno;
        uint64_t again = control_now_ns() + HELLO_AGAIN_NS;
        int error;
        while ((error = control_wait(&wait, POLLIN, again)) == 0) {
            ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
            if (n > 0 && datagram_is_answer(bytes, (size_t)n))
                return 0;
            if (n < 0 && errno == ECONNREFUSED)
                return -errno;
            if (control_now_ns() >= again)
                break;
        }
        if (error == -ECANCELED)
            return error;
    }
    return -ETIMEDOUT;
}

static int open_socket(struct session *session, int *ret_fd)
{
    const struct params *params = &session->params;
    struct socket_wish wish = {.window = params->window,
                               .mss = params->mss,
                               .tos = params->tos,
                               .is_nodelay = params->is_nodelay,
                               .is_udp = params->is_udp,
                               .congestion = params->congestion};
    uint64_t deadline = control_now_ns() + SESSION_STATE_NS;
    struct control control = {.cancel_fd = session->control.cancel_fd};
    AUTO_CLOSE int fd =
        socket_open(&session->place, params->is_udp ? SOCK_DGRAM : SOCK_STREAM, &session->bind);
    if (fd < 0)
        return fd;
    control.fd = fd;
    int error = socket_apply(fd, session->place.address.ss_family, &wish);
    if (error < 0)
        return error;
    error = socket_connect(fd, &session->place, control.cancel_fd, deadline);
    if (error == 0 && params->is_udp)
        error = say_hello(session, fd);
    else if (error == 0)
        error = control_write(&control, session->cookie, COOKIE_SIZE, deadline);
    if (error < 0)
        return error;
    *ret_fd = fd;
    fd = -1;
    return 0;
}

static int explain_stream(const struct session *session, unsigned index, int error)
{
    const struct plan *plan = session->plan;
    if (error == -ECANCELED)
        return error;
    if (error == -ENOENT && plan->params.congestion[0])
        return plan_explain(plan, error, "this kernel has no congestion algorithm \"%s\"",
                            plan->params.congestion);
    return plan_explain(plan, error, "stream %u to %s port %u could not be opened: %s", index + 1,
                        plan->server, plan->port,
                        error != -ETIMEDOUT ? strerror(-error)
                        : session->params.is_udp
                            ? "no answer to UDP: does a firewall let only TCP through?"
                            : "no answer");
}

/* Without a keep-alive a pulled cable would leave a receiver waiting for ever. */
static int open_stream(struct session *session, unsigned index)
{
    struct stream *stream = &session->streams[index];
    const struct params *params = &session->params;
    int error = open_socket(session, &stream->fd);
    if (error < 0)
        return explain_stream(session, index, error);
    if (!params->is_udp)
        socket_keep(stream->fd);
    if (!params->is_udp && !session->congestion[0])
        socket_congestion(stream->fd, session->congestion);
    stream->id = results_id(index);
    stream->lane = index;
    stream->race = &session->race;
    stream->plan = (struct stream_plan){
        .is_sender = session_is_sender(session, index),
        .is_udp = params->is_udp,
        .is_64bit = params->has_64bit_counters != 0,
        .is_zerocopy = params->is_zerocopy != 0,
        .is_limited = params->bytes > 0 && (!params->is_bidirectional || index < params->parallel),
        .len = params->len,
        .bps = params->bps,
    };
    error = stream_start(stream);
    return error < 0 ? explain_stream(session, index, error) : 0;
}

int session_make_room(struct session *session, uint64_t bytes)
{
    void *streams = NULL;
    session->count = params_streams(&session->params);
    size_t size = session->count * sizeof(struct stream);
    if (posix_memalign(&streams, _Alignof(struct stream), size))
        return -ENOMEM;
    memset(streams, 0, size);
    session->streams = streams;
    for (unsigned i = 0; i < session->count; i++)
        session->streams[i].fd = -1;
    int error = race_init(&session->race, bytes);
    session->has_race = error == 0;
    return error;
}

int session_open(struct session *session)
{
    struct params *params = &session->params;
    if (params->len == 0) { /* UDP: a datagram that fits one frame */
        unsigned mss = socket_mss(session->control.fd);
        params->len = mss >= PARAMS_UDP_LEN_MIN && mss <= PARAMS_UDP_LEN_MAX ? mss : PARAMS_UDP_LEN;
    }
    int error = session_make_room(session, params->bytes);
    if (error == 0)
        error = send_params(session);
    if (error == 0)
        error = expect(session, STATE_CREATE_STREAMS, SESSION_STATE_NS);
    for (unsigned i = 0; i < session->count && error == 0; i++)
        error = open_stream(session, i);
    if (error == 0)
        error = expect(session, STATE_TEST_START, SESSION_STATE_NS);
    if (error == 0)
        error = expect(session, STATE_TEST_RUNNING, SESSION_STATE_NS);
    return error;
}

static bool has_sender(const struct session *session)
{
    return session_is_sender(session, 0) || session->params.is_bidirectional;
}

void session_sum_up(struct session *session)
{
    struct results *own = &session->own;
    double seconds = (double)(session->end_ns - session->start_ns) / 1e9;
    double percent = seconds > 0 ? 100 / seconds / 1e9 : 0;
    bool is_tcp = !session->params.is_udp;
    own->cpu_user = (double)session->cpu_user_ns * percent;
    own->cpu_system = (double)session->cpu_system_ns * percent;
    own->cpu_total = own->cpu_user + own->cpu_system;
    own->sender_has_retransmits = has_sender(session) ? is_tcp : -1;
    (void)snprintf(own->congestion, sizeof own->congestion, "%s", session->congestion);
    own->count = session->count;
    for (unsigned i = 0; i < session->count; i++) {
        struct stream *stream = &session->streams[i];
        struct session_mark *mark = &session->marks[i];
        struct tally_view all = tally_view(&stream->tally), moved = session_moved(session, i);
        struct tcpinfo info = {0};
        own->streams[i] = (struct result_stream){
            .id = stream->id,
            .bytes = moved.bytes,
            .retransmits = RESULTS_UNKNOWN,
            .jitter_s = (double)moved.jitter_ns / 1e9,
            .lost = (int64_t)all.lost,
            .packets = (int64_t)all.packets,
            .end_s = seconds,
            .omitted_lost = (int64_t)mark->tally.lost,
            .omitted_packets = (int64_t)mark->tally.packets,
            .has_omitted = true,
        };
        if (!is_tcp || !stream->plan.is_sender || tcpinfo_read(stream->fd, &info) < 0)
            continue;
        own->streams[i].retransmits = (int64_t)info.raw.total_retrans - (int64_t)mark->retransmits;
        mark->all_retransmits = info.raw.total_retrans;
        if (info.raw.data_segs_out > mark->segments)
            mark->segments_out = info.raw.data_segs_out - mark->segments;
    }
}

static bool has_unsent(const struct session *session)
{
    for (unsigned i = 0; i < session->count; i++)
        if (session->streams[i].plan.is_sender && socket_queued(session->streams[i].fd) > 0)
            return true;
    return false;
}

static int exchange(struct session *session)
{
    AUTO_FREE char *mine = results_text(&session->own);
    AUTO_FREE char *theirs = NULL;
    const char *why = "";
    size_t size = 0;
    uint64_t deadline = control_now_ns() + SESSION_STATE_NS;
    if (!mine)
        return -ENOMEM;
    int error = control_write_text(&session->control, mine, deadline);
    if (error == 0)
        error = control_read_text(&session->control, CONTROL_RESULTS_MAX, deadline, &theirs, &size);
    if (error < 0)
        return session_blame(session, error, "its results");
    error = results_parse(theirs, size, &session->peer, &why);
    if (error < 0)
        return plan_explain(session->plan, error, "the results of %s port %u cannot be used: %s",
                            session->plan->server, session->plan->port, why);
    for (unsigned i = 0; i < session->count; i++)
        if (!results_find(&session->peer, results_id(i)))
            return plan_explain(session->plan, -EBADMSG,
                                "the results of %s port %u cannot be used: stream %u is missing",
                                session->plan->server, session->plan->port, i + 1);
    session->has_peer = true;
    return 0;
}

int session_settle(struct session *session)
{
    uint64_t within = SESSION_STATE_NS + (has_unsent(session) ? SESSION_QUEUE_NS : 0);
    int error = expect(session, STATE_EXCHANGE_RESULTS, within);
    session_let_streams_go(session);
    if (error == 0)
        error = exchange(session);
    if (error == 0)
        error = expect(session, STATE_DISPLAY_RESULTS, SESSION_STATE_NS);
    if (error == 0) /* what it does with the good-bye is its own affair */
        (void)control_write_state(&session->control, STATE_IPERF_DONE,
                                  control_now_ns() + CONTROL_NS_PER_S);
    return error;
}

void session_let_streams_go(struct session *session)
{
    if (session->has_race)
        race_set(&session->race, RACE_STOP);
    for (unsigned i = 0; session->streams && i < session->count; i++)
        stream_close(&session->streams[i]);
}

void session_say(const struct session *session, int state)
{
    const struct control control = {.fd = session->control.fd, .cancel_fd = -1};
    if (control.fd >= 0)
        (void)control_write_state(&control, state, control_now_ns() + CONTROL_NS_PER_S);
}

void session_close(struct session *session)
{
    session_let_streams_go(session);
    if (session->has_race)
        race_done(&session->race);
    free(session->streams);
    if (session->control.fd >= 0)
        (void)close(session->control.fd);
    session->streams = NULL;
    session->has_race = false;
    session->control.fd = -1;
}
