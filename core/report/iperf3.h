/* iperf3: a network run in the shape iperf3 3.12 prints: an interval line a stream, [SUM] over
 * several, the summary of sender and receiver. Transfer in units of 2^20, rates of 10^6, as iperf3
 * has them. Pure. */
#ifndef REPORT_IPERF3_H
#define REPORT_IPERF3_H

#include "run/intervals.h"
#include "run/model.h"

struct str;

/* From the report intervals of the run in the order of their times. -ENODATA when it is no TCP or
 * UDP test that moved anything. */
int iperf3_write(const struct model *model, const struct interval *intervals, size_t count,
                 struct str *into);

#endif
