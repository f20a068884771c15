/* rescue: what a damaged database still gives of the run that is being recorded goes into the new
 * one. */
#ifndef STORE_RESCUE_H
#define STORE_RESCUE_H

#include <sqlite3.h>
#include <stdint.h>

/* Copies the frames of `run`, packed or not, from the file at `old_path` into rows numbered from 0,
 * in order, up to the first that cannot be read. Within a transaction of `db`. Number of rows
 * (never more than there were), or negative errno. */
int rescue_frames(const char *old_path, int64_t run, sqlite3 *db);

#endif
