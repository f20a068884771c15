/* network: the tests of this plugin and the numbers of their metrics, in the order of the tables.
 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include <iodyno/plugin.h>

enum {
    METRIC_SENT, /* what this end sent; as a result, what the peer says it sent */
    METRIC_RECEIVED,
    METRIC_RATE,
    METRIC_RATE_OUT,
    METRIC_RATE_IN,
    METRIC_OUT_OF_ORDER,
    METRIC_PORT_SENT, /* of the port that was bound, all that went through it */
    METRIC_PORT_RECEIVED,
    METRIC_PORT_ERRORS,
    METRIC_CARRIER_CHANGES,
    METRIC_CPU_SHARE,
    METRIC_COMMON,

    METRIC_RETRANSMITS = METRIC_COMMON, /* TCP */
    METRIC_RETRANSMIT_SHARE,
    METRIC_CWND,
    METRIC_RTT,
    METRIC_RTT_VAR,
    METRIC_DELIVERY_RATE,
    METRIC_BUSY,
    METRIC_RWND_LIMITED,
    METRIC_SNDBUF_LIMITED,
    METRIC_APP_LIMITED,
    METRIC_REORDERING,
    METRIC_RTO_TIME,
    METRIC_PEER_WINDOW,
    METRIC_TCP_COUNT,

    METRIC_PACKETS = METRIC_COMMON, /* UDP */
    METRIC_LOST,
    METRIC_JITTER,
    METRIC_IN_FLIGHT,
    METRIC_KNEE,
    METRIC_UDP_COUNT
};

enum { /* network.serve: of each lane, a client */
       SERVE_SENT,
       SERVE_RECEIVED,
       SERVE_RETRANSMITS,
       SERVE_CWND,
       SERVE_RTT,
       SERVE_OUT_OF_ORDER,
       SERVE_PACKETS,
       SERVE_LOST,
       SERVE_JITTER,
       SERVE_PORT_SENT,
       SERVE_PORT_RECEIVED,
       SERVE_PORT_ERRORS,
       SERVE_CARRIER_CHANGES,
       SERVE_COUNT
};

int network_tcp(const struct dyno_host *host, struct dyno_run *run);
int network_udp(const struct dyno_host *host, struct dyno_run *run);
int network_wire(const struct dyno_host *host, struct dyno_run *run);
int network_serve(const struct dyno_host *host, struct dyno_run *run);

#endif
