/* network: the tables of this plugin. */
#include "network.h"
#include "plan.h"

#define OPTION(...) (&(const struct dyno_option){.size = sizeof(struct dyno_option), __VA_ARGS__})
#define METRIC(key_, unit_, kind_, better_, label_)                                                \
    (&(const struct dyno_metric){.size = sizeof(struct dyno_metric),                               \
                                 .unit = (unit_),                                                  \
                                 .kind = (kind_),                                                  \
                                 .better = (better_),                                              \
                                 .key = (key_),                                                    \
                                 .label = (label_)})
#define COUNT(key_, better_, label_) METRIC((key_), DYNO_COUNT, DYNO_DELTA, (better_), (label_))
#define SHARE(key_, better_, label_) METRIC((key_), DYNO_RATIO, DYNO_GAUGE, (better_), (label_))
#define RATE(key_, label_) METRIC((key_), DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, (label_))

#define SECOND_NS 1000000000ull
#define TIME_MAX_NS (2592000ull * SECOND_NS)

#define OPTION_SERVER                                                                              \
    OPTION(.type = DYNO_ADDRESS, .key = "server", .label = "Server",                               \
           .help = "Where iperf3 -s or iodyno serve listens: a name, an IPv4 or IPv6 address.")
#define OPTION_PORT                                                                                \
    OPTION(.type = DYNO_UINT, .key = "port", .label = "Port", .def = "5201", .min = 1,             \
           .max = 65535, .help = "Its TCP and UDP port.")
#define OPTION_DIRECTION                                                                           \
    OPTION(.type = DYNO_CHOICE, .key = "direction", .label = "Direction", .def = "out",            \
           .choices = plan_directions,                                                             \
           .help = "out: from here; in: to here (-R); turns: one after the other, each for the "   \
                   "whole time; both: at once (--bidir).")
#define OPTION_PARALLEL                                                                            \
    OPTION(.type = DYNO_UINT, .key = "parallel", .label = "Streams", .def = "1", .min = 1,         \
           .max = PARAMS_PARALLEL_MAX, .help = "Streams in each direction, a thread each (-P).")
#define OPTION_TIME                                                                                \
    OPTION(.type = DYNO_TIME, .key = "time", .label = "Time", .def = "10", .min = SECOND_NS / 10,  \
           .max = TIME_MAX_NS, .help = "How long data moves, without what is omitted (-t).")
#define OPTION_BYTES                                                                               \
    OPTION(.type = DYNO_SIZE, .key = "bytes", .label = "Bytes", .max = INT64_MAX, .min = 1,        \
           .help = "Ends after so many bytes of all streams together, instead of the time (-n).")
#define OPTION_OMIT                                                                                \
    OPTION(.type = DYNO_TIME, .key = "omit", .label = "Omit", .def = "0", .min = 0,                \
           .max = PARAMS_OMIT_MAX_S * SECOND_NS,                                                   \
           .help = "Whole seconds at the start that do not count (-O).")
#define OPTION_BITRATE(def_, help_)                                                                \
    OPTION(.type = DYNO_RATE, .key = "bitrate", .label = "Bit rate", .def = (def_), .help = (help_))
#define OPTION_WINDOW                                                                              \
    OPTION(.type = DYNO_SIZE, .key = "window", .label = "Window", .min = 1024,                     \
           .max = PARAMS_WINDOW_MAX, .help = "Socket buffers at both ends (-w).")
#define OPTION_LEN(help_)                                                                          \
    OPTION(.type = DYNO_SIZE, .key = "len", .label = "Block", .min = 1, .max = PARAMS_TCP_LEN_MAX, \
           .help = (help_))
#define OPTION_TOS                                                                                 \
    OPTION(.type = DYNO_UINT, .key = "tos", .label = "Type of service", .min = 1, .max = 255,      \
           .help = "The IP header's byte of that name (-S).")
#define OPTION_WAIT                                                                                \
    OPTION(.type = DYNO_TIME, .key = "wait", .label = "Wait", .def = "60", .min = 0,               \
           .max = 3600 * SECOND_NS, .help = "How long a busy server is waited for.")

#define OPTION_LISTEN                                                                              \
    OPTION(.type = DYNO_UINT, .key = "port", .label = "Port", .def = "5201", .min = 1,             \
           .max = 65535, .help = "The TCP and UDP port to listen on (-p).")

static const struct dyno_option *const serve_options[] = {
    OPTION_LISTEN,
    OPTION(.type = DYNO_TEXT, .key = "bind", .label = "Address",
           .help = "Serves this IPv4 or IPv6 address only; without it all of them (-B)."),
    OPTION(.type = DYNO_BOOL, .key = "any", .label = "Any port", .def = "no",
           .help = "Serves clients that come by other network ports, too."),
    OPTION(.type = DYNO_BOOL, .key = "once", .label = "Once", .def = "no",
           .help = "Ends after one client (-1)."),
    OPTION(.type = DYNO_UINT, .key = "clients", .label = "Clients", .def = "16", .min = 1,
           .max = 64, .help = "So many at once, a lane each; one more is told that we are busy."),
    OPTION(.type = DYNO_TIME, .key = "most-time", .label = "Longest test", .min = SECOND_NS,
           .max = TIME_MAX_NS, .help = "Turns longer tests away; without it there is no limit."),
    OPTION(.type = DYNO_RATE, .key = "most-rate", .label = "Highest rate",
           .help = "Turns tests away that ask for more, or for no rate; without it no limit."),
    NULL,
};

static const struct dyno_option *const slow_options[] = {
    OPTION_LISTEN,
    OPTION(.type = DYNO_TIME, .key = "delay", .label = "Delay", .def = "10ms", .min = 1000000,
           .max = SECOND_NS, .help = "After each 64 KiB that are read: a slow receiver."),
    OPTION(.type = DYNO_BOOL, .key = "once", .label = "Once", .def = "yes",
           .help = "Ends after one client."),
    NULL,
};

static const struct dyno_option *const tcp_options[] = {
    OPTION_SERVER,
    OPTION_PORT,
    OPTION_DIRECTION,
    OPTION_PARALLEL,
    OPTION_TIME,
    OPTION_BYTES,
    OPTION_OMIT,
    OPTION_BITRATE("0", "Of each stream; 0: as fast as it goes (-b)."),
    OPTION_WINDOW,
    OPTION(.type = DYNO_TEXT, .key = "congestion", .label = "Congestion",
           .help = "The algorithm, such as cubic or bbr (-C); without it the system's."),
    OPTION_LEN("Bytes of one call; without it 128K (-l)."),
    OPTION(.type = DYNO_BOOL, .key = "nodelay", .label = "No delay", .def = "no",
           .help = "Sends small pieces at once (-N)."),
    OPTION(.type = DYNO_UINT, .key = "mss", .label = "Segment", .min = 88, .max = 32767,
           .help = "Largest TCP segment (-M)."),
    OPTION_TOS,
    OPTION(.type = DYNO_BOOL, .key = "zerocopy", .label = "Zero copy", .def = "no",
           .help = "Sends from the page cache, by sendfile (-Z)."),
    OPTION_WAIT,
    NULL,
};

static const struct dyno_option *const wire_options[] = {
    OPTION(.type = DYNO_TEXT, .key = "peer", .label = "Other port",
           .help = "The port of this machine at the other end of the cable, such as eth1."),
    OPTION_DIRECTION,
    OPTION_PARALLEL,
    OPTION_TIME,
    OPTION_BYTES,
    OPTION_OMIT,
    OPTION_BITRATE("0", "Of each stream; 0: as fast as it goes (-b)."),
    OPTION_WINDOW,
    OPTION(.type = DYNO_TEXT, .key = "congestion", .label = "Congestion",
           .help = "The algorithm, such as cubic or bbr (-C); without it the system's."),
    OPTION_LEN("Bytes of one call; without it 128K (-l)."),
    NULL,
};

static const struct dyno_option *const udp_options[] = {
    OPTION_SERVER,
    OPTION_PORT,
    OPTION_DIRECTION,
    OPTION_PARALLEL,
    OPTION_TIME,
    OPTION_BYTES,
    OPTION_OMIT,
    OPTION_BITRATE("1048576", "Of each stream; 0: as fast as it goes, a test of this CPU (-b)."),
    OPTION_WINDOW,
    OPTION(.type = DYNO_BOOL, .key = "sweep", .label = "Sweep", .def = "no",
           .help = "Tries one rate after another, 2 s each, for the highest that arrives."),
    OPTION_LEN("Bytes of a datagram, 16 to 65507; without it what fits one frame (-l)."),
    OPTION_TOS,
    OPTION_WAIT,
    NULL,
};

/* In the order of network.h. */
#define METRICS_COMMON                                                                             \
    METRIC("sent", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "Sent"),                                    \
        METRIC("received", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "Received"),                        \
        RATE("rate", "Rate at the receiver"), RATE("rate_out", "Out, at the receiver"),            \
        RATE("rate_in", "In, at the receiver"),                                                    \
        COUNT("out_of_order", DYNO_LOWER, "Arrived out of order"),                                 \
        METRIC("port_sent", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Sent by the port, all of it"),      \
        METRIC("port_received", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Received by the port"),         \
        COUNT("port_errors", DYNO_ZERO, "Errors and drops of port and host"),                      \
        COUNT("carrier_changes", DYNO_ZERO, "Carrier changes"),                                    \
        METRIC("cpu_share", DYNO_RATIO, DYNO_TOTAL, DYNO_LOWER, "Busiest thread, of a core")

static const struct dyno_metric *const tcp_metrics[] = {
    METRICS_COMMON,
    COUNT("retransmits", DYNO_ZERO, "Retransmits"),
    SHARE("retransmit_share", DYNO_ZERO, "Retransmits of the data segments"),
    METRIC("cwnd", DYNO_BYTE, DYNO_GAUGE, DYNO_NONE, "Congestion window"),
    METRIC("rtt", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "Round trip"),
    METRIC("rtt_var", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "Variation of the round trip"),
    METRIC("delivery_rate", DYNO_BIT_PER_S, DYNO_GAUGE, DYNO_NONE, "Delivery rate"),
    SHARE("busy", DYNO_NONE, "Busy sending"),
    SHARE("rwnd_limited", DYNO_LOWER, "Held back by the receiver"),
    SHARE("sndbuf_limited", DYNO_LOWER, "Held back by the send buffer"),
    SHARE("app_limited", DYNO_LOWER, "Held back by the sender"),
    COUNT("reordering", DYNO_LOWER, "Reordering seen"),
    METRIC("rto_time", DYNO_SECOND, DYNO_DELTA, DYNO_ZERO, "Lost in timeouts"),
    METRIC("peer_window", DYNO_BYTE, DYNO_GAUGE, DYNO_NONE, "Window of the receiver"),
    NULL,
};

static const struct dyno_metric *const udp_metrics[] = {
    METRICS_COMMON,
    COUNT("packets", DYNO_NONE, "Datagrams"),
    COUNT("lost", DYNO_ZERO, "Lost (gaps)"),
    METRIC("jitter", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "Jitter"),
    METRIC("in_flight", DYNO_COUNT, DYNO_TOTAL, DYNO_NONE, "In flight at the end"),
    RATE("knee", "Highest rate without loss"),
    NULL,
};

static const struct dyno_metric *const serve_metrics[] = {
    METRIC("sent", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "Sent"),
    METRIC("received", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "Received"),
    COUNT("retransmits", DYNO_ZERO, "Retransmits"),
    METRIC("cwnd", DYNO_BYTE, DYNO_GAUGE, DYNO_NONE, "Congestion window"),
    METRIC("rtt", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "Round trip"),
    COUNT("out_of_order", DYNO_LOWER, "Arrived out of order"),
    COUNT("packets", DYNO_NONE, "Datagrams"),
    COUNT("lost", DYNO_ZERO, "Lost (gaps)"),
    METRIC("jitter", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "Jitter"),
    METRIC("port_sent", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Sent by the port, all of it"),
    METRIC("port_received", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Received by the port"),
    COUNT("port_errors", DYNO_ZERO, "Errors and drops of port and host"),
    COUNT("carrier_changes", DYNO_ZERO, "Carrier changes"),
    NULL,
};

_Static_assert(sizeof serve_metrics / sizeof serve_metrics[0] == SERVE_COUNT + 1,
               "network.h numbers them");
_Static_assert(sizeof tcp_metrics / sizeof tcp_metrics[0] == METRIC_TCP_COUNT + 1,
               "network.h numbers them");
_Static_assert(sizeof udp_metrics / sizeof udp_metrics[0] == METRIC_UDP_COUNT + 1,
               "network.h numbers them");

static const struct dyno_test tcp_test = {
    .size = sizeof tcp_test,
    .targets = DYNO_NET,
    .flags = DYNO_NEEDS_PEER,
    .id = "network.tcp",
    .title = "TCP throughput",
    .summary = "Bulk data, as iperf3; what held it back.",
    .options = tcp_options,
    .metrics = tcp_metrics,
    .run = network_tcp,
};

static const struct dyno_test udp_test = {
    .size = sizeof udp_test,
    .targets = DYNO_NET,
    .flags = DYNO_NEEDS_PEER,
    .id = "network.udp",
    .title = "UDP loss, jitter",
    .summary = "Datagrams at a rate, as iperf3 -u.",
    .options = udp_options,
    .metrics = udp_metrics,
    .run = network_udp,
};

static const struct dyno_test wire_test = {
    .size = sizeof wire_test,
    .targets = DYNO_NET,
    .flags = DYNO_NEEDS_PEER,
    .id = "network.wire",
    .title = "Port to port",
    .summary = "Over a cable to this machine's other port.",
    .options = wire_options,
    .metrics = tcp_metrics,
    .run = network_wire,
};

static const struct dyno_test serve_test = {
    .size = sizeof serve_test,
    .targets = DYNO_NET,
    .flags = DYNO_ENDLESS,
    .id = "network.serve",
    .title = "Serve",
    .summary = "Answers iperf3 clients, several at once.",
    .options = serve_options,
    .metrics = serve_metrics,
    .run = network_serve,
};

/* A receiver that is the limit, to be told as such. */
static const struct dyno_test slow_test = {
    .size = sizeof slow_test,
    .targets = DYNO_NET,
    .flags = DYNO_ENDLESS | DYNO_HIDDEN,
    .id = "network.serve-slow",
    .title = "Serve slowly",
    .summary = "A server that reads slowly.",
    .options = slow_options,
    .metrics = serve_metrics,
    .run = network_serve,
};

static const struct dyno_test *const tests[] = {&tcp_test,   &udp_test,  &wire_test,
                                                &serve_test, &slow_test, NULL};

DYNO_EXPORT const struct dyno_plugin dyno_plugin = {
    .magic = DYNO_MAGIC,
    .abi_major = DYNO_ABI_MAJOR,
    .abi_minor = DYNO_ABI_MINOR,
    .size = sizeof dyno_plugin,
    .id = "network",
    .title = "Network",
    .version = IODYNO_VERSION,
    .license = "MIT",
    .tests = tests,
};
