/* outcome: what the end of a run makes of its results: which stand, whether they are partial,
 * whether the checks hold. Pure. */
#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

struct model;

/* Called once, when the model has taken the end frame. */
void outcome_settle(struct model *model);

#endif
