/* stream: one data stream: a connected socket and the thread that fills or empties it.
 *
 * The socket is set to calls that return within STREAM_PATIENCE_NS, so that a thread sees the race
 * stop. Threads start with all signals blocked, wait for the race, and end with it, or by
 * themselves: on an error, at the end of the peer's data, when no bytes are left to send. */
#ifndef NETWORK_STREAM_H
#define NETWORK_STREAM_H

#include "race.h"
#include "tally.h"

#define STREAM_PATIENCE_NS 20000000ull

struct stream_plan {
    bool is_sender, is_udp, is_64bit;
    bool is_zerocopy;  /* TCP sender: by sendfile, as iperf3 -Z */
    bool is_plain_udp; /* one datagram a call: neither segmentation nor several at once */
    bool is_limited;   /* takes from, or counts against, what the race has left */
    uint32_t len;      /* bytes of a block or datagram */
    uint64_t bps;      /* 0: as fast as it goes */
    uint64_t delay_ns; /* TCP receiver: after each 64 KiB, as a slow machine would; 0: none */
};

struct stream {
    struct tally tally;
    int fd; /* owned; -1: none */
    int id; /* 1, 3, 4 ... */
    unsigned lane;
    struct stream_plan plan;
    struct race *race;
    atomic_int error;                /* why the thread ended; -ECONNABORTED: the peer closed */
    atomic_bool has_ended, is_spent; /* spent: it sent its share, nothing is wrong */
    atomic_bool has_drained;         /* a receiver that counts no more */
    _Atomic(const char *) method;    /* "send", "sendfile", "gso", "sendmmsg", "gro", "recvmmsg" */
    pthread_t thread;
    bool has_thread;
};

/* 0 or negative errno; the thread then waits for the race. */
int stream_start(struct stream *stream);
/* After RACE_STOP; returns within the patience. Harmless without a thread. */
void stream_join(struct stream *stream);
void stream_close(struct stream *stream); /* joins, then closes the socket */

/* The four loops; for stream.c only. They return why they ended. */
int stream_send_tcp(struct stream *stream);
int stream_receive_tcp(struct stream *stream);
int stream_send_udp(struct stream *stream);
int stream_receive_udp(struct stream *stream);
/* What is sent: bytes that no link can compress. */
void stream_fill(unsigned char *bytes, size_t size);

static inline bool stream_sends(const struct stream *stream)
{
    return race_state(stream->race) == RACE_RUN;
}

/* A receiver's look before it adds to its tally: once it said false, the tally stands. */
static inline bool stream_counts(struct stream *stream)
{
    int state = race_state(stream->race);
    bool is_counting = state == RACE_RUN || state == RACE_SENT;
    if (!is_counting)
        atomic_store(&stream->has_drained, true);
    return is_counting;
}

static inline size_t stream_take(struct stream *stream, size_t want)
{
    return stream->plan.is_limited ? race_take(stream->race, want) : want;
}

#endif
