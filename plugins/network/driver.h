/* driver: a port's statistics by its driver's own names, as "ethtool -S" lists them: where a frame
 * was lost that the common counters do not know. The names differ from driver to driver; those that
 * tell a fault are known by parts of them.
 *
 * Some drivers ask their firmware for each reading: begin and end of a test, not each tick. */
#ifndef NETWORK_DRIVER_H
#define NETWORK_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRIVER_NAME_MAX 32   /* ETH_GSTRING_LEN */
#define DRIVER_FAULTS_MAX 96 /* more of one port are not compared */
#define DRIVER_STATS_MAX 4096u

struct driver_fault {
    char name[DRIVER_NAME_MAX + 1];
    const char *cause;
    uint64_t value;
};

struct driver {
    unsigned count;
    struct driver_fault faults[DRIVER_FAULTS_MAX];
};

/* Blocks as long as the driver takes. Empty when the port has no driver that tells, or is gone. */
void driver_read(const char *name, struct driver *into);
/* Takes `count` names of DRIVER_NAME_MAX bytes, not always ended with a NUL, and their values.
 * Pure. */
void driver_take(const char *names, const uint64_t *values, unsigned count, struct driver *into);
/* What a statistic of this name tells when it grows; NULL: no fault. Pure. */
const char *driver_cause(const char *name);
/* "rx_align_err +3: cable ..." of the fault that grew most; false when none did. Pure. */
bool driver_growth(const struct driver *first, const struct driver *last, char *into, size_t size);

#endif
