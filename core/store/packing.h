/* packing: replaces the frames of a finished run by blobs of samples (see pack.h) and the frames
 * that are none. */
#ifndef STORE_PACKING_H
#define STORE_PACKING_H

#include <sqlite3.h>
#include <stdint.h>

#define PACKING_SAMPLES (1 << 18) /* a part: bounds the memory of packing and replay to ~3 MB */

/* Within a transaction of the caller, which rolls back on an error. 0; -EPROTO when the stored
 * frames are damaged; other negative errno. */
int packing_run(sqlite3 *db, int64_t run);

#endif
