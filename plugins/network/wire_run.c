/* network.wire: from port to port of this machine over a cable, without a second machine. */
#include "client.h"
#include "network.h"
#include "wire.h"

#include <arpa/inet.h>
#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct far_end { /* what the second port counted */
    struct port port;
    struct driver before, after;
};

static void tell_far(const struct plan *plan, struct far_end *far)
{
    char text[PORT_TEXT_MAX], whole[PORT_TEXT_MAX + PLAN_NAME_MAX];
    port_look(&far->port);
    driver_read(plan->peer_device, &far->after);
    if (port_faults(&far->port) > 0) {
        port_fault_text(&far->port, text);
        plan->host->fact(plan->run, "peer-errors", text);
    }
    if (!driver_growth(&far->before, &far->after, text, sizeof text) &&
        !port_loss_place(&far->port, text))
        return;
    (void)snprintf(whole, sizeof whole, "%s: %s", plan->peer_device, text);
    plan->host->fact(plan->run, "loss-place", whole);
}

static int plan_wire(const struct dyno_host *host, struct dyno_run *run, const struct wire *wire,
                     const char *peer, struct plan *ret_plan)
{
    const struct dyno_target *target = host->target(run);
    char name[INET6_ADDRSTRLEN] = "", server[PLAN_NAME_MAX];
    (void)inet_ntop(AF_INET6, &wire->far.sin6_addr, name, sizeof name);
    (void)snprintf(server, sizeof server, "%s%%%s", name, target->ifname);
    int error = plan_make(host, run, false, server, ret_plan);
    if (error < 0)
        return error;
    ret_plan->port = wire_port(wire);
    ret_plan->peer_device = peer;
    return 0;
}

int network_wire(const struct dyno_host *host, struct dyno_run *run)
{
    const char *peer = host->opt_str(run, "peer"), *near = host->target(run)->ifname;
    AUTO_FREE void *wire_room = calloc(1, sizeof(struct wire));
    AUTO_FREE void *far_room = calloc(1, sizeof(struct far_end));
    struct wire *wire = wire_room;
    struct far_end *far = far_room;
    struct plan plan;
    if (!wire || !far)
        return -ENOMEM;
    if (!peer[0]) {
        host->explain(run, "name the port at the other end of the cable: peer=PORT");
        return -EDESTADDRREQ;
    }
    int error = wire_open(host, run, near, peer, wire);
    if (error == 0)
        error = plan_wire(host, run, wire, peer, &plan);
    if (error == 0) {
        driver_read(peer, &far->before);
        port_begin(&far->port, "", peer);
        error = client_run_plan(&plan);
        tell_far(&plan, far);
    }
    wire_close(wire);
    return error;
}
