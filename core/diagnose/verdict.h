/* verdict: why a run gave what it gave, from its model alone, by a table of rules. Pure. */
#ifndef DIAGNOSE_VERDICT_H
#define DIAGNOSE_VERDICT_H

#include "run/model.h"

#define VERDICT_TEXT_MAX 448
#define VERDICT_WARNINGS_MAX 16

struct verdict_item {
    const char *code; /* of contract.md */
    char text[VERDICT_TEXT_MAX];
};
struct verdict {
    struct verdict_item main; /* code "unknown" when no rule spoke */
    bool is_warning;          /* the main one says that the number is not what it seems */
    struct verdict_item warnings[VERDICT_WARNINGS_MAX];
    unsigned warning_count;
    double ceiling_bps; /* 0 unknown */
    char ceiling_source[64];
    double fraction; /* of the ceiling; 0 unknown */
};

/* Of a running run: from what it has shown so far. Of one that failed, was cancelled or removed:
 * code "unknown" and the reason. */
void verdict_of(const struct model *model, struct verdict *ret_verdict);

#endif
