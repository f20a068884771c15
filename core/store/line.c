#include "store/line.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "wire/channel.h"

#define LOOK_MS 1000 /* how often a full line is looked at for life */

int line_check(int fd)
{
    int type = 0;
    socklen_t size = sizeof(type);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
        return -errno;
    return type == SOCK_SEQPACKET ? 0 : -ENOTSOCK;
}

int line_wait(const struct line *line, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = line->fd};
    if (line->heeds_half_close)
        poll_fd.events = POLLRDHUP;
    int r = poll(&poll_fd, 1, timeout_ms);
    if (r < 0)
        return errno == EINTR ? 0 : -errno;
    return r > 0 ? -EPIPE : 0;
}

int line_flush(struct line *line)
{
    int r = -ETIMEDOUT;
    if (line->packet.size == 0)
        return 0;
    for (int waited_ms = 0; r == -ETIMEDOUT; waited_ms += LOOK_MS) {
        if (line_wait(line, 0) < 0)
            return -EPIPE;
        if (!line->is_patient && waited_ms >= LINE_ROOM_MS)
            return -ETIMEDOUT;
        r = channel_send_wait(line->fd, &line->packet, LOOK_MS);
    }
    line->packet.size = 0;
    line->frames = 0;
    return r;
}

int line_add(struct line *line, const struct frame *frame)
{
    int r = line->frames < FRAME_SAMPLES_MAX ? packet_add(&line->packet, frame) : -EMSGSIZE;
    if (r == -EMSGSIZE && line->frames > 0) {
        r = line_flush(line);
        if (r == 0)
            r = packet_add(&line->packet, frame);
    }
    if (r == 0)
        line->frames++;
    return r;
}

int line_row(struct line *line, const char *pairs, size_t size)
{
    struct frame row = {.type = FRAME_ROW, .pairs = pairs, .pairs_size = size};
    int r = line_add(line, &row);
    return r < 0 ? r : line_flush(line);
}

static void drain(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    uint64_t end_ns = clock_mono_ns() + LINE_LAST_MS * NS_PER_MS;
    struct packet packet;
    (void)shutdown(fd, SHUT_WR);
    for (uint64_t now_ns = clock_mono_ns(); now_ns < end_ns; now_ns = clock_mono_ns()) {
        int left_ms = (int)((end_ns - now_ns) / NS_PER_MS) + 1;
        if (poll(&poll_fd, 1, left_ms) <= 0)
            continue;
        int r = channel_receive(fd, &packet);
        if (r <= 0 && r != -EAGAIN && r != -EPROTO)
            return;
    }
}

void line_refuse(struct line *line, const char *path, const char *sentence)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "path", path);
    str_add_pair(&pairs, "reason", sentence);
    struct frame refused = {.type = FRAME_REFUSED, .pairs = pairs.text, .pairs_size = pairs.size};
    if (line_add(line, &refused) == 0)
        (void)line_flush(line);
    drain(line->fd);
}
