/* summary: the one figure by which a run stands in a list, taken from its model. */
#ifndef STORE_SUMMARY_H
#define STORE_SUMMARY_H

#include <sqlite3.h>
#include <stdint.h>

#include "run/model.h"

/* Writes rate, its unit and "partial" into the row of a run. */
int summary_store(sqlite3 *db, int64_t run, const struct model *model);

#endif
