/* bwmem: a run of the published memory convention in the shape bw_mem of lmbench prints: a line
 * "52.43 2765.12" for each time an operation was measured, MB of 10^6 and MB/s. Pure. */
#ifndef REPORT_BWMEM_H
#define REPORT_BWMEM_H

#include "run/model.h"

struct str;

/* From the facts bw_mem-SIZE-OPERATION ("bw_mem-50m-rd"), each "52.43 2765.12; 52.43 2764.90".
 * -ENODATA when the run has none. */
int bwmem_write(const struct model *model, struct str *into);

#endif
