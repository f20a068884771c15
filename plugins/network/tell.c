#include "tell.h"

#include "network.h"
#include "tcpinfo.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 256

static void fact(const struct plan *plan, const char *key, const char *text)
{
    if (text[0])
        plan->host->fact(plan->run, key, text);
}

static void result(const struct plan *plan, unsigned metric, unsigned lane, double value)
{
    if (isfinite(value) && value >= 0)
        plan->host->result(plan->run, metric, lane, value);
}

void tell_start(const struct session *session)
{
    const struct plan *plan = session->plan;
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    char text[TEXT_MAX], command[PLAN_COMMAND_MAX];
    plan_command(plan, command);
    fact(plan, "by-hand", command);
    socket_text(&session->place.address, text);
    fact(plan, "server", text);
    if (getsockname(session->control.fd, (struct sockaddr *)&own, &size) == 0) {
        socket_text(&own, text);
        *strstr(text, " port") = '\0';
        fact(plan, "local", text);
    }
    if (session->is_own)
        fact(plan, "bound", "no: the server's address is this machine's own");
    else if (session->bind.is_refused)
        fact(plan, "bound", "no: not permitted here, so the route decides which port is used");
    else if (plan->device[0])
        fact(plan, "bound", plan->device);
    (void)snprintf(text, sizeof text, "%u", session->params.len);
    fact(plan, "block", text);
}

static void tell_engine(const struct session *session)
{
    char text[TEXT_MAX];
    const char *method = atomic_load(&session->streams[0].method);
    const struct results *peer = &session->peer;
    fact(session->plan, "engine", method ? method : "");
    (void)snprintf(text, sizeof text, "%.0f %% of one core", session->own.cpu_total);
    fact(session->plan, "cpu", text);
    if (!session->has_peer)
        return;
    (void)snprintf(text, sizeof text, "%.0f %% of one core", peer->cpu_total);
    fact(session->plan, "peer-cpu", text);
    if (peer->count)
        fact(session->plan, "peer",
             peer->streams[0].has_omitted ? "iperf3 3.14 or newer" : "iperf3 before 3.14");
    if (session->params.is_udp)
        return;
    bool is_other = peer->congestion[0] && strcmp(peer->congestion, session->congestion) != 0;
    (void)snprintf(text, sizeof text, "%s%s%s%s", session->congestion,
                   is_other ? " (the peer: " : "", is_other ? peer->congestion : "",
                   is_other ? ")" : "");
    fact(session->plan, "congestion", text);
}

/* What a stream's receiver got, as far as this end knows. */
static uint64_t received_of(const struct session *session, unsigned i)
{
    struct tally_view moved = session_moved(session, i);
    if (!session->streams[i].plan.is_sender || !session->has_peer)
        return moved.bytes;
    uint64_t sent = tally_get(&session->streams[i].tally.bytes);
    uint64_t told = results_find(&session->peer, results_id(i))->bytes;
    return told < sent ? told : sent; /* more than was sent is no measurement */
}

/* The receiver's own clock where it is believable. */
static double seconds_of(const struct session *session, bool is_out)
{
    double own = (double)(session->end_ns - session->start_ns) / 1e9, theirs = 0;
    for (unsigned i = 0; is_out && session->has_peer && i < session->peer.count; i++)
        theirs = fmax(theirs, session->peer.streams[i].end_s);
    return theirs > own / 2 && theirs < own * 2 ? theirs : own;
}

static void tell_bytes(const struct session *session, bool is_turn)
{
    const struct plan *plan = session->plan;
    double sums[2] = {0}; /* [is_out] */
    for (unsigned i = 0; i < session->count && session->has_peer; i++) {
        bool is_out = session->streams[i].plan.is_sender;
        double bytes = is_out ? (double)received_of(session, i)
                              : (double)results_find(&session->peer, results_id(i))->bytes;
        sums[is_out] += bytes;
        if (!is_turn)
            result(plan, is_out ? METRIC_RECEIVED : METRIC_SENT, session->streams[i].lane, bytes);
    }
    /* both ways at once a sum over all lanes would mix this end's figures with the peer's */
    if (is_turn || !session->has_peer || session->params.is_bidirectional)
        return;
    bool is_out = !session->params.is_reverse;
    result(plan, is_out ? METRIC_RECEIVED : METRIC_SENT, DYNO_LANE_ALL, sums[is_out]);
}

static void add_rates(const struct session *session, struct tell_sums *sums)
{
    double bytes[2] = {0};
    bool has[2] = {false};
    for (unsigned i = 0; i < session->count; i++) {
        bool is_out = session->streams[i].plan.is_sender;
        bytes[is_out] += (double)received_of(session, i);
        has[is_out] = true;
    }
    if (has[1] && seconds_of(session, true) > 0) {
        sums->rate_out = bytes[1] * 8 / seconds_of(session, true);
        sums->has_out = true;
    }
    if (has[0] && seconds_of(session, false) > 0) {
        sums->rate_in = bytes[0] * 8 / seconds_of(session, false);
        sums->has_in = true;
    }
}

static void add_tcp(const struct session *session, bool is_turn, struct tell_sums *sums)
{
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        const struct result_stream *own = &session->own.streams[i];
        const struct result_stream *peer =
            session->has_peer ? results_find(&session->peer, own->id) : NULL;
        int64_t count = stream->plan.is_sender ? own->retransmits
                        : peer                 ? peer->retransmits
                                               : RESULTS_UNKNOWN;
        if (count < 0)
            continue;
        sums->retransmits += (double)count;
        sums->has_retransmits = true;
        sums->own_retransmits += stream->plan.is_sender ? (double)count : 0;
        if (!is_turn)
            result(session->plan, METRIC_RETRANSMITS, stream->lane, (double)count);
    }
}

/* The receiver's view of stream `i`: lost, packets, jitter. */
static const struct result_stream *receiver_of(const struct session *session, unsigned i)
{
    if (!session->streams[i].plan.is_sender)
        return &session->own.streams[i];
    return session->has_peer ? results_find(&session->peer, results_id(i)) : NULL;
}

static void add_udp(const struct session *session, bool is_turn, struct tell_sums *sums)
{
    double jitter = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < session->count; i++) {
        const struct result_stream *own = &session->own.streams[i];
        const struct result_stream *got = receiver_of(session, i);
        bool is_out = session->streams[i].plan.is_sender;
        if (!got)
            continue;
        double lost = (double)(got->lost - got->omitted_lost);
        double packets = (double)(got->packets - got->omitted_packets);
        double sent = is_out              ? (double)own->packets
                      : session->has_peer ? (double)results_find(&session->peer, own->id)->packets
                                          : (double)got->packets;
        double under_way = sent - (double)got->packets;
        sums->lost += lost > 0 ? lost : 0;
        sums->packets += packets > 0 ? packets : 0;
        sums->in_flight += under_way > 0 ? under_way : 0;
        sums->has_lost = true;
        jitter += got->jitter_s;
        count++;
        if (is_turn)
            continue;
        result(session->plan, METRIC_LOST, session->streams[i].lane, lost);
        result(session->plan, METRIC_PACKETS, session->streams[i].lane, packets);
        result(session->plan, METRIC_JITTER, session->streams[i].lane, got->jitter_s);
    }
    if (count && !is_turn)
        result(session->plan, METRIC_JITTER, DYNO_LANE_ALL, jitter / count);
}

static void add_segments(const struct session *session, struct tell_sums *sums)
{
    for (unsigned i = 0; i < session->count; i++)
        if (session->streams[i].plan.is_sender && session->marks[i].segments_out) {
            sums->segments += (double)session->marks[i].segments_out;
            sums->has_segments = true;
        }
}

void tell_session(const struct session *session, bool is_turn, struct tell_sums *sums)
{
    tell_engine(session);
    tell_bytes(session, is_turn);
    tell_port(session, sums);
    add_rates(session, sums);
    if (session->params.is_udp) {
        add_udp(session, is_turn, sums);
    } else {
        add_tcp(session, is_turn, sums);
        add_segments(session, sums);
    }
}

void tell_end(const struct plan *plan, const struct tell_sums *sums)
{
    result(plan, METRIC_CPU_SHARE, DYNO_LANE_ALL, sums->cpu_share);
    if (sums->has_out)
        result(plan, METRIC_RATE_OUT, DYNO_LANE_ALL, sums->rate_out);
    if (sums->has_in)
        result(plan, METRIC_RATE_IN, DYNO_LANE_ALL, sums->rate_in);
    if (sums->has_out && sums->has_in)
        result(plan, METRIC_RATE, DYNO_LANE_ALL, fmin(sums->rate_out, sums->rate_in));
    else if (sums->has_out || sums->has_in)
        result(plan, METRIC_RATE, DYNO_LANE_ALL, sums->has_out ? sums->rate_out : sums->rate_in);
    if (sums->has_retransmits)
        result(plan, METRIC_RETRANSMITS, DYNO_LANE_ALL, sums->retransmits);
    if (sums->has_segments && sums->segments > 0)
        result(plan, METRIC_RETRANSMIT_SHARE, DYNO_LANE_ALL,
               fmin(1, sums->own_retransmits / sums->segments));
    if (sums->has_lost) {
        result(plan, METRIC_LOST, DYNO_LANE_ALL, sums->lost);
        result(plan, METRIC_PACKETS, DYNO_LANE_ALL, sums->packets);
        result(plan, METRIC_IN_FLIGHT, DYNO_LANE_ALL, sums->in_flight);
    }
}
