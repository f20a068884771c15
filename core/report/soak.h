/* soak: what a person asks in the morning of a network run that went on all night: the worst
 * interval and when it was, how many had nothing, how often the link was down. Pure. */
#ifndef REPORT_SOAK_H
#define REPORT_SOAK_H

#include "run/model.h"

struct str;

struct soak {
    bool has_worst;
    double worst_bps;
    uint64_t worst_ns; /* where that interval begins */
    uint64_t intervals, zeros;
    unsigned link_downs;
};

/* False: no network run. */
bool soak_of(const struct model *model, struct soak *ret_soak);
/* "worst 03:12:40 0 Mbit/s, 2 zero intervals, 1 link down"; false and nothing added when no whole
 * interval has passed. */
bool soak_add(const struct model *model, struct str *into);
/* "03:12:40" of the run. */
void soak_add_time(double seconds, struct str *into);

#endif
