#include "port.h"

#include <common/cleanup.h>
#include <common/text.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SOFT_SHARE 90u /* percent */
#define STAT_MAX 32768u
#define TICKS_LEAST 50u /* half a second at 100 Hz: less tells nothing */

static const struct counter {
    const char *name, *file; /* below /sys/class/net/NAME; NULL: of the stack */
    const char *cause;       /* NULL: tells no fault */
} counters[] = {
    [PORT_RX_BYTES] = {"rx_bytes", "statistics/rx_bytes", NULL},
    [PORT_TX_BYTES] = {"tx_bytes", "statistics/tx_bytes", NULL},
    [PORT_CARRIER] = {"carrier_changes", "carrier_changes", NULL},
#define STATISTIC(name, cause)                                                                     \
    {                                                                                              \
        name, "statistics/" name, cause                                                            \
    }
#define CABLE "cable, connector, magnetics or RGMII delay"
#define OVERRUN "this port overran: CPU, bus or memory too slow, or no pause frames"
#define DUPLEX "duplex mismatch: both ends must negotiate, or neither"
    STATISTIC("rx_crc_errors", CABLE),
    STATISTIC("rx_frame_errors", CABLE),
    STATISTIC("rx_length_errors", CABLE),
    STATISTIC("rx_fifo_errors", OVERRUN),
    STATISTIC("rx_over_errors", OVERRUN),
    STATISTIC("rx_missed_errors", OVERRUN),
    STATISTIC("collisions", DUPLEX),
    STATISTIC("tx_window_errors", DUPLEX),
    STATISTIC("tx_aborted_errors", DUPLEX),
    STATISTIC("tx_carrier_errors", "the carrier was lost while sending: cable or PHY"),
    STATISTIC("tx_fifo_errors", "this port ran dry while sending: CPU, bus or memory too slow"),
    STATISTIC("tx_dropped", "dropped before this port: its queue was full"),
    STATISTIC("rx_dropped", "dropped behind this port, by this host's stack"),
    {"softnet dropped", NULL, "this host's backlog was full: net.core.netdev_max_backlog, RPS"},
    {"UDP RcvbufErrors", NULL, "this host's socket was full: its CPU, net.core.rmem_max"},
};
_Static_assert(ARRAY_SIZE(counters) == PORT_COUNTERS, "port.h counts them");
#define SOFTNET (PORT_COUNTERS - 2u)
#define RCVBUF (PORT_COUNTERS - 1u)

/* The second column of each line is what that CPU dropped, in hexadecimal. */
static uint64_t read_softnet(const char *root)
{
    char text[STAT_MAX];
    uint64_t dropped = 0;
    if (text_read(root, "/proc/net/softnet_stat", text, sizeof text) < 0)
        return 0;
    for (const char *line = text; line;) {
        unsigned taken, lost;
        if (sscanf(line, "%8x %8x", &taken, &lost) == 2)
            dropped += lost;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return dropped;
}

/* /proc/net/snmp: a line of names, then one of values, both behind "Udp:". */
static uint64_t read_rcvbuf(const char *root)
{
    char text[STAT_MAX];
    if (text_read(root, "/proc/net/snmp", text, sizeof text) < 0)
        return 0;
    char *names = strstr(text, "\nUdp: "), *values = names ? strstr(names + 1, "\nUdp: ") : NULL;
    char *name_state = NULL, *value_state = NULL;
    if (!values)
        return 0;
    *values = '\0';
    const char *name = strtok_r(names + 1, " \n", &name_state);
    const char *value = strtok_r(values + 1, " \n", &value_state);
    while (name && value && strcmp(name, "RcvbufErrors") != 0) {
        name = strtok_r(NULL, " \n", &name_state);
        value = strtok_r(NULL, " \n", &value_state);
    }
    uint64_t number = 0;
    return name && value && text_digits(value, &number, NULL) == 0 ? number : 0;
}

/* "cpu3 user nice system idle iowait irq softirq steal guest guest_nice": interrupts, hard and soft
 */
static void read_cpu(const char *line, struct port_counts *counts)
{
    uint64_t number, ticks;
    const char *at = line + strlen("cpu");
    if (text_digits(at, &number, &at) < 0 || number >= PORT_CPUS_MAX)
        return;
    struct port_cpu *cpu = &counts->cpus[number];
    for (unsigned column = 0; column < 8 && *at == ' '; column++) {
        if (text_digits(at + 1, &ticks, &at) < 0)
            return;
        cpu->all += ticks;
        if (column == 5 || column == 6)
            cpu->soft += ticks;
    }
}

static void read_cpus(const char *root, struct port_counts *counts)
{
    char text[STAT_MAX];
    if (text_read(root, "/proc/stat", text, sizeof text) < 0)
        return;
    for (const char *line = text; line && strncmp(line, "cpu", 3) == 0;) {
        read_cpu(line, counts);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

static bool read_all(const struct port *port, struct port_counts *ret_counts)
{
    char path[TEXT_PATH_MAX];
    bool is_known = false;
    memset(ret_counts, 0, sizeof *ret_counts);
    for (unsigned i = 0; i < PORT_COUNTERS && port->name && port->name[0]; i++) {
        if (!counters[i].file)
            continue;
        (void)snprintf(path, sizeof path, "/sys/class/net/%s/%s", port->name, counters[i].file);
        if (text_number(port->root, path, &ret_counts->value[i]) == 0 && i == PORT_TX_BYTES)
            is_known = true;
    }
    ret_counts->value[SOFTNET] = read_softnet(port->root);
    ret_counts->value[RCVBUF] = read_rcvbuf(port->root);
    read_cpus(port->root, ret_counts);
    return is_known;
}

void port_begin(struct port *port, const char *root, const char *name)
{
    port->root = root;
    port->name = name;
    port->is_known = read_all(port, &port->first);
    port->last = port->first;
}

void port_look(struct port *port)
{
    struct port_counts now;
    if (read_all(port, &now) || !port->is_known)
        port->last = now; /* a port that was pulled out keeps what it had counted */
}

uint64_t port_since(const struct port *port, unsigned counter)
{
    uint64_t first = port->first.value[counter], last = port->last.value[counter];
    return last >= first ? last - first : last;
}

uint64_t port_faults(const struct port *port)
{
    uint64_t sum = 0;
    for (unsigned i = PORT_FAULTS; i < PORT_COUNTERS; i++)
        sum += port_since(port, i);
    return sum;
}

void port_fault_text(const struct port *port, char into[PORT_TEXT_MAX])
{
    size_t used = 0;
    (void)snprintf(into, PORT_TEXT_MAX, "none");
    for (unsigned i = PORT_FAULTS; i < PORT_COUNTERS; i++) {
        uint64_t count = port_since(port, i);
        if (count == 0 || used >= PORT_TEXT_MAX)
            continue;
        int n = snprintf(into + used, PORT_TEXT_MAX - used, "%s%s +%" PRIu64, used ? ", " : "",
                         counters[i].name, count);
        used += n > 0 ? (size_t)n : 0;
    }
}

bool port_loss_place(const struct port *port, char into[PORT_TEXT_MAX])
{
    for (unsigned i = PORT_FAULTS; i < PORT_COUNTERS; i++) {
        uint64_t count = port_since(port, i);
        if (count == 0)
            continue;
        (void)snprintf(into, PORT_TEXT_MAX, "%s +%" PRIu64 " here: %s", counters[i].name, count,
                       counters[i].cause);
        return true;
    }
    return false;
}

bool port_softirq(const struct port *port, char into[PORT_TEXT_MAX])
{
    for (unsigned i = 0; i < PORT_CPUS_MAX; i++) {
        const struct port_cpu *first = &port->first.cpus[i], *last = &port->last.cpus[i];
        uint64_t all = last->all - first->all, soft = last->soft - first->soft;
        if (last->all < first->all + TICKS_LEAST || last->soft < first->soft ||
            soft * 100 < all * SOFT_SHARE)
            continue;
        (void)snprintf(into, PORT_TEXT_MAX, "CPU %u spent %" PRIu64 " %% of its time on interrupts",
                       i, soft * 100 / all);
        return true;
    }
    return false;
}
