#include "meter.h"

#include "network.h"

#include <string.h>

struct tick {
    const struct dyno_host *host;
    struct dyno_run *run;
    unsigned lane;
    uint64_t t0, t1;
    bool is_detailed;
};

static void tell(const struct tick *tick, unsigned metric, double value)
{
    tick->host->sample(tick->run, metric, tick->lane, tick->t0, tick->t1, value > 0 ? value : 0);
}

static double share(double part, double whole)
{
    double value = whole > 0 ? part / whole : 0;
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

static void tell_times(const struct tick *tick, const struct tcpinfo *now,
                       const struct tcpinfo *last)
{
    const struct tcpinfo_raw *a = &now->raw, *b = &last->raw;
    double us = (double)(tick->t1 - tick->t0) / 1e3;
    if (TCPINFO_HAS(now, delivery_rate)) {
        tell(tick, METRIC_DELIVERY_RATE, (double)a->delivery_rate * 8);
        tell(tick, METRIC_APP_LIMITED, tcpinfo_is_app_limited(now) ? 1 : 0);
    }
    if (TCPINFO_HAS(now, sndbuf_limited)) {
        tell(tick, METRIC_BUSY, share((double)(a->busy_time - b->busy_time), us));
        tell(tick, METRIC_RWND_LIMITED, share((double)(a->rwnd_limited - b->rwnd_limited), us));
        tell(tick, METRIC_SNDBUF_LIMITED,
             share((double)(a->sndbuf_limited - b->sndbuf_limited), us));
    }
    if (TCPINFO_HAS(now, reord_seen))
        tell(tick, METRIC_REORDERING, (double)(a->reord_seen - b->reord_seen));
    if (TCPINFO_HAS(now, snd_wnd))
        tell(tick, METRIC_PEER_WINDOW, (double)a->snd_wnd);
    if (TCPINFO_HAS(now, total_rto_time))
        tell(tick, METRIC_RTO_TIME, (double)(a->total_rto_time - b->total_rto_time) / 1e3);
}

static void tell_tcp(const struct tick *tick, const struct stream *stream, struct tcpinfo *last)
{
    struct tcpinfo now;
    if (tcpinfo_read(stream->fd, &now) < 0)
        now = *last; /* a stream that broke: its amounts stand */
    const struct tcpinfo_raw *a = &now.raw, *b = &last->raw;
    if (stream->plan.is_sender) {
        double again = (double)(a->total_retrans - b->total_retrans);
        tell(tick, METRIC_RETRANSMITS, again);
        if (TCPINFO_HAS(&now, data_segs_out))
            tell(tick, METRIC_RETRANSMIT_SHARE,
                 share(again, (double)(a->data_segs_out - b->data_segs_out)));
        tell(tick, METRIC_CWND, (double)a->snd_cwnd * a->snd_mss);
        tell(tick, METRIC_RTT, (double)a->rtt / 1e6);
        tell(tick, METRIC_RTT_VAR, (double)a->rttvar / 1e6);
        if (tick->is_detailed)
            tell_times(tick, &now, last);
    } else if (TCPINFO_HAS(&now, rcv_ooopack)) {
        tell(tick, METRIC_OUT_OF_ORDER, (double)(a->rcv_ooopack - b->rcv_ooopack));
    }
    *last = now;
}

static void tell_udp(const struct tick *tick, const struct stream *stream, struct meter_last *last,
                     const struct tally_view *now)
{
    tell(tick, METRIC_PACKETS, (double)(now->packets - last->tally.packets));
    if (stream->plan.is_sender)
        return;
    double lost = (double)now->lost - last->reported_lost;
    tell(tick, METRIC_LOST, lost);
    last->reported_lost += lost > 0 ? lost : 0;
    tell(tick, METRIC_OUT_OF_ORDER, (double)(now->out_of_order - last->tally.out_of_order));
    tell(tick, METRIC_JITTER, (double)now->jitter_ns / 1e9);
}

/* A port that was made anew counts from 0. */
static double grown(uint64_t now, uint64_t last)
{
    return now > last ? (double)(now - last) : 0;
}

/* What the port and the stack below all streams counted: on the first lane. */
static void tell_port(const struct tick *tick, struct port *port, struct meter_port *last)
{
    if (!port->is_known)
        return;
    port_look(port);
    const struct meter_port now = {.sent = port_since(port, PORT_TX_BYTES),
                                   .received = port_since(port, PORT_RX_BYTES),
                                   .faults = port_faults(port),
                                   .carrier = port_since(port, PORT_CARRIER)};
    tell(tick, METRIC_PORT_SENT, grown(now.sent, last->sent));
    tell(tick, METRIC_PORT_RECEIVED, grown(now.received, last->received));
    tell(tick, METRIC_PORT_ERRORS, grown(now.faults, last->faults));
    tell(tick, METRIC_CARRIER_CHANGES, grown(now.carrier, last->carrier));
    *last = now;
}

static void meter_tick(void *context, uint64_t t0_ns, uint64_t t1_ns)
{
    struct meter *meter = context;
    struct session *session = meter->session;
    struct tick tick = {.host = meter->sampler.host,
                        .run = meter->sampler.run,
                        .t0 = t0_ns,
                        .t1 = t1_ns,
                        .is_detailed = session->count <= METER_DETAIL_STREAMS};
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        struct meter_last *last = &meter->last[i];
        struct tally_view now = tally_view(&stream->tally);
        tick.lane = stream->lane;
        tell(&tick, stream->plan.is_sender ? METRIC_SENT : METRIC_RECEIVED,
             (double)(now.bytes - last->tally.bytes));
        if (stream->plan.is_udp)
            tell_udp(&tick, stream, last, &now);
        else
            tell_tcp(&tick, stream, &last->info);
        last->tally = now;
    }
    tick.lane = 0;
    tell_port(&tick, &session->port, &meter->port);
    uint64_t done =
        meter->total_bytes ? session_moved_bytes(session) : t1_ns - meter->sampler.start_ns;
    uint64_t total = meter->total_bytes ? meter->total_bytes : meter->total_ns;
    if (total)
        tick.host->progress(tick.run, done < total ? done : total, total);
}

int meter_start(struct meter *meter, struct session *session)
{
    const struct plan *plan = session->plan;
    memset(meter->last, 0, sizeof meter->last);
    memset(&meter->port, 0, sizeof meter->port);
    meter->session = session;
    meter->total_bytes = session->params.bytes;
    meter->total_ns = plan->time_ns + plan->omit_ns;
    for (unsigned i = 0; i < session->count && !session->params.is_udp; i++)
        (void)tcpinfo_read(session->streams[i].fd, &meter->last[i].info);
    return sampler_start(&meter->sampler, plan->host, plan->run, meter_tick, meter);
}

void meter_stop(struct meter *meter)
{
    sampler_stop(&meter->sampler);
}
