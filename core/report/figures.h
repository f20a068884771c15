/* figures: the numbers of a run as a person reads them, each with its unit. Pure. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "run/model.h"

struct str;

/* "67.1 MB/s (64.0 MiB/s)"; "940 Mbit/s"; "1.2 ms". */
void figures_value(double value, unsigned unit, struct str *into);
/* The figure a run is known by: its rate, else its requests a second, else its latency. */
bool figures_leading(const struct model *model, struct model_result *ret_result);
/* The headline: that, or the first result of the whole test. False: there is none. */
bool figures_headline(const struct model *model, struct model_result *ret_result);
/* "67.1 MB/s (64.0 MiB/s): 524 MB in 7.8 s"; false and nothing added when there is no result. */
bool figures_add_headline(const struct model *model, struct str *into);
/* "Written: min 2.1 MB/s, mean 4.8 MB/s, p95 6.0 MB/s, max 8.4 MB/s" of what is drawn; false when
 * nothing was. */
bool figures_add_spread(const struct model *model, struct str *into);
/* "104 MB/s (SDR104, 4 bit), 4.7 % of it reached"; false when no ceiling is known or the
 * verdict itself tells it. */
struct verdict;
bool figures_add_ceiling(const struct model *model, const struct verdict *verdict,
                         struct str *into);
const char *figures_ceiling_name(const struct model *model); /* "ceiling of the bus" */
/* Bytes the test itself moved, 0 when it moves none. */
double figures_amount(const struct model *model);

#endif
