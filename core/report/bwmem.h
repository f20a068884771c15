/* bwmem: a run of the published memory convention in the shape bw_mem of lmbench prints: a line
 * "52.43 2765.12" for each operation and size, MB of 10^6 and MB/s. Pure. */
#ifndef REPORT_BWMEM_H
#define REPORT_BWMEM_H

#include "run/model.h"

struct str;

/* From the facts bw-mem-8k, bw-mem-128k and bw-mem-50m, each "rd=2765.12 wr=891.00 …", where one
 * operation may have several rates "rd=2765.12,2764.90". -ENODATA when the run has none. */
int bwmem_write(const struct model *model, struct str *into);

#endif
