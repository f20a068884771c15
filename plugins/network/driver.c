#include "driver.h"

#include <common/cleanup.h>
#include <ctype.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(DRIVER_NAME_MAX == ETH_GSTRING_LEN, "driver.h repeats it");

/* The first that fits decides. */
static const struct {
    const char *part, *cause;
} patterns[] = {
#define CABLE "cable, connector, magnetics or RGMII delay"
#define OVERRUN "this port overran: CPU, bus or memory too slow, or no pause frames"
    {"xon", NULL},
    {"xoff", NULL},
    {"pause", NULL},
    {"crc", CABLE},
    {"fcs", CABLE},
    {"align", CABLE},
    {"symbol", CABLE},
    {"fragment", CABLE},
    {"jabber", CABLE},
    {"overrun", OVERRUN},
    {"overflow", OVERRUN},
    {"no_buffer", OVERRUN},
    {"nobuf", OVERRUN},
    {"missed", OVERRUN},
    {"fifo", OVERRUN},
    {"late_coll", "duplex mismatch: both ends must negotiate, or neither"},
    {"excessive_coll", "duplex mismatch: both ends must negotiate, or neither"},
    {"discard", "dropped in this port"},
    {"tx_timeout", "the port's transmit queue stood still"},
};

const char *driver_cause(const char *name)
{
    char lower[DRIVER_NAME_MAX + 1] = "";
    for (size_t i = 0; name[i] && i < DRIVER_NAME_MAX; i++)
        lower[i] = name[i] == ' ' || name[i] == '-' ? '_' : (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
        if (strstr(lower, patterns[i].part))
            return patterns[i].cause;
    return NULL;
}

void driver_take(const char *names, const uint64_t *values, unsigned count, struct driver *into)
{
    into->count = 0;
    for (unsigned i = 0; i < count && into->count < DRIVER_FAULTS_MAX; i++) {
        struct driver_fault *fault = &into->faults[into->count];
        size_t size = strnlen(names + (size_t)i * DRIVER_NAME_MAX, DRIVER_NAME_MAX);
        memcpy(fault->name, names + (size_t)i * DRIVER_NAME_MAX, size);
        fault->name[size] = '\0';
        for (size_t k = 0; k < size; k++)
            if (!isprint((unsigned char)fault->name[k]))
                fault->name[k] = '?';
        fault->cause = driver_cause(fault->name);
        fault->value = values[i];
        into->count += fault->cause != NULL;
    }
}

static bool ask(int fd, const char *name, void *request)
{
    struct ifreq wish = {0};
    (void)snprintf(wish.ifr_name, sizeof wish.ifr_name, "%s", name);
    wish.ifr_data = request;
    return ioctl(fd, SIOCETHTOOL, &wish) == 0;
}

/* The kernel copies as many as the driver has by then, whatever was asked for: room for more. */
#define ROOM(count) ((size_t)(count)*2 + 64)

static void read_all(int fd, const char *name, unsigned count, struct driver *into)
{
    AUTO_FREE struct ethtool_gstrings *names =
        calloc(1, sizeof *names + ROOM(count) * ETH_GSTRING_LEN);
    AUTO_FREE struct ethtool_stats *stats =
        calloc(1, sizeof *stats + ROOM(count) * sizeof(uint64_t));
    AUTO_FREE uint64_t *values = calloc(count, sizeof *values);
    if (!names || !stats || !values)
        return;
    *names = (struct ethtool_gstrings){
        .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count};
    *stats = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = count};
    if (!ask(fd, name, names) || !ask(fd, name, stats) || names->len != count ||
        stats->n_stats != count)
        return;
    memcpy(values, stats->data, (size_t)count * sizeof *values);
    driver_take((const char *)names->data, values, count, into);
}

void driver_read(const char *name, struct driver *into)
{
    into->count = 0;
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
    if (fd < 0 || !ask(fd, name, &info) || info.n_stats == 0 || info.n_stats > DRIVER_STATS_MAX)
        return;
    read_all(fd, name, info.n_stats, into);
}

bool driver_growth(const struct driver *first, const struct driver *last, char *into, size_t size)
{
    uint64_t most = 0;
    const struct driver_fault *worst = NULL;
    for (unsigned i = 0; i < last->count && i < first->count; i++) {
        const struct driver_fault *before = &first->faults[i], *after = &last->faults[i];
        if (strcmp(before->name, after->name) != 0 || after->value <= before->value ||
            after->value - before->value <= most)
            continue;
        most = after->value - before->value;
        worst = after;
    }
    if (!worst)
        return false;
    (void)snprintf(into, size, "%s +%" PRIu64 " here: %s", worst->name, most, worst->cause);
    return true;
}
