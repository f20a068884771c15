/* params: what a client asks a server for: the parameter JSON, in and out, each value in its range.
 */
#ifndef NETWORK_PARAMS_H
#define NETWORK_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARAMS_PARALLEL_MAX 128u
#define PARAMS_TIME_MAX_S 31536000u /* a year: soaks; newer servers refuse more than a day */
#define PARAMS_OMIT_MAX_S 600u
#define PARAMS_TCP_LEN_MAX 1048576u
#define PARAMS_UDP_LEN_MIN 16u
#define PARAMS_UDP_LEN_MAX 65507u
#define PARAMS_TCP_LEN 131072u /* defaults of iperf3 */
#define PARAMS_UDP_LEN 1460u
#define PARAMS_UDP_BPS 1048576u
#define PARAMS_WINDOW_MAX 536870912u
#define PARAMS_WORD_MAX 64

struct params {
    bool is_udp;
    bool is_reverse, is_bidirectional; /* never both */
    bool is_nodelay, wants_mptcp;
    uint32_t omit_s, time_s; /* time 0: unlimited, or ended by bytes or blocks */
    uint64_t bytes, blocks;  /* 0: off */
    uint32_t parallel;       /* streams per direction, 1..128 */
    uint32_t len;            /* bytes of a block; params_parse never leaves it 0 */
    uint64_t bps;            /* per stream; 0: as fast as it goes */
    uint32_t burst;          /* blocks */
    uint64_t fqrate_bps;
    uint32_t pacing_timer_us;
    uint32_t window, mss, tos, flowlabel; /* 0: not set */
    uint32_t server_affinity_plus_1;      /* 0: not set */
    uint32_t wants_server_output, has_64bit_counters, has_repeating_payload, is_zerocopy;
    uint32_t is_dont_fragment, skips_rx_copy, uses_gso, uses_gro;
    bool has_authtoken;
    char congestion[16];
    char client_version[PARAMS_WORD_MAX]; /* printable */
    char title[PARAMS_WORD_MAX], extra_data[PARAMS_WORD_MAX];
};

/* 0, or -EBADMSG with the reason, a clause such as "parallel is not 1 to 128". Untouched then. */
int params_parse(const char *text, size_t size, struct params *ret_params, const char **ret_why);
/* The JSON text, to be freed; NULL without memory. */
char *params_text(const struct params *params);
/* In both directions together. */
unsigned params_streams(const struct params *params);

#endif
