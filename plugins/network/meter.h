/* meter: what a client's run shows while it moves data: each stream's counters and the kernel's
 * account of it, tick by tick. */
#ifndef NETWORK_METER_H
#define NETWORK_METER_H

#include "session.h"
#include "tcpinfo.h"

#include <common/sampler.h>

#define METER_DETAIL_STREAMS 16u /* with more of them only what a sum makes sense of is told */

struct meter { /* embedded, zero-initialised; must not move while it runs */
    struct sampler sampler;
    struct session *session;
    uint64_t total_ns, total_bytes; /* for progress; 0: none to tell */
    struct meter_port {
        uint64_t sent, received, faults, carrier;
    } port;
    struct meter_last {
        struct tally_view tally;
        struct tcpinfo info;
        double reported_lost; /* lost that was taken back is not */
    } last[RESULTS_STREAMS_MAX];
};

int meter_start(struct meter *meter, struct session *session);
/* The last samples are out when it returns. Harmless when not started. */
void meter_stop(struct meter *meter);

#endif
