/* evidence: the figures of a run that the rules of the verdict look at. Pure. */
#ifndef DIAGNOSE_EVIDENCE_H
#define DIAGNOSE_EVIDENCE_H

#include "diagnose/place.h"
#include "run/model.h"

struct evidence {
    const struct model *model;
    bool is_storage, is_memory, is_network, is_read;
    char cache_level[8]; /* of a memory test that did not reach the DRAM: "L2" */
    bool has_rate;
    double
        rate_bps; /* of a running run its mean so far; bytes per second, of a network test bits */
    double ceiling_bps;                 /* of the bus or line, in the same unit; 0 unknown */
    char ceiling_source[64];            /* "SDR104, 4 bit"; "" unknown */
    double written, read;               /* bytes the test moved */
    double prepared;                    /* bytes written before the clock, where told apart */
    double device_written, device_read; /* bytes its disk counted */
    bool has_cached;
    double cached;             /* share of a read that came from RAM */
    double seconds;            /* the transfer with its sync */
    double sync_s;             /* of these in fsync or sync */
    const struct place *place; /* where its files lie, when that is no plain disk; else NULL */
    double bus_share;          /* of the ceiling from which on the bus is the limit */
    double capable_bps;        /* what its link could carry; 0 unknown */
    double cpu;                /* share of the time that was CPU work, of the cores that the test
                                  can use at once; negative: unknown */
    double kernel;             /* share of the core that was busiest in the kernel; negative */
    bool is_serial;            /* one request at a time: CPU and disk wait for each other */
};

void evidence_gather(const struct model *model, struct evidence *ret_evidence);

#endif
