/* rescue: what a damaged database still gives of the run that is being recorded goes into the new
 * one. */
#ifndef STORE_RESCUE_H
#define STORE_RESCUE_H

#include <sqlite3.h>
#include <stdint.h>

/* Copies the rows of frames of `run` from the file at `old_path`, in order, up to the first that
 * cannot be read. Within a transaction of `db`. Number of rows, or negative errno. */
int rescue_frames(const char *old_path, int64_t run, sqlite3 *db);

#endif
