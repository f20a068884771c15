/* The loops of UDP: several datagrams a system call, in one piece where the kernel can cut it. */
#include "stream.h"

#include "control.h"
#include "datagram.h"
#include "pace.h"

#include <common/cleanup.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef SOL_UDP
#define SOL_UDP 17
#endif
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#define BATCH_MAX 64u           /* datagrams; also the kernel's UDP_MAX_SEGMENTS of old */
#define PIECE_MAX 65000u        /* bytes of one send that is cut by the kernel */
#define CATCH_UP_NS 20000000ull /* more would overflow the receiver's queue */
#define FULL_WAIT_NS 1000000ull /* the device's queue is full */
#define RECEIVE_BATCH 8u
#define RECEIVE_SIZE 65536u

struct sender {
    struct stream *stream;
    unsigned char *bytes; /* batch * len */
    unsigned batch;
    bool is_cut; /* the kernel cuts one piece into datagrams */
    bool is_plain;
    uint64_t number; /* the last one sent */
    struct mmsghdr messages[BATCH_MAX];
    struct iovec parts[BATCH_MAX];
};

static void set_cut(struct sender *sender, bool is_cut)
{
    int size = is_cut ? (int)sender->stream->plan.len : 0;
    sender->is_cut =
        setsockopt(sender->stream->fd, SOL_UDP, UDP_SEGMENT, &size, sizeof size) == 0 && is_cut;
    atomic_store(&sender->stream->method, sender->is_cut     ? "gso"
                                          : sender->is_plain ? "send"
                                                             : "sendmmsg");
}

static int sender_open(struct sender *sender)
{
    const struct stream_plan *plan = &sender->stream->plan;
    unsigned cut = PIECE_MAX / plan->len;
    sender->is_plain = plan->is_plain_udp;
    sender->batch = sender->is_plain ? 1 : cut > 1 ? cut : 8;
    if (sender->batch > BATCH_MAX)
        sender->batch = BATCH_MAX;
    sender->bytes = malloc((size_t)sender->batch * plan->len);
    if (!sender->bytes)
        return -ENOMEM;
    stream_fill(sender->bytes, (size_t)sender->batch * plan->len);
    for (unsigned i = 0; i < sender->batch; i++) {
        sender->parts[i] =
            (struct iovec){sender->bytes + (size_t)i * plan->len, sender->stream->plan.len};
        sender->messages[i].msg_hdr.msg_iov = &sender->parts[i];
        sender->messages[i].msg_hdr.msg_iovlen = 1;
    }
    set_cut(sender, !sender->is_plain && cut > 1);
    return 0;
}

static void sender_close(struct sender *sender)
{
    free(sender->bytes);
}

/* Datagrams that went out of the first `count`, or negative errno. */
static int put(struct sender *sender, unsigned count)
{
    const size_t len = sender->stream->plan.len;
    const int fd = sender->stream->fd;
    if (!sender->is_cut) {
        int sent = sendmmsg(fd, sender->messages, count, MSG_NOSIGNAL);
        return sent < 0 ? -errno : sent;
    }
    if (send(fd, sender->bytes, count * len, MSG_NOSIGNAL) >= 0)
        return (int)count;
    if (errno != EIO && errno != EINVAL && errno != EMSGSIZE && errno != EOPNOTSUPP)
        return -errno;
    set_cut(sender, false); /* a device without checksums, or datagrams above the MTU */
    return 0;
}

static int send_batch(struct sender *sender, unsigned count)
{
    struct stream *stream = sender->stream;
    for (unsigned done = 0; done < count && stream_sends(stream);) {
        struct datagram head = {.sent_ns = control_now_ns()};
        for (unsigned i = 0; i < count - done; i++) {
            head.number = sender->number + 1 + i;
            datagram_write(sender->parts[i].iov_base, &head, stream->plan.is_64bit);
        }
        int sent = put(sender, count - done);
        if (sent == -ENOBUFS) {
            struct timespec wait = {.tv_nsec = FULL_WAIT_NS};
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
        } else if (sent < 0 && sent != -EAGAIN && sent != -EINTR) {
            return sent;
        }
        if (sent <= 0)
            continue;
        sender->number += (unsigned)sent;
        done += (unsigned)sent;
        tally_set(&stream->tally.packets, sender->number);
        tally_add(&stream->tally.bytes, (uint64_t)sent * stream->plan.len);
    }
    return 0;
}

int stream_send_udp(struct stream *stream)
{
    AUTO_FREE void *room = calloc(1, sizeof(struct sender));
    struct sender *sender = room;
    struct pace pace;
    if (!sender)
        return -ENOMEM;
    sender->stream = stream;
    int error = sender_open(sender);
    const size_t len = stream->plan.len;
    pace_start(&pace, stream->plan.bps, CATCH_UP_NS, control_now_ns());
    unsigned batch = pace_blocks(&pace, len, sender->batch);
    while (error == 0 && stream_sends(stream)) {
        if (!pace_wait(&pace, control_now_ns))
            continue;
        size_t size = stream_take(stream, batch * len);
        if (size == 0) {
            atomic_store(&stream->is_spent, true);
            break;
        }
        unsigned count = (unsigned)((size + len - 1) / len); /* whole datagrams, as iperf3 */
        error = send_batch(sender, count);
        pace_give(&pace, count * len);
    }
    sender_close(sender);
    return error;
}

struct receiver {
    struct stream *stream;
    struct datagram_account account;
    struct mmsghdr messages[RECEIVE_BATCH];
    struct iovec parts[RECEIVE_BATCH];
    _Alignas(struct cmsghdr) unsigned char notes[RECEIVE_BATCH][CMSG_SPACE(sizeof(int))];
    unsigned char bytes[RECEIVE_BATCH][RECEIVE_SIZE];
};

static void prepare(struct receiver *receiver)
{
    for (unsigned i = 0; i < RECEIVE_BATCH; i++) {
        receiver->parts[i] = (struct iovec){receiver->bytes[i], RECEIVE_SIZE};
        receiver->messages[i].msg_hdr =
            (struct msghdr){.msg_iov = &receiver->parts[i],
                            .msg_iovlen = 1,
                            .msg_control = receiver->notes[i],
                            .msg_controllen = sizeof receiver->notes[i]};
    }
}

/* Bytes of each datagram in what came as one piece; `size` when it is one. */
static size_t piece_of(struct msghdr *message, size_t size)
{
    for (struct cmsghdr *note = CMSG_FIRSTHDR(message); note; note = CMSG_NXTHDR(message, note)) {
        int piece = 0;
        if (note->cmsg_level != SOL_UDP || note->cmsg_type != UDP_GRO)
            continue;
        memcpy(&piece, CMSG_DATA(note), sizeof piece);
        if (piece > 0)
            return (size_t)piece;
    }
    return size;
}

static size_t take_message(struct receiver *receiver, unsigned index, uint64_t now_ns)
{
    struct stream *stream = receiver->stream;
    const size_t size = receiver->messages[index].msg_len;
    const size_t piece = piece_of(&receiver->messages[index].msg_hdr, size);
    size_t taken = 0;
    for (size_t at = 0; at < size; at += piece) {
        struct datagram datagram;
        size_t part = size - at < piece ? size - at : piece;
        if (!datagram_read(receiver->bytes[index] + at, part, stream->plan.is_64bit, &datagram))
            continue; /* a hello that came late */
        datagram_take(&receiver->account, &datagram, now_ns);
        taken += part;
    }
    return taken;
}

int stream_receive_udp(struct stream *stream)
{
    AUTO_FREE void *room = calloc(1, sizeof(struct receiver));
    struct receiver *receiver = room;
    int on = 1;
    if (!receiver)
        return -ENOMEM;
    receiver->stream = stream;
    bool is_joined =
        !stream->plan.is_plain_udp && setsockopt(stream->fd, SOL_UDP, UDP_GRO, &on, sizeof on) == 0;
    atomic_store(&stream->method, is_joined ? "gro" : "recvmmsg");
    while (race_state(stream->race) != RACE_STOP) {
        prepare(receiver);
        int count = recvmmsg(stream->fd, receiver->messages,
                             stream->plan.is_plain_udp ? 1 : RECEIVE_BATCH, MSG_WAITFORONE, NULL);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (!stream_counts(stream) || count <= 0)
            continue;
        uint64_t now = control_now_ns();
        size_t taken = 0;
        for (unsigned i = 0; i < (unsigned)count; i++)
            taken += take_message(receiver, i, now);
        datagram_publish(&receiver->account, &stream->tally);
        tally_add(&stream->tally.bytes, taken);
        if (stream->plan.is_limited)
            race_got(stream->race, taken);
    }
    return 0;
}
