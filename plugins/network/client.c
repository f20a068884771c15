#include "client.h"

#include "meter.h"

#include <common/cleanup.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>

#define GLANCE_NS (CONTROL_NS_PER_S / 4)
#define REASON_NS (CONTROL_NS_PER_S / 2) /* a stream broke: the server may still say why */

struct trial { /* one test under way */
    struct session session;
    struct meter meter;
    uint64_t run_ns;   /* when the server said RUNNING */
    uint64_t moved_ns; /* when something last moved */
    uint64_t moved;
    uint64_t broken_ns; /* when a stream ended that should not have; 0: none */
    struct rusage before;
};

/* The server went away while data moved. */
static int vanished(const struct trial *trial, const char *how)
{
    const struct plan *plan = trial->session.plan;
    double after = (double)(control_now_ns() - trial->run_ns) / 1e9;
    return plan_explain(plan, -ENODEV, "%s port %u went away after %.1f s: %s", plan->server,
                        plan->port, after, how);
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * CONTROL_NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

/* The counted part begins. */
static void mark(struct trial *trial)
{
    session_mark(&trial->session);
    (void)getrusage(RUSAGE_SELF, &trial->before);
}

static int heed_control(struct trial *trial)
{
    struct session *session = &trial->session;
    int state = 0;
    int error = control_read_state(&session->control, control_now_ns() + SESSION_STATE_NS, &state);
    if (error == -ECANCELED)
        return error;
    if (error == -EPROTO)
        return session_blame(session, error, "the test");
    if (error < 0)
        return vanished(trial,
                        error == -ECONNABORTED ? "it closed the connection" : strerror(-error));
    if (state == STATE_SERVER_TERMINATE)
        return vanished(trial, "it was stopped");
    return session_refuse(session, state, "the data of the test");
}

/* Whether all senders have sent their share; notes a stream that broke. */
static bool heed_streams(struct trial *trial)
{
    const struct session *session = &trial->session;
    eventfd_t value;
    bool is_spent = true, is_limited = false;
    (void)eventfd_read(session->race.event_fd, &value);
    for (unsigned i = 0; i < session->count; i++) {
        const struct stream *stream = &session->streams[i];
        bool has_ended = atomic_load(&stream->has_ended), is_done = atomic_load(&stream->is_spent);
        if (has_ended && !is_done && trial->broken_ns == 0)
            trial->broken_ns = control_now_ns();
        if (!stream->plan.is_limited)
            continue;
        is_limited = true;
        is_spent = is_spent &&
                   (stream->plan.is_sender ? has_ended && is_done : race_is_over(&session->race));
    }
    return is_limited && is_spent;
}

static int explain_broken(const struct trial *trial)
{
    const struct session *session = &trial->session;
    for (unsigned i = 0; i < session->count; i++) {
        int error = atomic_load(&session->streams[i].error);
        if (error < 0)
            return vanished(trial,
                            error == -ECONNABORTED ? "it closed a stream" : strerror(-error));
    }
    return vanished(trial, "it closed a stream");
}

static int heed_clock(struct trial *trial, uint64_t now)
{
    uint64_t moved = session_moved_bytes(&trial->session);
    if (moved != trial->moved) {
        trial->moved = moved;
        trial->moved_ns = now;
    }
    if (trial->broken_ns && now - trial->broken_ns >= REASON_NS)
        return explain_broken(trial);
    if (now - trial->moved_ns >= SESSION_STILL_NS)
        return vanished(trial, "nothing has moved for 15 s");
    return 0;
}

/* Until `deadline`, the limit of bytes, a cancel or a fault. 1: the limit was reached. */
static int watch(struct trial *trial, uint64_t deadline_ns)
{
    struct session *session = &trial->session;
    struct pollfd fds[] = {{.fd = session->control.fd, .events = POLLIN},
                           {.fd = session->control.cancel_fd, .events = POLLIN},
                           {.fd = session->race.event_fd, .events = POLLIN}};
    for (;;) {
        uint64_t now = control_now_ns();
        if (now >= deadline_ns)
            return 0;
        uint64_t left = deadline_ns - now < GLANCE_NS ? deadline_ns - now : GLANCE_NS;
        struct timespec timeout = {.tv_nsec = (long)left};
        int ready = ppoll(fds, ARRAY_SIZE(fds), &timeout, NULL);
        if (ready > 0 && fds[1].revents)
            return -ECANCELED;
        if (ready > 0 && fds[0].revents)
            return heed_control(trial);
        if (ready > 0 && fds[2].revents && heed_streams(trial))
            return 1;
        int error = heed_clock(trial, control_now_ns());
        if (error < 0)
            return error;
    }
}

static int run_phases(struct trial *trial, const char *name)
{
    const struct plan *plan = trial->session.plan;
    trial->run_ns = trial->moved_ns = control_now_ns();
    mark(trial);
    plan->host->phase(plan->run, plan->omit_ns ? "omit" : name);
    int error = meter_start(&trial->meter, &trial->session);
    if (error < 0)
        return error;
    race_set(&trial->session.race, RACE_RUN);
    if (plan->omit_ns) {
        error = watch(trial, trial->run_ns + plan->omit_ns);
        if (error != 0)
            return error;
        mark(trial);
        plan->host->phase(plan->run, name);
    }
    uint64_t end = plan->time_ns ? trial->run_ns + plan->omit_ns + plan->time_ns : UINT64_MAX;
    error = watch(trial, end);
    return error > 0 ? 0 : error;
}

static int stop(struct trial *trial, int last_word)
{
    struct session *session = &trial->session;
    struct rusage after;
    int error = session_halt(session, last_word);
    meter_stop(&trial->meter);
    port_look(&session->port);
    driver_read(session->plan->device, &session->after);
    if (getrusage(RUSAGE_SELF, &after) == 0) {
        session->cpu_user_ns = ns_of(&after.ru_utime) - ns_of(&trial->before.ru_utime);
        session->cpu_system_ns = ns_of(&after.ru_stime) - ns_of(&trial->before.ru_stime);
    }
    session_sum_up(session);
    return error;
}

static int test(struct trial *trial, const char *name, bool is_turn, struct tell_sums *sums)
{
    struct session *session = &trial->session;
    const struct plan *plan = session->plan;
    plan->host->phase(plan->run, "connect");
    int error = session_dial(session);
    driver_read(plan->device, &session->before); /* a server may send before we count */
    port_begin(&session->port, "", plan->device);
    if (error == 0)
        error = session_open(session);
    if (error < 0) {
        if (error == -ECANCELED)
            session_say(session, STATE_CLIENT_TERMINATE);
        return error;
    }
    tell_start(session);
    error = run_phases(trial, name);
    if (error < 0 && error != -ECANCELED) {
        (void)stop(trial, 0);
        return error;
    }
    int said = stop(trial, error == 0 ? STATE_TEST_END : STATE_CLIENT_TERMINATE);
    if (error == 0 && said < 0)
        return vanished(trial, strerror(-said));
    if (error == 0)
        error = session_settle(session);
    if (error == 0 || error == -ECANCELED)
        tell_session(session, is_turn, sums);
    return error;
}

int client_test(const struct plan *plan, bool is_reverse, bool is_bidirectional, bool is_turn,
                struct tell_sums *sums)
{
    struct trial *trial = calloc(1, sizeof *trial);
    if (!trial)
        return -ENOMEM;
    struct session *session = &trial->session;
    session->plan = plan;
    session->params = plan->params;
    session->params.is_reverse = is_reverse;
    session->params.is_bidirectional = is_bidirectional;
    session->bind.device = plan->device;
    session->control = (struct control){.fd = -1, .cancel_fd = plan->host->cancel_fd(plan->run)};
    int error = test(trial, is_bidirectional ? "both" : is_reverse ? "in" : "out", is_turn, sums);
    meter_stop(&trial->meter);
    session_close(session);
    free(trial);
    return error;
}

int client_run_plan(struct plan *plan)
{
    struct tell_sums sums = {0};
    bool is_turns = plan->direction == PLAN_TURNS;
    int error = client_test(plan, plan->direction == PLAN_IN, plan->direction == PLAN_BOTH,
                            is_turns, &sums);
    plan->was_there = true;
    if (error == 0 && is_turns)
        error = client_test(plan, true, false, true, &sums);
    if (error == 0 || error == -ECANCELED)
        tell_end(plan, &sums);
    return error;
}

int client_run(const struct dyno_host *host, struct dyno_run *run, bool is_udp)
{
    struct plan plan;
    int error = plan_make(host, run, is_udp, NULL, &plan);
    if (error < 0)
        return error;
    if (is_udp && host->opt_u64(run, "sweep"))
        return client_sweep(&plan);
    return client_run_plan(&plan);
}
