/* pieces: the parts of the JSON of a run that one object and the lines of a file have in common.
 * Pure. */
#ifndef REPORT_PIECES_H
#define REPORT_PIECES_H

#include "report/emit.h"
#include "run/intervals.h"
#include "run/model.h"

#define PIECES_SCHEMA "iodyno.run/1"

/* Names of the enums of plugin.h in files: "delta", "higher". */
const char *pieces_kind(unsigned kind);
const char *pieces_better(unsigned better);
int pieces_kind_from(const char *name, uint16_t *ret_kind);
int pieces_better_from(const char *name, uint16_t *ret_better);
const char *pieces_level(unsigned level);
int pieces_level_from(const char *name, uint32_t *ret_level);

/* Members "machine", "target", "options", "started", "interval_s". */
void pieces_origin(struct emit *emit, const struct model *model);
void pieces_metrics(struct emit *emit, const struct model *model);
/* Members of an object that the caller opens and closes. */
void pieces_interval(struct emit *emit, const struct model *model, const struct interval *interval);
void pieces_result(struct emit *emit, const struct model *model, const struct model_result *result);
void pieces_verdict(struct emit *emit, const struct model *model);
void pieces_checks(struct emit *emit, const struct model *model);

#endif
