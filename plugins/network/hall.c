#include "hall.h"

#include "network.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define DONE_MS 100 /* a word that two heard at once */

struct sums { /* of a guest's streams in one tick */
    double sent, received, retransmits, out_of_order, packets, lost, jitter, cwnd, rtt;
    unsigned senders, receivers;
};

static uint64_t grown(uint64_t now, uint64_t *last)
{
    uint64_t more = now > *last ? now - *last : 0;
    *last = now;
    return more;
}

static void add_tcp(const struct session *session, unsigned i, struct hall_last *last,
                    struct sums *sums)
{
    const struct stream *stream = &session->streams[i];
    struct tcpinfo info;
    bool is_live = tcpinfo_read(stream->fd, &info) == 0;
    if (stream->plan.is_sender) {
        uint64_t all = is_live ? info.raw.total_retrans : session->marks[i].all_retransmits;
        sums->retransmits +=
            (double)grown(all > last->retransmits ? all : last->retransmits, &last->retransmits);
        sums->cwnd += is_live ? (double)info.raw.snd_cwnd * info.raw.snd_mss : 0;
        sums->rtt += is_live ? (double)info.raw.rtt / 1e6 : 0;
    } else if (is_live && TCPINFO_HAS(&info, rcv_ooopack)) {
        sums->out_of_order += (double)grown(info.raw.rcv_ooopack, &last->out_of_order);
    }
}

static void add_udp(const struct stream *stream, const struct tally_view *now,
                    struct hall_last *last, struct sums *sums)
{
    sums->packets += (double)(now->packets - last->tally.packets);
    if (stream->plan.is_sender)
        return;
    double lost = (double)now->lost - last->reported_lost;
    sums->lost += lost > 0 ? lost : 0; /* late ones are taken back from what is lost next */
    last->reported_lost += lost > 0 ? lost : 0;
    sums->out_of_order += (double)(now->out_of_order - last->tally.out_of_order);
    sums->jitter += (double)now->jitter_ns / 1e9;
}

static void sum_up(struct guest *guest, struct hall_last lasts[], struct sums *sums)
{
    const struct session *session = &guest->session;
    pthread_mutex_lock(&guest->lock); /* no socket is closed meanwhile */
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        struct tally_view now = tally_view(&stream->tally);
        double moved = (double)(now.bytes - lasts[i].tally.bytes);
        *(stream->plan.is_sender ? &sums->sent : &sums->received) += moved;
        *(stream->plan.is_sender ? &sums->senders : &sums->receivers) += 1;
        if (stream->plan.is_udp)
            add_udp(stream, &now, &lasts[i], sums);
        else
            add_tcp(session, i, &lasts[i], sums);
        lasts[i].tally = now;
    }
    pthread_mutex_unlock(&guest->lock);
}

struct tick {
    const struct guest_house *house;
    unsigned lane;
    uint64_t t0, t1;
};

static void tell(const struct tick *tick, unsigned metric, double value)
{
    tick->house->host->sample(tick->house->run, metric, tick->lane, tick->t0, tick->t1, value);
}

static void tell_guest(const struct tick *tick, const struct session *session,
                       const struct sums *sums)
{
    if (sums->senders)
        tell(tick, SERVE_SENT, sums->sent);
    if (sums->receivers)
        tell(tick, SERVE_RECEIVED, sums->received);
    if (session->params.is_udp) {
        tell(tick, SERVE_PACKETS, sums->packets);
        if (!sums->receivers)
            return;
        tell(tick, SERVE_LOST, sums->lost);
        tell(tick, SERVE_JITTER, sums->jitter / sums->receivers);
        tell(tick, SERVE_OUT_OF_ORDER, sums->out_of_order);
        return;
    }
    if (sums->receivers)
        tell(tick, SERVE_OUT_OF_ORDER, sums->out_of_order);
    if (!sums->senders)
        return;
    tell(tick, SERVE_RETRANSMITS, sums->retransmits);
    tell(tick, SERVE_CWND, sums->cwnd / sums->senders);
    tell(tick, SERVE_RTT, sums->rtt / sums->senders);
}

static void tell_port(struct hall *hall, const struct tick *tick)
{
    if (!hall->port.is_known)
        return;
    port_look(&hall->port);
    tell(tick, SERVE_PORT_SENT,
         (double)grown(port_since(&hall->port, PORT_TX_BYTES), &hall->port_sent));
    tell(tick, SERVE_PORT_RECEIVED,
         (double)grown(port_since(&hall->port, PORT_RX_BYTES), &hall->port_received));
    tell(tick, SERVE_PORT_ERRORS, (double)grown(port_faults(&hall->port), &hall->port_faults));
    tell(tick, SERVE_CARRIER_CHANGES,
         (double)grown(port_since(&hall->port, PORT_CARRIER), &hall->port_carrier));
}

/* One who is over has counted his last before he said so. */
static void look(struct hall *hall, struct tick *tick)
{
    for (unsigned lane = 0; lane < hall->most; lane++) {
        struct guest *guest = hall->guests[lane];
        struct sums sums = {0};
        bool is_over = guest && atomic_load(&guest->is_over);
        tick->lane = lane;
        if (guest && atomic_load(&guest->is_moving)) {
            sum_up(guest, hall->lasts[lane], &sums);
            tell_guest(tick, &guest->session, &sums);
        }
        if (!is_over)
            continue;
        guest_free(guest);
        free(hall->lasts[lane]);
        hall->guests[lane] = NULL;
        hall->lasts[lane] = NULL;
    }
}

static void hall_tick(void *context, uint64_t t0_ns, uint64_t t1_ns)
{
    struct hall *hall = context;
    struct tick tick = {.house = hall->house, .t0 = t0_ns, .t1 = t1_ns};
    pthread_mutex_lock(&hall->lock);
    look(hall, &tick);
    pthread_mutex_unlock(&hall->lock);
    tick.lane = 0;
    tell_port(hall, &tick);
}

int hall_open(struct hall *hall, const struct guest_house *house, const char *device, unsigned most)
{
    hall->house = house;
    hall->most = most && most <= HALL_GUESTS_MAX ? most : HALL_GUESTS_MAX;
    pthread_mutex_init(&hall->lock, NULL);
    port_begin(&hall->port, "", device);
    int error = sampler_start(&hall->sampler, house->host, house->run, hall_tick, hall);
    if (error < 0)
        pthread_mutex_destroy(&hall->lock);
    hall->is_open = error == 0;
    return error;
}

/* The guests first, so that the sampler's last look is behind their last byte. */
void hall_close(struct hall *hall)
{
    if (!hall->is_open)
        return;
    while (hall_is_busy(hall)) {
        struct pollfd done = {.fd = hall->house->done_fd, .events = POLLIN};
        eventfd_t count;
        if (poll(&done, 1, DONE_MS) > 0)
            (void)eventfd_read(done.fd, &count);
    }
    sampler_stop(&hall->sampler);
    for (unsigned lane = 0; lane < hall->most; lane++) {
        guest_free(hall->guests[lane]);
        free(hall->lasts[lane]);
        hall->guests[lane] = NULL;
        hall->lasts[lane] = NULL;
    }
    pthread_mutex_destroy(&hall->lock);
    hall->is_open = false;
}

bool hall_give(struct hall *hall, int fd, const char cookie[COOKIE_SIZE])
{
    bool is_given = false;
    pthread_mutex_lock(&hall->lock);
    for (unsigned lane = 0; lane < hall->most && !is_given; lane++)
        is_given = hall->guests[lane] && guest_is(hall->guests[lane], cookie) &&
                   guest_give(hall->guests[lane], fd);
    pthread_mutex_unlock(&hall->lock);
    return is_given;
}

bool hall_admit(struct hall *hall, int fd, const char cookie[COOKIE_SIZE],
                const struct sockaddr_storage *address)
{
    bool is_admitted = false;
    pthread_mutex_lock(&hall->lock);
    for (unsigned lane = 0; lane < hall->most && !is_admitted; lane++) {
        if (hall->guests[lane])
            continue;
        hall->lasts[lane] = calloc(RESULTS_STREAMS_MAX, sizeof *hall->lasts[lane]);
        if (!hall->lasts[lane])
            break;
        hall->guests[lane] = guest_new(hall->house, fd, cookie, address, lane);
        is_admitted = true; /* a guest that could not be made has taken its connection along */
        hall->served++;
        if (!hall->guests[lane]) {
            free(hall->lasts[lane]);
            hall->lasts[lane] = NULL;
        }
    }
    pthread_mutex_unlock(&hall->lock);
    return is_admitted;
}

bool hall_has_served(struct hall *hall)
{
    pthread_mutex_lock(&hall->lock);
    bool has_served = hall->served > 0;
    pthread_mutex_unlock(&hall->lock);
    return has_served;
}

bool hall_is_busy(struct hall *hall)
{
    bool is_busy = false;
    pthread_mutex_lock(&hall->lock);
    for (unsigned lane = 0; lane < hall->most; lane++)
        is_busy = is_busy || (hall->guests[lane] && !atomic_load(&hall->guests[lane]->is_over));
    pthread_mutex_unlock(&hall->lock);
    return is_busy;
}
