/* The first connection: a name, its addresses, a server that is there, free, and speaks iperf3. */
#include "own.h"
#include "session.h"

#include <common/cleanup.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define PLACES_MAX 8
#define RETRY_NS CONTROL_NS_PER_S
#define REOPEN_NS                                                                                  \
    (3 * CONTROL_NS_PER_S) /* iperf3 closes its port after each test and opens it anew */
#define REOPEN_STEP_NS (CONTROL_NS_PER_S / 20)

static int resolve(const struct plan *plan, struct socket_place places[], uint64_t deadline_ns)
{
    int count = socket_resolve(plan->server, plan->port, plan->host->cancel_fd(plan->run),
                               deadline_ns, places, PLACES_MAX);
    if (count == -EHOSTUNREACH)
        return plan_explain(plan, count, "there is no host called %s", plan->server);
    if (count == -EAGAIN || count == -ETIMEDOUT)
        return plan_explain(plan, count, "no name server answered for %s: try its address",
                            plan->server);
    return count;
}

static int explain_connect(const struct session *session, int error)
{
    const struct plan *plan = session->plan;
    static const struct {
        int code;
        const char *text;
    } reasons[] = {
        {-ECONNREFUSED, "nothing listens there: start \"iperf3 -s\" on it"},
        {-ETIMEDOUT, "no answer within 10 s: is it on, is the cable in, does a firewall block it?"},
        {-EHOSTUNREACH, "the host cannot be reached"},
        {-ENETUNREACH, "there is no route to it"},
        {-EADDRNOTAVAIL, "this port has no address that leads there"},
        {-ENODEV, "the network port is gone"},
        {-EACCES, "a firewall or the address forbids it"},
        {-EPERM, "a firewall here forbids it"},
    };
    if (error == -ECANCELED)
        return error;
    for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
        if (reasons[i].code == error)
            return plan_explain(plan, error, "cannot connect to %s port %u%s%s: %s", plan->server,
                                plan->port, plan->device[0] ? " through " : "", plan->device,
                                reasons[i].text);
    return plan_explain(plan, error, "cannot connect to %s port %u: %s", plan->server, plan->port,
                        strerror(-error));
}

/* What is sent to an address of this machine never comes to the port: bound to it, it would come to
 * nobody. The test runs, and says what it did not test. */
static void heed_own(struct session *session, const struct socket_place *place)
{
    const struct plan *plan = session->plan;
    bool is_own = plan->device[0] && !plan->peer_device && strcmp(plan->device, "lo") != 0 &&
                  own_has(&place->address);
    session->bind.device = is_own ? "" : plan->device;
    if (is_own && !session->is_own)
        plan->host->event(plan->run, "own-address",
                          "the server's address is this machine's own: nothing will pass through "
                          "the port; network.wire tests from port to port over a cable");
    session->is_own = is_own;
}

static int connect_any(struct session *session, const struct socket_place places[], int count,
                       uint64_t deadline_ns)
{
    int error = -EHOSTUNREACH;
    for (int i = 0; i < count && error < 0 && error != -ECANCELED; i++) {
        uint64_t now = control_now_ns();
        uint64_t until =
            now < deadline_ns ? now + (deadline_ns - now) / (uint64_t)(count - i) : now;
        heed_own(session, &places[i]);
        int fd = socket_open(&places[i], SOCK_STREAM, &session->bind);
        error = fd < 0 ? fd : 0;
        if (fd < 0)
            continue;
        socket_guard(fd);
        if (session->params.mss)
            (void)socket_apply(fd, places[i].address.ss_family,
                               &(struct socket_wish){.mss = session->params.mss});
        error = socket_connect(fd, &places[i], session->control.cancel_fd, until);
        if (error < 0) {
            (void)close(fd);
            continue;
        }
        session->control.fd = fd;
        session->place = places[i];
    }
    return error;
}

/* The server's first word. 1: it is busy. */
static int greet(struct session *session)
{
    const struct plan *plan = session->plan;
    uint64_t deadline = control_now_ns() + SESSION_ANSWER_NS;
    int state = 0;
    int error = state_make_cookie(session->cookie);
    if (error == 0)
        error = control_write(&session->control, session->cookie, COOKIE_SIZE, deadline);
    if (error == 0 || error == -EPIPE || error == -ECONNRESET) /* it may have spoken before */
        error = control_read_state(&session->control, deadline, &state);
    if (error == -ECANCELED)
        return error;
    if (error == -ETIMEDOUT)
        return plan_explain(plan, error,
                            "no iperf3 answered on %s port %u; iperf2 or another service?",
                            plan->server, plan->port);
    if (error < 0)
        return plan_explain(plan, error,
                            "what answers on %s port %u is no iperf3: it %s; iperf2 or another "
                            "service?",
                            plan->server, plan->port,
                            error == -EPROTO ? "sent something else" : "closed the connection");
    if (state == STATE_ACCESS_DENIED)
        return 1;
    return state == STATE_PARAM_EXCHANGE ? 0 : session_refuse(session, state, "its first word");
}

/* Counts down until the next try; false when the time is over. */
static int wait_turn(const struct session *session, uint64_t since_ns)
{
    const struct plan *plan = session->plan;
    uint64_t now = control_now_ns(), end = since_ns + plan->wait_ns;
    struct control cancel = {.fd = -1, .cancel_fd = session->control.cancel_fd};
    if (now >= end)
        return plan_explain(plan, -EBUSY,
                            "%s port %u is busy with another test, also after %" PRIu64 " s",
                            plan->server, plan->port, plan->wait_ns / CONTROL_NS_PER_S);
    plan->host->progress(plan->run, now - since_ns, plan->wait_ns);
    int error = control_wait(&cancel, POLLIN, now + RETRY_NS < end ? now + RETRY_NS : end);
    return error == -ETIMEDOUT ? 0 : error;
}

static void tell_busy(const struct plan *plan)
{
    char text[PLAN_SENTENCE_MAX];
    (void)snprintf(text, sizeof text,
                   "%s port %u is busy with another test: waiting up to %" PRIu64 " s for it",
                   plan->server, plan->port, plan->wait_ns / CONTROL_NS_PER_S);
    plan->host->phase(plan->run, "wait");
    plan->host->event(plan->run, "busy", text);
}

/* Connects; a server that has been there gets the time to open its port again. */
static int connect_again(struct session *session, const struct socket_place places[], int count,
                         bool was_there)
{
    const struct control cancel = {.fd = -1, .cancel_fd = session->control.cancel_fd};
    uint64_t end = control_now_ns() + REOPEN_NS;
    for (;;) {
        int error = connect_any(session, places, count, control_now_ns() + SESSION_CONNECT_NS);
        if (error != -ECONNREFUSED || !was_there || control_now_ns() >= end)
            return error;
        error = control_wait(&cancel, POLLIN, control_now_ns() + REOPEN_STEP_NS);
        if (error < 0 && error != -ETIMEDOUT)
            return error;
    }
}

int session_dial(struct session *session)
{
    const struct plan *plan = session->plan;
    struct socket_place places[PLACES_MAX];
    uint64_t busy_since = 0;
    int count = resolve(plan, places, control_now_ns() + SESSION_CONNECT_NS);
    if (count < 0)
        return count;
    for (;;) {
        int error = connect_again(session, places, count, busy_since || plan->was_there);
        if (error < 0)
            return explain_connect(session, error);
        error = greet(session);
        if (error <= 0)
            return error;
        (void)close(session->control.fd);
        session->control.fd = -1;
        if (busy_since == 0) {
            busy_since = control_now_ns();
            tell_busy(plan);
        }
        error = wait_turn(session, busy_since);
        if (error < 0)
            return error;
    }
}
