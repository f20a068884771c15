#include "stream.h"

#include "socket.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define TIMER_SLACK_NS 1000ul /* the usual 50 us would make each millisecond late */

typedef int stream_loop(struct stream *stream);

static stream_loop *const loops[2][2] = {/* [is_udp][is_sender] */
                                         {stream_receive_tcp, stream_send_tcp},
                                         {stream_receive_udp, stream_send_udp}};

void stream_fill(unsigned char *bytes, size_t size)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed || seed == 0)
        seed = 0x9e3779b97f4a7c15ull;
    for (size_t i = 0; i < size; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bytes[i] = (unsigned char)seed;
    }
}

static void *serve(void *argument)
{
    struct stream *stream = argument;
    struct timespec used = {0};
    if (stream->plan.bps)
        (void)prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    race_await(stream->race);
    int error = loops[stream->plan.is_udp][stream->plan.is_sender](stream);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    tally_set(&stream->tally.cpu_ns,
              (uint64_t)used.tv_sec * CONTROL_NS_PER_S + (uint64_t)used.tv_nsec);
    atomic_store(&stream->error, error);
    atomic_store(&stream->has_ended, true);
    race_tell(stream->race);
    return NULL;
}

int stream_start(struct stream *stream)
{
    sigset_t all, before;
    int error = socket_set_patience(stream->fd, STREAM_PATIENCE_NS);
    if (error < 0)
        return error;
    atomic_store(&stream->error, 0);
    atomic_store(&stream->has_ended, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&stream->thread, NULL, serve, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    stream->has_thread = error == 0;
    return -error;
}

void stream_join(struct stream *stream)
{
    if (stream->has_thread)
        pthread_join(stream->thread, NULL);
    stream->has_thread = false;
}

void stream_close(struct stream *stream)
{
    stream_join(stream);
    if (stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
}
