/* results: what both ends tell each other after a test: the result JSON, in and out. */
#ifndef NETWORK_RESULTS_H
#define NETWORK_RESULTS_H

#include "params.h"

#define RESULTS_STREAMS_MAX (2 * PARAMS_PARALLEL_MAX)
#define RESULTS_PLACE_MAX 200
#define RESULTS_UNKNOWN (-1) /* retransmits of a receiver */

struct result_stream {
    int id;
    uint64_t bytes;      /* sent or received, without the omitted part */
    int64_t retransmits; /* -1: not the sender */
    double jitter_s;
    int64_t lost, packets;
    double end_s; /* length of the test on that side; start is 0 */
    int64_t omitted_lost, omitted_packets;
    bool has_omitted; /* from 3.14 on */
};

struct results {
    double cpu_total, cpu_user, cpu_system; /* percent of one core */
    int sender_has_retransmits;             /* 1, 0, -1 not a sender */
    char congestion[16];
    /* Of an iodyno: where its port or host lost something during the test; "" nowhere, or not told.
     * A key of our own, which iperf3 passes over. Printable. */
    char loss_place[RESULTS_PLACE_MAX];
    unsigned count;
    struct result_stream streams[RESULTS_STREAMS_MAX];
};

/* iperf3 numbers its streams 1, 3, 4, 5 ... */
int results_id(unsigned index);
/* The stream with this id; NULL none. */
const struct result_stream *results_find(const struct results *results, int id);

/* 0, or -EBADMSG with the reason. Undefined then. Values are brought into their range: bytes and
 * packets at least 0, times and jitter finite; 18446744073709551615 (3.12's -1) is -1. */
int results_parse(const char *text, size_t size, struct results *ret_results, const char **ret_why);
/* The JSON text, to be freed; NULL without memory. */
char *results_text(const struct results *results);

#endif
