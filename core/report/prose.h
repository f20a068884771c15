/* prose: a run told to a person, as plain lines or as a Markdown report. Pure. */
#ifndef REPORT_PROSE_H
#define REPORT_PROSE_H

#include "run/model.h"

struct str;

void prose_plain(const struct model *model, struct str *into);
void prose_markdown(const struct model *model, struct str *into);

#endif
