/* caption: the line of figures under the panels of a run: what is measured now, the point the
 * cursor stands on, or what the whole test came to. Made from the model alone. */
#ifndef VIEW_CAPTION_H
#define VIEW_CAPTION_H

#include "terminal/rect.h"
#include "view/panel.h"

/* One row; `own` are all panels of the run, `cursor` < 0: none. */
void caption_draw(struct rect row, const struct model *model, const struct panel *const own[],
                  size_t count, int cursor, struct panel_data *data);

#endif
