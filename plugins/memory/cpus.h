/* cpus: the CPUs this process may use, grouped by core type, the biggest type first.
 *
 * From sched_getaffinity, so that affinity, cgroup cpuset and offline CPUs are respected. Types by
 * cpu_capacity, else the highest clock, else MIDR, read below `root`; without any of them there is
 * one type. Errors: negative errno.
 */
#ifndef MEMORY_CPUS_H
#define MEMORY_CPUS_H

#include <stdint.h>

#define CPUS_MAX 256  /* threads of a crew; further CPUs are left alone */
#define CPUS_TYPES 8  /* core types told apart */
#define CPUS_TEXT 256 /* bytes of a sentence or list */

struct cpu {
    unsigned number;
    unsigned type;  /* 0: the biggest */
    uint64_t power; /* what types are told by; comparable within one machine; 0: unknown */
};

struct cpus {
    unsigned count; /* sorted: by type, then by number */
    struct cpu cpu[CPUS_MAX];
    unsigned types;
    const char *source; /* "cpu_capacity", "cpuinfo_max_freq", "midr_el1" or "none" */
};

int cpus_find(const char *root, struct cpus *ret_cpus);

/* Keeps those that `wish` names: "" or "all", "big", "little", or a list such as "0,2-3". -EINVAL
 * with a sentence in `why` when it is no such text or names a CPU that may not be used. */
int cpus_choose(struct cpus *cpus, const char *wish, char why[CPUS_TEXT]);

/* "0-3,6" */
const char *cpus_list(const struct cpus *cpus, char text[CPUS_TEXT]);
/* "4-7 (capacity 1024), 0-3 (446)"; "" with a single type. */
const char *cpus_types(const struct cpus *cpus, char text[CPUS_TEXT]);

#endif
