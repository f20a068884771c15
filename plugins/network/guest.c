#include "guest.h"

#include <common/cleanup.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define STATE_NS (5 * CONTROL_NS_PER_S)    /* a client's next word */
#define STREAMS_NS (10 * CONTROL_NS_PER_S) /* all of them, and a little more for each */
#define STREAM_NS (CONTROL_NS_PER_S / 20)
#define TURN_NS (30 * CONTROL_NS_PER_S) /* others open their UDP streams */
#define LATE_NS (15 * CONTROL_NS_PER_S) /* after the time it asked for */
#define STILL_NS (10 * CONTROL_NS_PER_S)
#define GLANCE_NS (CONTROL_NS_PER_S / 4)
#define WORD_NS CONTROL_NS_PER_S /* what is said to one that may be gone */

struct story { /* how it went, for the person at the server */
    char text[GUEST_STORY_MAX];
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
end_with(struct story *story, int error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    (void)vsnprintf(story->text, sizeof story->text, format, words);
    va_end(words);
    return error;
}

static int blame(struct story *story, int error, const char *what)
{
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
        return end_with(story, error, "the server was stopped");
    for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
        if (reasons[i].code == error)
            return end_with(story, error, "broke off at %s: %s", what, reasons[i].text);
    return end_with(story, error, "broke off at %s: %s", what, strerror(-error));
}

static uint64_t soon(uint64_t ns)
{
    return control_now_ns() + ns;
}

static int refuse(struct guest *guest, struct story *story, int number, const char *why)
{
    (void)control_write_error(&guest->session.control, number, 0, soon(WORD_NS));
    return end_with(story, -EREMOTEIO, "was turned away: %s", why);
}

static int take_params(struct guest *guest, struct story *story)
{
    struct session *session = &guest->session;
    const struct guest_house *rules = guest->house;
    AUTO_FREE char *text = NULL;
    const char *why = "";
    size_t size = 0;
    int error = control_write_state(&session->control, STATE_PARAM_EXCHANGE, soon(STATE_NS));
    if (error == 0)
        error =
            control_read_text(&session->control, CONTROL_PARAMS_MAX, soon(STATE_NS), &text, &size);
    if (error < 0)
        return blame(story, error, "its parameters");
    error = params_parse(text, size, &session->params, &why);
    if (error < 0)
        return refuse(guest, story, STATE_ERROR_PARAMETERS, why);
    uint64_t time_ns = session->params.time_s * CONTROL_NS_PER_S;
    if (rules->most_ns && (time_ns == 0 || time_ns > rules->most_ns))
        return refuse(guest, story, STATE_ERROR_DURATION,
                      "it asks for a longer test than is allowed");
    if (rules->most_bps && (session->params.bps == 0 ||
                            session->params.bps > rules->most_bps / session->params.parallel))
        return refuse(guest, story, STATE_ERROR_RATE, "it asks for a higher rate than is allowed");
    return 0;
}

static void tell_came(const struct guest *guest)
{
    const struct params *params = &guest->session.params;
    char text[GUEST_STORY_MAX], limit[64] = "";
    if (guest->house->is_quiet)
        return;
    if (params->time_s)
        (void)snprintf(limit, sizeof limit, ", %u s", params->time_s);
    (void)snprintf(text, sizeof text, "%s: %s, %u stream%s %s%s", guest->name,
                   params->is_udp ? "UDP" : "TCP", params->parallel,
                   params->parallel == 1 ? "" : "s",
                   params->is_bidirectional ? "each way"
                   : params->is_reverse     ? "from here"
                                            : "to here",
                   limit);
    guest->house->host->event(guest->house->run, "client-came", text);
}

static int add_stream(struct guest *guest, unsigned index, int fd)
{
    struct session *session = &guest->session;
    struct stream *stream = &session->streams[index];
    const struct params *params = &session->params;
    const struct socket_wish wish = {.window = params->window,
                                     .tos = params->tos,
                                     .is_nodelay = params->is_nodelay,
                                     .is_udp = params->is_udp};
    const struct socket_wish algorithm = {.congestion = params->congestion};
    stream->fd = fd;
    (void)socket_apply(fd, guest->address.ss_family, &wish);
    if (!params->is_udp) {
        socket_keep(fd);
        (void)socket_apply(fd, guest->address.ss_family, &algorithm); /* one it lacks: its own */
        socket_congestion(fd, session->congestion);
    }
    stream->id = results_id(index);
    stream->lane = guest->lane;
    stream->race = &session->race;
    stream->plan = (struct stream_plan){.is_sender = session_is_sender(session, index),
                                        .is_udp = params->is_udp,
                                        .is_64bit = params->has_64bit_counters != 0,
                                        .is_zerocopy = params->is_zerocopy != 0,
                                        .len = params->len,
                                        .bps = params->bps,
                                        .delay_ns = guest->house->delay_ns};
    return stream_start(stream);
}

static int await_given(struct guest *guest, unsigned index, uint64_t deadline, int *ret_fd)
{
    const struct control wait = {.fd = guest->given_fd,
                                 .cancel_fd = guest->session.control.cancel_fd};
    for (;;) {
        eventfd_t count;
        pthread_mutex_lock(&guest->lock);
        bool is_there = guest->given > index;
        if (is_there) {
            *ret_fd = guest->given_fds[index];
            guest->given_fds[index] = -1;
        }
        pthread_mutex_unlock(&guest->lock);
        if (is_there)
            return 0;
        int error = control_wait(&wait, POLLIN, deadline);
        if (error < 0)
            return error;
        (void)eventfd_read(guest->given_fd, &count);
    }
}

static void want(struct guest *guest, unsigned wanted)
{
    pthread_mutex_lock(&guest->lock);
    guest->wanted = wanted;
    pthread_mutex_unlock(&guest->lock);
}

static int open_tcp(struct guest *guest)
{
    struct session *session = &guest->session;
    const uint64_t deadline = soon(STREAMS_NS + session->count * STREAM_NS);
    want(guest, session->count);
    int error = control_write_state(&session->control, STATE_CREATE_STREAMS, soon(STATE_NS));
    for (unsigned i = 0; i < session->count && error == 0; i++) {
        int fd = -1;
        error = await_given(guest, i, deadline, &fd);
        if (error == 0)
            error = add_stream(guest, i, fd);
    }
    want(guest, 0);
    return error;
}

static int open_udp(struct guest *guest)
{
    struct session *session = &guest->session;
    const struct control turn = {.fd = guest->house->door->turn_fd,
                                 .cancel_fd = session->control.cancel_fd};
    const uint64_t deadline = soon(TURN_NS);
    eventfd_t token;
    int error;
    do {
        error = control_wait(&turn, POLLIN, deadline);
    } while (error == 0 && eventfd_read(turn.fd, &token) < 0); /* another one was faster */
    if (error < 0)
        return error;
    const uint64_t opened = soon(STREAMS_NS + session->count * STREAM_NS);
    door_clear_udp(guest->house->door);
    error = control_write_state(&session->control, STATE_CREATE_STREAMS, soon(STATE_NS));
    for (unsigned i = 0; i < session->count && error == 0; i++) {
        int fd = -1;
        error = door_take_udp(guest->house->door, &guest->address, session->control.cancel_fd,
                              opened, &fd);
        if (error == 0)
            error = add_stream(guest, i, fd);
    }
    (void)eventfd_write(turn.fd, 1);
    return error;
}

static int open_streams(struct guest *guest, struct story *story)
{
    struct session *session = &guest->session;
    int error = session_make_room(session, 0);
    if (error == 0)
        error = session->params.is_udp ? open_udp(guest) : open_tcp(guest);
    if (error == 0)
        error = control_write_state(&session->control, STATE_TEST_START, soon(STATE_NS));
    if (error == 0)
        error = control_write_state(&session->control, STATE_TEST_RUNNING, soon(STATE_NS));
    return error < 0 ? blame(story, error, "its streams") : 0;
}

struct watch {                         /* of the data under way */
    uint64_t run_ns, omit_ns, last_ns; /* last: no test lasts longer */
    uint64_t moved_ns, moved, broken_ns;
};

/* The client's word. 1: the test is over as it should be. */
static int heed_control(struct guest *guest, struct story *story)
{
    struct session *session = &guest->session;
    int state = 0;
    int error = control_read_state(&session->control, soon(STATE_NS), &state);
    if (error < 0)
        return blame(story, error, "the test");
    if (state == STATE_TEST_END)
        return 1;
    if (state == STATE_CLIENT_TERMINATE)
        return end_with(story, -EINTR, "was interrupted");
    return end_with(story, -EPROTO, "said %s where the end of the test was due", state_name(state));
}

static void note_broken(const struct session *session, struct watch *watch)
{
    eventfd_t count;
    (void)eventfd_read(session->race.event_fd, &count);
    for (unsigned i = 0; i < session->count; i++)
        if (atomic_load(&session->streams[i].has_ended) && watch->broken_ns == 0)
            watch->broken_ns = control_now_ns();
}

/* A slow, paced sender may be silent for long: its keep-alive tells whether it is there. */
static int heed_clock(struct guest *guest, struct watch *watch, struct story *story)
{
    struct session *session = &guest->session;
    uint64_t now = control_now_ns(), moved = session_moved_bytes(session);
    if (moved != watch->moved) {
        watch->moved = moved;
        watch->moved_ns = now;
    }
    if (watch->omit_ns && now >= watch->omit_ns) {
        session_mark(session);
        watch->omit_ns = 0;
    }
    if (watch->broken_ns && now - watch->broken_ns >= STATE_NS)
        return end_with(story, -ECONNABORTED, "closed a stream and said nothing of it");
    if (session->params.bps == 0 && now - watch->moved_ns >= STILL_NS)
        return end_with(story, -ETIMEDOUT, "went away: nothing has moved for 10 s");
    if (watch->last_ns && now >= watch->last_ns) {
        (void)control_write_error(&session->control, STATE_ERROR_EXPIRED, 0, soon(WORD_NS));
        return end_with(story, -ETIME, "did not end its test in time");
    }
    return 0;
}

/* 0: the client ended the test. */
static int watch_data(struct guest *guest, struct story *story)
{
    struct session *session = &guest->session;
    const struct params *params = &session->params;
    struct watch watch = {.run_ns = control_now_ns()};
    struct pollfd fds[] = {{.fd = session->control.fd, .events = POLLIN},
                           {.fd = session->control.cancel_fd, .events = POLLIN},
                           {.fd = session->race.event_fd, .events = POLLIN}};
    watch.moved_ns = watch.run_ns;
    if (params->omit_s)
        watch.omit_ns = watch.run_ns + params->omit_s * CONTROL_NS_PER_S;
    if (params->time_s)
        watch.last_ns =
            watch.run_ns + (params->time_s + params->omit_s) * CONTROL_NS_PER_S + LATE_NS;
    else if (guest->house->most_ns)
        watch.last_ns = watch.run_ns + guest->house->most_ns + LATE_NS;
    for (;;) {
        uint64_t now = control_now_ns(), left = GLANCE_NS;
        if (watch.omit_ns > now && watch.omit_ns - now < left)
            left = watch.omit_ns - now;
        struct timespec timeout = {.tv_nsec = (long)left};
        int ready = ppoll(fds, ARRAY_SIZE(fds), &timeout, NULL);
        if (ready > 0 && fds[1].revents)
            return blame(story, -ECANCELED, "the test");
        if (ready > 0 && fds[0].revents) {
            int word = heed_control(guest, story);
            return word > 0 ? 0 : word;
        }
        if (ready > 0 && fds[2].revents)
            note_broken(session, &watch);
        int error = heed_clock(guest, &watch, story);
        if (error < 0)
            return error;
    }
}

static int exchange(struct guest *guest, struct story *story)
{
    struct session *session = &guest->session;
    AUTO_FREE char *mine = results_text(&session->own);
    AUTO_FREE char *theirs = NULL;
    const char *why = "";
    size_t size = 0;
    int state = 0;
    if (!mine)
        return end_with(story, -ENOMEM, "there is no memory for its results");
    int error = control_write_state(&session->control, STATE_EXCHANGE_RESULTS, soon(STATE_NS));
    if (error == 0)
        error = control_read_text(&session->control, CONTROL_RESULTS_MAX, soon(STATE_NS), &theirs,
                                  &size);
    if (error < 0)
        return blame(story, error, "its results");
    if (results_parse(theirs, size, &session->peer, &why) < 0)
        return end_with(story, -EBADMSG, "sent results that cannot be used: %s", why);
    session->has_peer = true;
    error = control_write_text(&session->control, mine, soon(STATE_NS));
    if (error == 0)
        error = control_write_state(&session->control, STATE_DISPLAY_RESULTS, soon(STATE_NS));
    if (error < 0)
        return blame(story, error, "our results");
    (void)control_read_state(&session->control, soon(STATE_NS),
                             &state); /* its good-bye, or its end */
    return 0;
}

/* So that the client can say where something was lost, if it knows our key. */
static void tell_place(struct session *session, const char *device)
{
    char text[PORT_TEXT_MAX] = "";
    port_look(&session->port);
    driver_read(device, &session->after);
    if (driver_growth(&session->before, &session->after, text, sizeof text) ||
        port_loss_place(&session->port, text))
        (void)snprintf(session->own.loss_place, sizeof session->own.loss_place, "%.*s",
                       RESULTS_PLACE_MAX - 1, text);
}

static int serve(struct guest *guest, struct story *story)
{
    struct session *session = &guest->session;
    int error = take_params(guest, story);
    if (error < 0)
        return error;
    tell_came(guest);
    error = open_streams(guest, story);
    if (error < 0)
        return error;
    driver_read(guest->house->device, &session->before);
    port_begin(&session->port, "", guest->house->device);
    session_mark(session);
    atomic_store(&guest->is_moving, true);
    race_set(&session->race, RACE_RUN);
    error = watch_data(guest, story);
    (void)session_halt(session, 0);
    session_sum_up(session);
    tell_place(session, guest->house->device);
    pthread_mutex_lock(&guest->lock);
    session_let_streams_go(session);
    pthread_mutex_unlock(&guest->lock);
    return error == 0 ? exchange(guest, story) : error;
}

static void add_way(const struct session *session, bool is_out, char *into, size_t size)
{
    uint64_t bytes = 0;
    double seconds = (double)(session->end_ns - session->start_ns) / 1e9;
    size_t used = strlen(into);
    bool has_any = false;
    for (unsigned i = 0; i < session->count; i++) {
        if (session->streams[i].plan.is_sender != is_out)
            continue;
        bytes += session->own.streams[i].bytes;
        has_any = true;
    }
    if (has_any && seconds > 0)
        (void)snprintf(into + used, size - used, ", %s %.1f MB in %.1f s, %.1f Mbit/s",
                       is_out ? "sent" : "received", (double)bytes / 1e6, seconds,
                       (double)bytes * 8e-6 / seconds);
}

static void tell_left(const struct guest *guest, const struct story *story)
{
    const struct session *session = &guest->session;
    char text[GUEST_STORY_MAX + SOCKET_TEXT_MAX + 160];
    if (guest->house->is_quiet)
        return;
    (void)snprintf(text, sizeof text, "%s: %s", guest->name, story->text[0] ? story->text : "done");
    if (session->end_ns) {
        add_way(session, false, text, sizeof text);
        add_way(session, true, text, sizeof text);
    }
    guest->house->host->event(guest->house->run, "client-left", text);
}

static void *live(void *argument)
{
    struct guest *guest = argument;
    struct story story = {""};
    if (serve(guest, &story) == -ECANCELED)
        session_say(&guest->session, STATE_SERVER_TERMINATE);
    if (guest->session.has_race)
        race_set(&guest->session.race, RACE_STOP);
    tell_left(guest, &story);
    (void)close(guest->session.control.fd);
    guest->session.control.fd = -1;
    atomic_store(&guest->is_over, true);
    (void)eventfd_write(guest->house->done_fd, 1);
    return NULL;
}

struct guest *guest_new(const struct guest_house *house, int fd, const char cookie[COOKIE_SIZE],
                        const struct sockaddr_storage *address, unsigned lane)
{
    struct guest *guest = calloc(1, sizeof *guest);
    sigset_t all, before;
    int error = -ENOMEM;
    if (!guest) {
        (void)close(fd);
        return NULL;
    }
    guest->house = house;
    guest->address = *address;
    guest->lane = lane;
    guest->session.is_server = true;
    guest->session.control = (struct control){.fd = fd, .cancel_fd = house->cancel_fd};
    memcpy(guest->session.cookie, cookie, COOKIE_SIZE);
    socket_text(address, guest->name);
    pthread_mutex_init(&guest->lock, NULL);
    guest->given_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (guest->given_fd >= 0)
        error = -pthread_create(&guest->thread, NULL, live, guest);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return guest;
    (void)close(fd);
    if (guest->given_fd >= 0)
        (void)close(guest->given_fd);
    pthread_mutex_destroy(&guest->lock);
    free(guest);
    return NULL;
}

void guest_free(struct guest *guest)
{
    if (!guest)
        return;
    pthread_join(guest->thread, NULL);
    for (unsigned i = 0; i < guest->given; i++)
        if (guest->given_fds[i] >= 0)
            (void)close(guest->given_fds[i]);
    (void)close(guest->given_fd);
    session_close(&guest->session);
    pthread_mutex_destroy(&guest->lock);
    free(guest);
}

bool guest_is(const struct guest *guest, const char cookie[COOKIE_SIZE])
{
    return memcmp(guest->session.cookie, cookie, COOKIE_SIZE) == 0;
}

bool guest_give(struct guest *guest, int fd)
{
    pthread_mutex_lock(&guest->lock);
    bool is_wanted = guest->given < guest->wanted;
    if (is_wanted)
        guest->given_fds[guest->given++] = fd;
    pthread_mutex_unlock(&guest->lock);
    if (is_wanted)
        (void)eventfd_write(guest->given_fd, 1);
    return is_wanted;
}
