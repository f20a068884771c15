/* traffic: what a network run tells, by direction: what was moved, what was lost of it, between
 * which ends, under which ceiling. Made from the model alone. Pure. */
#ifndef REPORT_TRAFFIC_H
#define REPORT_TRAFFIC_H

#include "run/model.h"

struct str;

enum traffic_way { TRAFFIC_OUT, TRAFFIC_IN, TRAFFIC_WAYS };

/* The amount by which loss shows, as a share of another one. */
struct traffic_loss {
    int lost;          /* metric: retransmits, out of order, lost; -1: none */
    int of;            /* metric it is a share of; -1: none */
    double unit_size;  /* what one of `lost` is worth in `of`: 1448 bytes of a segment, 1 packet */
    const char *name;  /* "retransmits" */
    const char *units; /* "segments", "packets" */
};

struct traffic {
    bool is_udp, is_server;
    bool has[TRAFFIC_WAYS];
    bool is_in_turns;        /* first out, then in */
    unsigned streams;        /* of one direction; 1 when nothing tells */
    int moved[TRAFFIC_WAYS]; /* metrics in bytes; -1: none */
    struct traffic_loss loss[TRAFFIC_WAYS];
};

/* False: no network run, and nothing is filled in. */
bool traffic_of(const struct model *model, struct traffic *ret_traffic);
const char *traffic_way(enum traffic_way way);  /* "out", "in" */
const char *traffic_verb(enum traffic_way way); /* "sent", "received" */

/* Which way a lane goes, and its number within it from 1 on. */
enum traffic_way traffic_lane(const struct traffic *traffic, unsigned lane, unsigned *ret_number);

/* bit/s; 0: the speed of the port is not known. */
double traffic_ceiling(const struct model *model, const struct traffic *traffic);
/* "TCP to 192.168.0.2:5201" */
void traffic_add_ends(const struct model *model, const struct traffic *traffic, struct str *into);

struct traffic_sum {            /* of one direction, over its own time */
    double bytes, seconds, bps; /* what was counted here */
    bool has_rate;
    double rate_bps; /* as the result has it: the receiver's */
    bool has_lost;
    double lost, share; /* share: negative: not known */
};
void traffic_sum(const struct model *model, const struct traffic *traffic, enum traffic_way way,
                 struct traffic_sum *ret_sum);
/* "503 MB in 60 s, 67.1 Mbit/s": what one end of a direction counted. False: it is not known. */
bool traffic_add_end(const struct model *model, const struct traffic *traffic, enum traffic_way way,
                     bool is_sender, struct str *into);
/* "21434 (6.2 %)", "0" */
void traffic_add_lost(const struct traffic_sum *sum, struct str *into);
/* "6.2 %", "0.009 %": of small shares two digits that count. */
void traffic_add_share(double share, struct str *into);
/* The last or mean value of a GAUGE; false: it has no sample. */
bool traffic_gauge(const struct model *model, const char *key, bool is_mean, double *ret_value);

#endif
