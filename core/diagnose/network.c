#include "diagnose/rules.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

/* Of the kernel's own times of a sender (TCP_INFO), as shaped links showed them. */
#define LINE_SHARE 0.93  /* of what a line can carry: above, the line is the limit */
#define WINDOW_SHARE 0.5 /* of the busy time spent waiting for the receiver's window */
#define WINDOW_HELD                                                                                \
    0.1 /* of the busy time, where the window is smaller than cwnd: a sender that paces            \
           itself (bbr) waits for the receiver without running into its window */
#define BUSY_LEAST 0.80 /* below, the sender left the path empty by itself */
#define BUSY_FULL 0.95
#define WINDOW_LEAST 0.05
#define LOSS_SHARE 0.001  /* of the segments; below, it costs nothing that can be seen */
#define LOSS_LARGE 0.01   /* counts even when it came all at once */
#define PACED_SHARE 0.90  /* of the rate that was asked for */
#define CPU_FULL 0.90     /* of one core */
#define UNEVEN_SHARE 0.80 /* of one direction's rate, for the other */

struct path { /* rates in bit/s; negative: unknown */
    double rate, asked, line;
    double busy, window;  /* shares of the time */
    double cwnd, offered; /* bytes: what the path, and what the receiver allows under way */
    bool is_burst;        /* lost in less than half of the intervals: a start, a moment */
    double again, share;  /* segments sent again, and of all of them; datagrams lost */
    double cpu;           /* of the busiest thread */
    bool is_udp;
};

static const struct series *series_of(const struct model *model, const char *key)
{
    int metric = model_metric(model, key);
    return metric >= 0 ? model->metrics[metric].sum : NULL;
}

static double sum_of(const struct model *model, const char *key)
{
    struct series_total total = {0};
    const struct series *series = series_of(model, key);
    if (!series)
        return -1;
    series_total(series, &total);
    return total.sum;
}

static double mean_of(const struct model *model, const char *key)
{
    struct series_total total = {0};
    const struct series *series = series_of(model, key);
    if (series)
        series_total(series, &total);
    return total.count ? total.sum / (double)total.count : -1;
}

static double result_or(const struct model *model, const char *key, double otherwise)
{
    double value;
    return model_result(model, key, &value) == 0 ? value : otherwise;
}

static double asked_for(const struct model *model)
{
    const char *rate = model_option(model, "bitrate"), *streams = model_option(model, "parallel");
    uint64_t asked = 0;
    double count = 1;
    if (!rate || units_parse_rate(rate, &asked) < 0)
        return 0;
    if (!streams || units_parse_double(streams, &count) < 0)
        count = 1;
    return (double)asked * count;
}

/* A sender of datagrams hears only at the end what was lost: it stands in the results. */
static void find_loss(const struct model *model, struct path *path)
{
    const char *key = path->is_udp ? "lost" : "retransmits";
    const struct series *series = series_of(model, key);
    double typical = series ? series_percentile(series, 0.5) : NAN;
    path->again = result_or(model, key, sum_of(model, key));
    path->is_burst = !isnan(typical) && !(typical > 0);
    path->share = -1;
    if (!path->is_udp) {
        path->share = result_or(model, "retransmit_share", mean_of(model, "retransmit_share"));
        return;
    }
    double packets = result_or(model, "packets", sum_of(model, "packets"));
    if (packets > 0 && path->again >= 0)
        path->share = path->again / packets;
}

static bool is_sweep(const struct model *model)
{
    const char *text = model_option(model, "sweep");
    return text &&
           (strcmp(text, "yes") == 0 || strcmp(text, "1") == 0 || strcmp(text, "true") == 0);
}

/* False where there is nothing to explain: another kind of test, or no rate yet. */
static bool find_path(const struct evidence *evidence, struct path *ret_path)
{
    const struct model *model = evidence->model;
    struct path path = {.is_udp = strcmp(model->test, "network.udp") == 0};
    if (!evidence->is_network || !evidence->has_rate || strcmp(model->test, "network.serve") == 0)
        return false;
    path.rate = evidence->rate_bps;
    path.line = evidence->ceiling_bps;
    path.asked = asked_for(model);
    path.busy = mean_of(model, "busy");
    path.window = mean_of(model, "rwnd_limited");
    path.cwnd = mean_of(model, "cwnd");
    path.offered = mean_of(model, "peer_window");
    path.cpu = result_or(model, "cpu_share", -1);
    find_loss(model, &path);
    if (is_sweep(model)) { /* it loses on purpose, at rates it chose itself */
        path.asked = 0;
        path.share = -1;
    }
    *ret_path = path;
    return true;
}

static struct units_text share_text(double share)
{
    return units_value(share, DYNO_RATIO);
}

static void add_rate(const struct path *path, struct str *text)
{
    str_add(text, units_bit_rate(path->rate).text);
    if (path->line > 0)
        str_addf(text, " of %s (%s)", units_bit_rate(path->line).text,
                 share_text(path->rate / path->line).text);
}

/* "; the sender was busy 100 % of the time, 0 % of it waiting for the receiver" */
static void add_times(const struct path *path, struct str *text)
{
    if (path->busy < 0)
        return;
    str_addf(text, "; the sender had work %s of the time", share_text(path->busy).text);
    if (path->window >= 0)
        str_addf(text, ", the receiver's window held it %s", share_text(path->window).text);
}

static void add_loss(const struct path *path, struct str *text)
{
    if (path->share < 0)
        return;
    str_addf(text, "; %s %s", share_text(path->share).text,
             path->is_udp ? "of the datagrams were lost" : "of the segments were sent again");
}

/* One way much slower than the other is the commonest fault of a port. */
static void add_directions(const struct evidence *evidence, struct str *text)
{
    double out = result_or(evidence->model, "rate_out", -1);
    double in = result_or(evidence->model, "rate_in", -1);
    if (out <= 0 || in <= 0 || (out >= in * UNEVEN_SHARE && in >= out * UNEVEN_SHARE))
        return;
    str_addf(text, "; out %s", units_bit_rate(out).text);
    str_addf(text, ", in %s: look at the %s direction", units_bit_rate(in).text,
             out < in ? "sending" : "receiving");
}

static bool is_at_line(const struct path *path)
{
    return path->line > 0 && path->rate >= path->line * LINE_SHARE;
}

static bool is_lossy(const struct path *path)
{
    return path->share > (path->is_burst ? LOSS_LARGE : LOSS_SHARE);
}

enum strength network_link_dropped(const struct evidence *evidence, struct str *text)
{
    double changes = sum_of(evidence->model, "carrier_changes");
    if (!evidence->is_network || changes < 1)
        return SILENT;
    const unsigned drops = (unsigned)((changes + 1) / 2); /* down and up again are two */
    str_addf(text, "the link dropped %u time%s during this run: look at cable and connector", drops,
             drops == 1 ? "" : "s");
    return MAIN;
}

enum strength network_wrong_path(const struct evidence *evidence, struct str *text)
{
    const struct model *model = evidence->model;
    const char *told = model_fact(model, "wrong-path");
    if (!evidence->is_network || !told)
        return SILENT;
    str_addf(text, "this test did not use the port: %s", told);
    return MAIN;
}

enum strength network_half_duplex(const struct evidence *evidence, struct str *text)
{
    const char *duplex = model_target(evidence->model, "duplex");
    if (!evidence->is_network || !duplex || strcmp(duplex, "half") != 0)
        return SILENT;
    str_add(text, "the port runs half duplex: let both ends negotiate, or set both alike");
    return WARNING;
}

enum strength network_below_capability(const struct evidence *evidence, struct str *text)
{
    const char *now = model_target(evidence->model, "speed_mbps");
    const char *best = model_target(evidence->model, "capable_mbps");
    double is, could;
    if (!evidence->is_network || !now || !best || units_parse_double(now, &is) < 0 ||
        units_parse_double(best, &could) < 0 || is <= 0 || is >= could)
        return SILENT;
    str_addf(text,
             "the link runs at %s Mbit/s, both ends can do %s: look at the cable (all four pairs)",
             now, best);
    return WARNING;
}

enum strength network_line(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!find_path(evidence, &path) || !is_at_line(&path))
        return SILENT;
    str_add(text, "the link is the limit: ");
    add_rate(&path, text);
    add_loss(&path, text);
    return MAIN;
}

enum strength network_knee(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!is_sweep(evidence->model) || !find_path(evidence, &path))
        return SILENT;
    str_add(text, "the highest rate that arrives: ");
    add_rate(&path, text);
    add_directions(evidence, text);
    return MAIN;
}

enum strength network_paced(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!find_path(evidence, &path) || path.asked <= 0 || path.rate < path.asked * PACED_SHARE)
        return SILENT;
    str_addf(text, "the rate that was asked for is the limit: %s", units_bit_rate(path.rate).text);
    str_addf(text, " of %s", units_bit_rate(path.asked).text);
    add_loss(&path, text);
    return MAIN;
}

/* Its window is full most of the time, or always the tighter bound. */
static bool is_held(const struct path *path)
{
    if (path->busy <= 0 || path->window < path->busy * WINDOW_HELD)
        return false;
    bool is_tight = path->offered > 0 && path->offered < path->cwnd;
    return is_tight || path->window >= path->busy * WINDOW_SHARE;
}

enum strength network_receiver(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!find_path(evidence, &path) || !is_held(&path))
        return SILENT;
    str_add(text, "the receiver is the limit: ");
    add_rate(&path, text);
    str_addf(text, ", its window held the sender %s of the time", share_text(path.window).text);
    if (path.offered > 0 && path.offered < path.cwnd)
        str_addf(text, " and is smaller (%s) than what the path would take",
                 units_bytes(path.offered).text);
    str_add(text, ": look at the receiver's CPU");
    add_directions(evidence, text);
    return MAIN;
}

enum strength network_loss(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!find_path(evidence, &path) || !is_lossy(&path) || is_at_line(&path))
        return SILENT;
    const char *place = model_fact(evidence->model, "loss-place");
    str_addf(text, "loss limits this run: %.0f %s, %s of all", path.again,
             path.is_udp ? "datagrams were lost" : "segments were sent again",
             share_text(path.share).text);
    str_add(text, "; ");
    add_rate(&path, text);
    add_directions(evidence, text);
    str_addf(text, "; %s",
             place ? place
                   : "no local errors: look at the far side's duplex and RX overrun, RGMII delay, "
                     "cable; next: the other direction, the port at 100 Mbit/s, ethtool "
                     "--cable-test");
    return MAIN;
}

enum strength network_cpu(const struct evidence *evidence, struct str *text)
{
    struct path path;
    const char *softirq = model_fact(evidence->model, "softirq-full");
    if (!find_path(evidence, &path) || is_lossy(&path) || (path.cpu < CPU_FULL && !softirq))
        return SILENT;
    str_add(text, "the CPU is the limit: ");
    add_rate(&path, text);
    if (softirq)
        str_addf(text, "; %s: spread its interrupts (affinity, RPS), parallel=4", softirq);
    else
        str_addf(text, ", one thread needs %s of a core: parallel=4 uses more of them",
                 share_text(path.cpu > 1 ? 1 : path.cpu).text);
    return MAIN;
}

enum strength network_sender(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!find_path(evidence, &path) || path.busy < 0 || path.busy >= BUSY_LEAST)
        return SILENT;
    str_add(text, "the sender is the limit: ");
    add_rate(&path, text);
    str_addf(text, ", it had something to send only %s of the time", share_text(path.busy).text);
    add_loss(&path, text);
    return MAIN;
}

/* Nothing at either end held it back: what lies between did. */
enum strength network_path(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (!find_path(evidence, &path) || path.busy < BUSY_FULL || path.window >= WINDOW_LEAST ||
        is_lossy(&path))
        return SILENT;
    str_add(text, "the path is the limit: ");
    add_rate(&path, text);
    add_times(&path, text);
    add_loss(&path, text);
    add_directions(evidence, text);
    return MAIN;
}

/* "10.0.0.1/24 fe80::1/64": the first of them, as a client names it. */
static void add_client_command(const struct model *model, struct str *text)
{
    const char *addresses = model_target(model, "addresses"), *port = model_option(model, "port");
    size_t size = addresses ? strcspn(addresses, "/ ") : 0;
    str_addf(text, "iperf3 -c %.*s", size ? (int)size : 12, size ? addresses : "THIS-MACHINE");
    if (port && strcmp(port, "5201") != 0)
        str_addf(text, " -p %s", port);
}

/* A server sees its own end only. */
static void tell_server(const struct model *model, struct str *text)
{
    if (sum_of(model, "sent") > 0 || sum_of(model, "received") > 0) {
        str_add(text, "what limits a client is told at the client's end");
        return;
    }
    str_add(text, model->has_end ? "no client came: " : "waits for clients: ");
    add_client_command(model, text);
}

void network_unknown(const struct evidence *evidence, struct str *text)
{
    struct path path;
    if (strcmp(evidence->model->test, "network.serve") == 0) {
        tell_server(evidence->model, text);
        return;
    }
    if (!find_path(evidence, &path)) {
        str_add(text, evidence->model->has_end ? "unknown limit: the run ended without a rate"
                                               : "nothing has been measured yet");
        return;
    }
    str_add(text, "unknown limit: ");
    add_rate(&path, text);
    add_times(&path, text);
    add_loss(&path, text);
    add_directions(evidence, text);
    if (path.busy < 0 && !path.is_udp)
        str_add(text, "; the sender's times are known only at its own end: direction=out tells");
}
