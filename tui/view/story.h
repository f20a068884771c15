/* story: the texts about one run that several screens show: its title, its state in a word, its
 * progress, its sentence. Made from the model alone. Pure. */
#ifndef VIEW_STORY_H
#define VIEW_STORY_H

#include "base/str.h"
#include "base/units.h"
#include "run/runner.h"
#include "terminal/theme.h"

/* "Write, dd-fsync" */
void story_title(const struct model *model, struct str *into);
/* "mmcblk1p1 · SN32G · SDR104 4 bit" */
void story_target(const struct model *model, struct str *into);
/* "RUNNING", "DONE"; with the role that fits. */
const char *story_word(const struct model *model, enum runner_stop stop, enum theme_role *ret_role);

/* Whole seconds as text, so that a running clock does not flicker: "4 s", "1 min 50 s". */
struct units_text story_seconds(double seconds);
double story_elapsed(const struct model *model); /* seconds, of a finished run its length */
/* Seconds the run was asked to take, 0 when it was not or is endless. */
double story_planned(const struct model *model);
/* 0..1, negative when unknown. */
double story_fraction(const struct model *model);
/* Seconds left at the pace so far, negative when unknown. */
double story_left(const struct model *model);
/* "215 of 524 MB": bytes, time or plain counts, whatever the run's progress is in; "" when there is
 * none. */
void story_done(const struct model *model, struct str *into);

/* What the stop ladder is doing; NULL while nobody asked. */
const char *story_stopping(const struct model *model, enum runner_stop stop);

/* Shall a run go on when its terminal goes away (on_hangup=auto)? Endless ones and those planned or
 * expected to take more than ten minutes do. */
#define STORY_LONG_S 600.0
bool story_goes_on(const struct model *model);

/* The two series to draw: what the device did (filled) and what the application did (a line).
 * Indices of metrics, -1 when absent. */
void story_series(const struct model *model, int *ret_filled, int *ret_line);

#endif
