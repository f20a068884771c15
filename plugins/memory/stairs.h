/* stairs: metric numbers of memory.stairs, its sizes, and where the stairs have their edges. */
#ifndef MEMORY_STAIRS_H
#define MEMORY_STAIRS_H

#include <iodyno/plugin.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    STAIRS_MOVED,   /* DELTA: lane 0 the reading, lane 1 the chase (64 bytes a load) */
    STAIRS_NOW,     /* GAUGE, lane 1: seconds of a load */
    STAIRS_RATE,    /* of the largest set: the DRAM */
    STAIRS_LATENCY, /* the same */
    STAIRS_SIZE,    /* by lane: point 0.. ; comes as soon as it is measured */
    STAIRS_POINT_RATE,
    STAIRS_POINT_LATENCY,
    STAIRS_EDGE,          /* by lane 1..: bytes up to which step 1.. goes, measured */
    STAIRS_EDGE_REPORTED, /* by lane: cache level */
    STAIRS_TAKEN,         /* DELTA: memory taken before */
    STAIRS_METRICS
};

#define STAIRS_LEAST 4096u
#define STAIRS_POINTS 64u
#define STAIRS_EDGES 4u

/* 4 KiB, 6, 8, 12 … up to `most`; how many. Pure. */
unsigned stairs_sizes(uint64_t most, uint64_t sizes[STAIRS_POINTS]);
/* The last size before each rise of the latency; how many. Pure. */
unsigned stairs_edges(const uint64_t *sizes, const double *latencies, unsigned count,
                      uint64_t edges[STAIRS_EDGES]);

int memory_stairs(const struct dyno_host *host, struct dyno_run *run);

#endif
