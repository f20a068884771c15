/* wear: how much of a disk's life a run would write away, told before it starts. Pure. */
#ifndef RUN_WEAR_H
#define RUN_WEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"

struct str;

#define WEAR_CYCLES 3000  /* a nominal life, in whole writes of the capacity */
#define WEAR_NOTE 1.0     /* drive writes that are named beforehand */
#define WEAR_CONFIRM 10.0 /* more than these take a person's word */

struct wear {
    double bytes, drive_writes;
    double seconds, rate_bps; /* when only time ends the run: at most at this rate; else 0 */
    double capacity;
};

/* From the options as given ("key=text", NULL-ended, may be NULL) and their defaults. `ceiling_bps`
 * 0: unknown. False when the test writes nothing, nothing tells how much, or it cannot fit
 * anyway. */
bool wear_plan(const struct catalog_test *test, const char *const *given, uint64_t capacity_bytes,
               double ceiling_bps, struct wear *ret_wear);
/* "this writes 2.9 TB, 186 times what the disk holds: 6.2 % of a nominal 3000" */
void wear_explain(const struct wear *wear, struct str *into);

#endif
