/* likeness: what two runs of one test must have in common to be held against each other. Pure. */
#ifndef RUN_LIKENESS_H
#define RUN_LIKENESS_H

#include "run/model.h"

struct str;

/* Adds "method=dd-direct bs=1M data=zero": all options but those that only say how long or how
 * much, and where the file stays. */
void likeness_add(const struct model *model, struct str *into);

#endif
