#include "report/iperf3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "report/streams.h"
#include "report/traffic.h"

#define FIRST_ID 5 /* iperf3 names a stream by its socket: the first is 5, then each second one */
#define RULE "- - - - - - - - - - - - - - - - - - - - - - - - -\n"

struct table { /* of one direction */
    struct streams streams;
    struct str *into;
};

/* --- what stands in the lines --- */

struct amount {
    char text[32];
};

/* "1.16 GByte", "67.1 Mbit": four places, steps of 1024 for bytes and of 1000 for bits. */
static struct amount amount_of(double value, double step, const char *const names[5])
{
    struct amount amount;
    unsigned i = 0;
    while (value >= step && i < 4) {
        value /= step;
        i++;
    }
    int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    (void)snprintf(amount.text, sizeof amount.text, "%4.*f %s", digits, value, names[i]);
    return amount;
}

static struct amount bytes_of(double bytes)
{
    static const char *const names[] = {"Byte", "KByte", "MByte", "GByte", "TByte"};
    return amount_of(bytes, 1024, names);
}

static struct amount bits_of(double bits)
{
    static const char *const names[] = {"bit", "Kbit", "Mbit", "Gbit", "Tbit"};
    return amount_of(bits, 1000, names);
}

static const char *role_of(const struct table *table)
{
    const struct traffic *traffic = table->streams.traffic;
    bool is_both = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN] && !traffic->is_in_turns;
    return !is_both ? "" : table->streams.way == TRAFFIC_OUT ? "[TX-C]" : "[RX-C]";
}

/* "[  5][TX-C]   0.00-1.00   sec  1.16 GBytes  9.99 Gbits/sec": of all lanes for -1. */
static void add_begin(const struct table *table, int place, double from_s, double to_s,
                      double bytes)
{
    double seconds = to_s - from_s;
    if (place < 0)
        str_add(table->into, "[SUM]");
    else
        str_addf(table->into, "[%3d]", FIRST_ID + 2 * place);
    str_addf(table->into, "%s %6.2f-%-6.2f sec  %ss  %ss/sec", role_of(table), from_s, to_s,
             bytes_of(bytes).text, bits_of(seconds > 0 ? bytes * 8 / seconds : 0).text);
}

static void add_datagrams(const struct table *table, double jitter_s, double lost, double packets)
{
    str_addf(table->into, "  %5.3f ms  %.0f/%.0f (%.2g%%)", jitter_s * 1e3, lost, packets,
             packets > 0 ? lost / packets * 100 : 0);
}

static void add_header(const struct table *table, bool is_summary)
{
    bool is_out = table->streams.way == TRAFFIC_OUT, is_udp = table->streams.traffic->is_udp;
    const char *columns = is_udp && (is_summary || !is_out)
                              ? "         Jitter    Lost/Total Datagrams"
                          : is_udp                ? "         Total Datagrams"
                          : is_out && !is_summary ? "         Retr  Cwnd"
                          : is_summary            ? "         Retr"
                                                  : "";
    str_addf(table->into, "[ ID]%s Interval           Transfer     Bitrate%s\n",
             role_of(table)[0] ? "[Role]" : "", columns);
}

static int place_of(const struct table *table, unsigned lane)
{
    unsigned number;
    (void)traffic_lane(table->streams.traffic, lane, &number);
    bool is_second = role_of(table)[0] && table->streams.way == TRAFFIC_IN;
    return (int)(number - 1 + (is_second ? table->streams.traffic->streams : 0));
}

/* --- intervals --- */

static double seconds_at(const struct table *table, const struct streams_cell *cell, uint64_t t_ns)
{
    const struct streams *streams = &table->streams;
    uint64_t base_ns = cell->is_omitted ? streams->omitted_ns : streams->base_ns;
    return t_ns > base_ns ? (double)(t_ns - base_ns) / (double)NS_PER_S : 0;
}

static void add_line(const struct table *table, const struct streams_cell *cell, int place)
{
    const char *omitted = cell->is_omitted ? "(omitted)" : "";
    bool is_out = table->streams.way == TRAFFIC_OUT, is_sum = place < 0;
    add_begin(table, place, seconds_at(table, cell, cell->t0_ns),
              seconds_at(table, cell, cell->t1_ns), cell->bytes);
    if (table->streams.traffic->is_udp && is_out) {
        str_addf(table->into, "  %.0f  %s\n", cell->packets, omitted);
    } else if (table->streams.traffic->is_udp) {
        add_datagrams(table, cell->jitter, cell->lost, cell->packets);
        str_addf(table->into, "  %s\n", omitted);
    } else if (!is_out) {
        str_addf(table->into, "                  %s\n", omitted);
    } else if (is_sum) {
        str_addf(table->into, "  %3.0f             %s\n", cell->retransmits, omitted);
    } else {
        str_addf(table->into, "  %3.0f   %ss       %s\n", cell->retransmits,
                 bytes_of(cell->cwnd).text, omitted);
    }
}

/* The cells of one interval, and their sum. Returns the index after them. */
static size_t add_interval(const struct table *table, size_t first)
{
    struct streams_cell sum = table->streams.cells[first];
    size_t at = first;
    for (; at < table->streams.count &&
           table->streams.cells[at].interval == table->streams.cells[first].interval;
         at++) {
        const struct streams_cell *cell = &table->streams.cells[at];
        add_line(table, cell, place_of(table, cell->lane));
        if (at == first)
            continue;
        sum.t1_ns = cell->t1_ns > sum.t1_ns ? cell->t1_ns : sum.t1_ns;
        sum.bytes += cell->bytes;
        sum.retransmits += cell->retransmits;
        sum.packets += cell->packets;
        sum.lost += cell->lost;
        sum.jitter += cell->jitter;
    }
    sum.jitter /= (double)(at - first);
    if (table->streams.lane_count > 1)
        add_line(table, &sum, -1);
    return at;
}

/* Both directions at once stand interval by interval, as they were. */
static void add_intervals(const struct table tables[], size_t count)
{
    size_t at[TRAFFIC_WAYS] = {0};
    bool is_first = true, is_left = true;
    add_header(&tables[0], false);
    while (is_left) {
        uint64_t next = UINT64_MAX;
        for (size_t i = 0; i < count; i++)
            if (at[i] < tables[i].streams.count && tables[i].streams.cells[at[i]].interval < next)
                next = tables[i].streams.cells[at[i]].interval;
        is_left = next != UINT64_MAX;
        bool has_sums = tables[0].streams.lane_count > 1;
        if (is_left && !is_first && has_sums)
            str_add(tables[0].into, RULE);
        for (size_t i = 0; i < count && is_left; i++)
            if (at[i] < tables[i].streams.count && tables[i].streams.cells[at[i]].interval == next)
                at[i] = add_interval(&tables[i], at[i]);
        is_first = false;
    }
}

/* --- summary --- */

/* What one end says of a lane, or of all: a result before what was counted here. */
static bool told(const struct model *model, const char *key, unsigned lane, double *ret_value)
{
    int metric = model_metric(model, key);
    for (size_t i = 0; metric >= 0 && i < model->result_count; i++)
        if (model->results[i].metric == metric && model->results[i].lane == lane) {
            *ret_value = model->results[i].value;
            return true;
        }
    return false;
}

static bool is_two_way(const struct table *table)
{
    return table->streams.traffic->has[TRAFFIC_OUT] && table->streams.traffic->has[TRAFFIC_IN];
}

/* Lane by lane, or by none. */
static bool peer_lanes(const struct table *table, const char *key, double *ret_bytes)
{
    double sum = 0, bytes;
    for (unsigned i = 0; i < table->streams.lane_count; i++) {
        if (!told(table->streams.model, key, table->streams.lanes[i], &bytes))
            return false;
        sum += bytes;
    }
    *ret_bytes = sum;
    return true;
}

/* What the other end counted: of a lane, or of all. Over all lanes a result of two directions would
 * be this end's or the other's. */
static bool peer_bytes(const struct table *table, unsigned lane, double seconds, double *ret_bytes)
{
    bool is_out = table->streams.way == TRAFFIC_OUT, is_all = lane == DYNO_LANE_ALL;
    const char *key = is_out ? "received" : "sent";
    double rate;
    if ((!is_all || !is_two_way(table)) && told(table->streams.model, key, lane, ret_bytes))
        return true;
    if (is_all && peer_lanes(table, key, ret_bytes))
        return true;
    bool is_told = is_out && !is_all && told(table->streams.model, "rate", lane, &rate);
    if (is_told)
        *ret_bytes = rate * seconds / 8;
    if (is_told || !is_out || (!is_all && table->streams.lane_count > 1))
        return is_told;
    if (!told(table->streams.model, "rate_out", DYNO_LANE_ALL, &rate) &&
        (is_two_way(table) || !told(table->streams.model, "rate", DYNO_LANE_ALL, &rate)))
        return false;
    *ret_bytes = rate * seconds / 8;
    return true;
}

static void add_end(const struct table *table, const struct streams_cell *sum, unsigned lane,
                    int place, bool is_sender)
{
    double seconds = (double)(sum->t1_ns - sum->t0_ns) / (double)NS_PER_S, bytes = sum->bytes;
    bool is_here = is_sender == (table->streams.way == TRAFFIC_OUT),
         is_udp = table->streams.traffic->is_udp;
    double retransmits = sum->retransmits, lost = sum->lost, jitter = sum->jitter;
    if (!is_here && !peer_bytes(table, lane, seconds, &bytes))
        return;
    if (lane != DYNO_LANE_ALL || !is_two_way(table)) {
        (void)told(table->streams.model, "retransmits", lane, &retransmits);
        (void)told(table->streams.model, "lost", lane, &lost);
        (void)told(table->streams.model, "jitter", lane, &jitter);
    }
    const char *who = is_sender ? "sender" : "receiver";
    add_begin(table, place, 0, seconds, bytes);
    if (is_udp) {
        add_datagrams(table, is_sender ? 0 : jitter, is_sender ? 0 : lost, sum->packets);
        str_addf(table->into, "  %s\n", who);
    } else if (is_sender) {
        str_addf(table->into, "  %3.0f             %s\n", retransmits, who);
    } else {
        str_addf(table->into, "                  %s\n", who);
    }
}

static void add_summary(const struct table tables[], size_t count)
{
    str_add(tables[0].into, RULE);
    add_header(&tables[0], true);
    for (size_t i = 0; i < count; i++) {
        const struct table *table = &tables[i];
        for (unsigned k = 0; k < table->streams.lane_count; k++) {
            unsigned lane = table->streams.lanes[k];
            struct streams_cell sum = streams_sum(&table->streams, (int)lane);
            unsigned key = table->streams.lane_count == 1 &&
                                   !told(table->streams.model, "sent", lane, &(double){0})
                               ? DYNO_LANE_ALL
                               : lane;
            add_end(table, &sum, key, place_of(table, lane), true);
            add_end(table, &sum, key, place_of(table, lane), false);
        }
        struct streams_cell all = streams_sum(&table->streams, -1);
        if (table->streams.lane_count > 1) {
            add_end(table, &all, DYNO_LANE_ALL, -1, true);
            add_end(table, &all, DYNO_LANE_ALL, -1, false);
        }
    }
}

static void add_block(const struct table tables[], size_t count)
{
    const struct model *model = tables[0].streams.model;
    const char *server = model_option(model, "server"), *port = model_option(model, "port");
    struct str *into = tables[0].into;
    if (server && server[0]) {
        str_addf(into, "Connecting to host %s, port %s\n", server, port ? port : "5201");
        if (count == 1 && tables[0].streams.way == TRAFFIC_IN)
            str_addf(into, "Reverse mode, remote host %s is sending\n", server);
    }
    add_intervals(tables, count);
    add_summary(tables, count);
    if (model->state == RUN_DONE)
        str_add(into, "\niperf Done.\n");
}

int iperf3_write(const struct model *model, const struct interval *intervals, size_t count,
                 struct str *into)
{
    struct traffic traffic;
    AUTO_FREE struct table *tables = mem_new(TRAFFIC_WAYS, sizeof *tables);
    size_t used = 0;
    if (!str_starts(model->test, "network.") || !traffic_of(model, &traffic) || traffic.is_server)
        return -ENODATA;
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        struct table *table = &tables[used];
        if (!traffic.has[way] || traffic.moved[way] < 0)
            continue;
        table->into = into;
        streams_gather(&table->streams, model, &traffic, (enum traffic_way)way, intervals, count);
        if (table->streams.count > 0)
            used++;
        else
            streams_done(&table->streams);
    }
    if (used > 0 && !traffic.is_in_turns)
        add_block(tables, used);
    for (size_t i = 0; i < used; i++) {
        if (traffic.is_in_turns)
            add_block(&tables[i], 1);
        if (traffic.is_in_turns && i + 1 < used)
            str_add(into, "\n");
        streams_done(&tables[i].streams);
    }
    return used ? 0 : -ENODATA;
}
