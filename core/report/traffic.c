#include "report/traffic.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "diagnose/ceiling.h"
#include "iodyno/plugin.h"

#define SEGMENT_BYTES 1448.0 /* data of a full frame, where the run does not tell */

static bool has_moved(const struct model *model, int metric)
{
    struct series_total total = {0};
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    return total.sum > 0;
}

/* -1 where the model says -ENOENT. */
static int metric_of(const struct model *model, const char *key)
{
    int metric = model_metric(model, key);
    return metric < 0 ? -1 : metric;
}

static double number_of(const char *text)
{
    double value;
    return text && units_parse_double(text, &value) == 0 && value > 0 ? value : 0;
}

static double segment_of(const struct model *model)
{
    double told = number_of(model_fact(model, "mss"));
    return told > 0 ? told : SEGMENT_BYTES;
}

static void find_ways(const struct model *model, struct traffic *traffic)
{
    static const struct {
        const char *direction;
        bool out, in;
    } ways[] = {
        {"out", true, false}, {"in", false, true}, {"turns", true, true}, {"both", true, true}};
    const char *direction = model_option(model, "direction");
    for (size_t i = 0; direction && i < ARRAY_SIZE(ways); i++)
        if (strcmp(direction, ways[i].direction) == 0) {
            traffic->has[TRAFFIC_OUT] = ways[i].out;
            traffic->has[TRAFFIC_IN] = ways[i].in;
            traffic->is_in_turns = strcmp(direction, "turns") == 0;
        }
    if (traffic->has[TRAFFIC_OUT] || traffic->has[TRAFFIC_IN])
        return;
    for (int way = 0; way < TRAFFIC_WAYS; way++)
        traffic->has[way] = has_moved(model, traffic->moved[way]);
    if (!traffic->has[TRAFFIC_IN]) /* nothing yet, or only out */
        traffic->has[TRAFFIC_OUT] = true;
}

static struct traffic_loss loss_of(const struct model *model, const struct traffic *traffic,
                                   enum traffic_way way)
{
    bool is_both = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN] && !traffic->is_in_turns;
    if (traffic->is_udp) /* both ways at once, sent and received packets stand in one metric */
        return (struct traffic_loss){.lost = metric_of(model, "lost"),
                                     .of = is_both ? -1 : metric_of(model, "packets"),
                                     .unit_size = 1,
                                     .name = "lost",
                                     .units = "packets"};
    bool is_out = way == TRAFFIC_OUT;
    return (struct traffic_loss){.lost = metric_of(model, is_out ? "retransmits" : "out_of_order"),
                                 .of = traffic->moved[way],
                                 .unit_size = segment_of(model),
                                 .name = is_out ? "retransmits" : "out of order",
                                 .units = "segments"};
}

bool traffic_of(const struct model *model, struct traffic *ret_traffic)
{
    struct traffic traffic = {
        .moved = {metric_of(model, "sent"), metric_of(model, "received")},
        .is_udp = strcmp(model->test, "network.udp") == 0,
        .is_server = strcmp(model->test, "network.serve") == 0,
    };
    if (!model->has_start || (traffic.moved[0] < 0 && traffic.moved[1] < 0))
        return false;
    find_ways(model, &traffic);
    for (int way = 0; way < TRAFFIC_WAYS; way++)
        traffic.loss[way] = loss_of(model, &traffic, (enum traffic_way)way);
    double streams = number_of(model_option(model, "parallel"));
    traffic.streams = streams >= 1 && streams <= DYNO_LANE_MAX ? (unsigned)streams : 1;
    *ret_traffic = traffic;
    return true;
}

const char *traffic_way(enum traffic_way way)
{
    return way == TRAFFIC_OUT ? "out" : "in";
}

const char *traffic_verb(enum traffic_way way)
{
    return way == TRAFFIC_OUT ? "sent" : "received";
}

enum traffic_way traffic_lane(const struct traffic *traffic, unsigned lane, unsigned *ret_number)
{
    bool is_both = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN] && !traffic->is_in_turns &&
                   !traffic->is_server;
    bool is_in = is_both ? lane >= traffic->streams : !traffic->has[TRAFFIC_OUT];
    *ret_number = (is_both && is_in ? lane - traffic->streams : lane) + 1;
    return is_in ? TRAFFIC_IN : TRAFFIC_OUT;
}

double traffic_ceiling(const struct model *model, const struct traffic *traffic)
{
    const char *fact = model_fact(model, "tcp-ceiling");
    double line = number_of(model_target(model, "speed_mbps")) * 1e6, told;
    if (fact && !traffic->is_udp && units_parse_value(fact, DYNO_BIT_PER_S, &told) == 0 && told > 0)
        return told;
    return traffic->is_udp ? ceiling_udp(line) : ceiling_tcp(line);
}

void traffic_add_ends(const struct model *model, const struct traffic *traffic, struct str *into)
{
    const char *server = model_option(model, "server"), *port = model_option(model, "port");
    bool is_two = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
    str_add(into, traffic->is_udp ? "UDP" : "TCP");
    if (!server || !server[0])
        return;
    bool is_bare_v6 = strchr(server, ':') != NULL && server[0] != '[';
    str_add(into, is_two ? " with " : traffic->has[TRAFFIC_IN] ? " from " : " to ");
    str_addf(into, is_bare_v6 ? "[%s]" : "%s", server);
    if (port && port[0])
        str_addf(into, ":%s", port);
}

static struct series_total total_of(const struct model *model, int metric)
{
    struct series_total total = {0};
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    return total;
}

static bool result_of(const struct model *model, int metric, double *ret_value)
{
    for (size_t i = 0; metric >= 0 && i < model->result_count; i++)
        if (model->results[i].metric == metric && model->results[i].lane == DYNO_LANE_ALL) {
            *ret_value = model->results[i].value;
            return true;
        }
    return false;
}

/* Seconds of the samples; one direction after the other, of its own phase. */
static double seconds_of(const struct model *model, const struct traffic *traffic,
                         enum traffic_way way, const struct series_total *total)
{
    for (size_t i = 0; traffic->is_in_turns && i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        if (strcmp(phase->name, traffic_way(way)) == 0)
            return (double)((phase->t1_ns ? phase->t1_ns : model->now_ns) - phase->t0_ns) /
                   (double)NS_PER_S;
    }
    return (double)(total->t1_ns - total->t0_ns) / (double)NS_PER_S;
}

static void find_share(const struct model *model, const struct traffic_loss *loss, bool is_one,
                       struct traffic_sum *sum)
{
    double of = total_of(model, loss->of).sum, told;
    sum->share = -1;
    if (strcmp(loss->name, "retransmits") == 0 &&
        model_result(model, "retransmit_share", &told) == 0)
        sum->share = told;
    else if (is_one && result_of(model, loss->of, &told) && told > 0)
        sum->share = sum->lost * loss->unit_size / told;
    else if (of > 0)
        sum->share = sum->lost * loss->unit_size / of;
    if (sum->share > 1)
        sum->share = 1;
}

void traffic_sum(const struct model *model, const struct traffic *traffic, enum traffic_way way,
                 struct traffic_sum *ret_sum)
{
    const struct traffic_loss *loss = &traffic->loss[way];
    struct series_total moved = total_of(model, traffic->moved[way]);
    struct series_total lost = total_of(model, loss->lost);
    struct traffic_sum sum = {.bytes = moved.sum, .share = -1};
    bool is_two = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
    sum.seconds = moved.count ? seconds_of(model, traffic, way, &moved) : 0;
    sum.bps = sum.seconds > 0 ? sum.bytes * 8 / sum.seconds : 0;
    sum.has_rate =
        model_result(model, way == TRAFFIC_OUT ? "rate_out" : "rate_in", &sum.rate_bps) == 0 ||
        (!is_two && model_result(model, "rate", &sum.rate_bps) == 0);
    /* A result of two directions counts both; what this end samples of UDP is what comes in. */
    sum.lost = lost.sum;
    sum.has_lost = is_two ? lost.count > 0 && !(traffic->is_udp && way == TRAFFIC_OUT)
                          : result_of(model, loss->lost, &sum.lost) || lost.count > 0;
    if (sum.has_lost)
        find_share(model, loss, !is_two, &sum);
    *ret_sum = sum;
}

bool traffic_add_end(const struct model *model, const struct traffic *traffic, enum traffic_way way,
                     bool is_sender, struct str *into)
{
    struct traffic_sum sum;
    bool is_here = is_sender == (way == TRAFFIC_OUT);
    bool is_two = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
    traffic_sum(model, traffic, way, &sum);
    double bytes = sum.bytes, bps = sum.bps;
    if (sum.seconds <= 0)
        return false;
    if (!is_here) {
        int other = metric_of(model, way == TRAFFIC_OUT ? "received" : "sent");
        bool is_told = !is_two && result_of(model, other, &bytes);
        if (!is_told && (way == TRAFFIC_IN || !sum.has_rate))
            return false;
        bps = is_told ? bytes * 8 / sum.seconds : sum.rate_bps;
        bytes = is_told ? bytes : sum.rate_bps * sum.seconds / 8;
    }
    str_addf(into, "%s in %s, %s", units_bytes(bytes).text, units_duration(sum.seconds).text,
             units_bit_rate(bps).text);
    return true;
}

void traffic_add_share(double share, struct str *into)
{
    double percent = share * 100;
    if (percent > 0 && percent < 0.001) {
        str_add(into, "under 0.001 %");
        return;
    }
    int digits = percent >= 9.95 || !(percent > 0) ? 0
                 : percent >= 0.095                ? 1
                 : percent >= 0.0095               ? 2
                                                   : 3;
    str_addf(into, "%.*f %%", digits, percent);
}

void traffic_add_lost(const struct traffic_sum *sum, struct str *into)
{
    str_addf(into, "%.0f", sum->lost);
    if (sum->share >= 0 && sum->lost > 0) {
        str_add(into, " (");
        traffic_add_share(sum->share, into);
        str_add(into, ")");
    }
}

bool traffic_gauge(const struct model *model, const char *key, bool is_mean, double *ret_value)
{
    int metric = metric_of(model, key);
    struct series_total total = total_of(model, metric);
    if (total.count == 0)
        return false;
    *ret_value = is_mean ? total.sum / (double)total.count : total.last;
    return isfinite(*ret_value);
}
