/* What the port that was bound tells of a test: whether its data went there at all, and where some
 * was lost. */
#include "tell.h"

#include "network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROOF_SHARE 0.9             /* of the payload; frames are larger, nothing real is below */
#define PROOF_LEAST (1024.0 * 1024) /* less moved proves nothing beside other traffic */
#define PER_MEGA 1e-6

/* What is known to have arrived: bytes that were sent may still wait in this host, or have been
 * dropped by its queue. */
static double moved_of(const struct session *session, bool is_out)
{
    double moved = 0;
    for (unsigned i = 0; i < session->count; i++) {
        double bytes = (double)tally_get(&session->streams[i].tally.bytes);
        if (session->streams[i].plan.is_sender != is_out || (is_out && !session->has_peer))
            continue;
        if (is_out)
            bytes = fmin(bytes, (double)results_find(&session->peer, results_id(i))->bytes);
        moved += bytes;
    }
    return moved;
}

static bool tell_missing(const struct session *session, bool is_out)
{
    const struct plan *plan = session->plan;
    double counted = (double)port_since(&session->port, is_out ? PORT_TX_BYTES : PORT_RX_BYTES);
    double moved = moved_of(session, is_out);
    char text[PORT_TEXT_MAX];
    if (!session->port.is_known || moved < PROOF_LEAST || counted >= moved * PROOF_SHARE)
        return false;
    (void)snprintf(text, sizeof text, "%s %s %.1f MB while the test moved %.1f MB", plan->device,
                   is_out ? "sent" : "received", counted * PER_MEGA, moved * PER_MEGA);
    plan->host->fact(plan->run, "wrong-path", text);
    return true;
}

static void tell_losses(const struct session *session)
{
    const struct plan *plan = session->plan;
    char text[PORT_TEXT_MAX];
    if (port_faults(&session->port) > 0) {
        port_fault_text(&session->port, text);
        plan->host->fact(plan->run, "port-errors", text);
    }
    if (driver_growth(&session->before, &session->after, text, sizeof text) ||
        port_loss_place(&session->port, text))
        plan->host->fact(plan->run, "loss-place", text);
    else if (session->has_peer && session->peer.loss_place[0]) {
        (void)snprintf(text, sizeof text, "at the peer: %s", session->peer.loss_place);
        plan->host->fact(plan->run, "loss-place", text);
    }
    if (port_softirq(&session->port, text))
        plan->host->fact(plan->run, "softirq-full", text);
}

/* A thread's clock is known once it has ended; until then its share is that of the process. */
static double busiest(const struct session *session)
{
    double seconds = (double)(session->end_ns - session->start_ns) / 1e9, most = 0;
    for (unsigned i = 0; i < session->count; i++) {
        double used = (double)tally_get(&session->streams[i].tally.cpu_ns) / 1e9;
        most = used > most ? used : most;
    }
    seconds += (double)session->plan->omit_ns / 1e9;
    double share = session->own.cpu_total / 100 / session->count;
    if (most > 0 && seconds > 0)
        share = most / seconds;
    return share < 1 ? share : 1;
}

void tell_port(const struct session *session, struct tell_sums *sums)
{
    double share = busiest(session);
    sums->cpu_share = share > sums->cpu_share ? share : sums->cpu_share;
    if (!tell_missing(session, true))
        (void)tell_missing(session, false);
    tell_losses(session);
}
