/* latency: metric numbers of memory.latency. */
#ifndef MEMORY_LATENCY_H
#define MEMORY_LATENCY_H

#include <iodyno/plugin.h>

enum {
    LATENCY_MOVED,       /* DELTA: lane 0 the chase (64 bytes a load), lane 1 the load */
    LATENCY_NOW,         /* GAUGE, lane 0: seconds of a load */
    LATENCY_HEADLINE,    /* one chain, no load */
    LATENCY_CHAINS,      /* by lane = chains: seconds for each load */
    LATENCY_LOADED,      /* by lane = step of the load, 0: none */
    LATENCY_LOADED_RATE, /* by lane: what the load moves then */
    LATENCY_TAKEN,       /* DELTA: memory taken before */
    LATENCY_METRICS
};

int memory_latency(const struct dyno_host *host, struct dyno_run *run);

#endif
