/* packing: replaces the frames of a finished run by blobs of samples (see pack.h) and the frames
 * that are none, and writes into its row what the model made of it. */
#ifndef STORE_PACKING_H
#define STORE_PACKING_H

#include <stdint.h>

#include "store/database.h"

#define PACKING_SAMPLES (1 << 18) /* a part: bounds the memory of packing and replay to ~3 MB */

/* Within a transaction of the caller, which rolls back on an error. 0; -EPROTO when the stored
 * frames are damaged; other negative errno. */
int packing_run(sqlite3 *db, int64_t run);

#define PACKING_LEFT_MAX 4 /* runs in one go */
/* Packs runs whose recorder did not come to it: killed, or the power failed. */
int packing_left(struct database *database);

#endif
