/* tcpinfo: a TCP socket's counters, by a structure of our own: the C library's ends where the
 * kernel was ten years ago. What this kernel does not return reads as not there. */
#ifndef NETWORK_TCPINFO_H
#define NETWORK_TCPINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tcpinfo_raw { /* linux/tcp.h's struct tcp_info as of 6.18 */
    uint8_t state, ca_state, retransmits, probes, backoff, options, wscale, flags;
    uint32_t rto, ato, snd_mss, rcv_mss;
    uint32_t unacked, sacked, lost, retrans, fackets;
    uint32_t last_data_sent, last_ack_sent, last_data_recv, last_ack_recv;
    uint32_t pmtu, rcv_ssthresh, rtt, rttvar, snd_ssthresh, snd_cwnd, advmss, reordering;
    uint32_t rcv_rtt, rcv_space, total_retrans;
    uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
    uint32_t segs_out, segs_in, notsent_bytes, min_rtt, data_segs_in, data_segs_out;
    uint64_t delivery_rate;
    uint64_t busy_time, rwnd_limited, sndbuf_limited; /* us */
    uint32_t delivered, delivered_ce;
    uint64_t bytes_sent, bytes_retrans;
    uint32_t dsack_dups, reord_seen;
    uint32_t rcv_ooopack, snd_wnd;
    uint32_t rcv_wnd, rehash;
    uint16_t total_rto, total_rto_recoveries;
    uint32_t total_rto_time; /* ms */
};

struct tcpinfo {
    uint32_t known; /* bytes the kernel filled */
    struct tcpinfo_raw raw;
};

/* 0 or negative errno. */
int tcpinfo_read(int fd, struct tcpinfo *ret_info);
/* Takes `size` returned bytes as they are; the rest is 0. Pure. */
void tcpinfo_take(const void *bytes, size_t size, struct tcpinfo *ret_info);

#define TCPINFO_END(member)                                                                        \
    (offsetof(struct tcpinfo_raw, member) + sizeof((struct tcpinfo_raw *)0)->member)
/* Whether this kernel has the field. */
#define TCPINFO_HAS(info, member) ((info)->known >= TCPINFO_END(member))

/* The last delivery rate was bounded by the application. */
bool tcpinfo_is_app_limited(const struct tcpinfo *info);
/* Bytes the peer has acknowledged, without the SYN. */
uint64_t tcpinfo_acked(const struct tcpinfo *info);

#endif
