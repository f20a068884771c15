/* readout: one series in numbers: now, mean, min, p95, max, stalls, in the unit of the axis. */
#ifndef VIEW_READOUT_H
#define VIEW_READOUT_H

#include "run/model.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

/* `metric` and `companion` are indices, -1 for none: mean, min and max begin where the companion
 * began. The label is in `role`. */
void readout_draw(struct rect row, const struct model *model, int metric, int companion,
                  enum theme_role role);

#endif
