/* proof: a stored run is read back the way a replay reads it, and compared with what was recorded.
 */
#ifndef STORE_PROOF_H
#define STORE_PROOF_H

#include <sqlite3.h>
#include <stdint.h>

struct digest;

/* 0: every frame came back; -EUCLEAN: it did not, the database is damaged; other negative errno.
 * Sees what an open transaction of `db` has written. */
int proof_run(sqlite3 *db, int64_t run, const struct digest *expected);

/* The same through a connection of its own, which has nothing in its cache and finds the file as
 * the next program will: also -EUCLEAN when that would set the file aside, or has done so. */
int proof_file(const char *path, int64_t run, const struct digest *expected);

#endif
