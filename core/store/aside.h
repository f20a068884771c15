/* aside: a damaged database moves out of the way, with its -wal and -shm, and is never deleted. */
#ifndef STORE_ASIDE_H
#define STORE_ASIDE_H

#include <sys/stat.h>

struct str;

/* Renames `path` to path.damaged-YYYYMMDD-HHMMSS when it is still the file `which` describes (two
 * programs may find the same damage: the second moves nothing). 1: moved, `new_name` has its path;
 * 0: another program did; negative errno. Waits up to 2 s for that other program. */
int aside_move(const char *path, const struct stat *which, struct str *new_name);

#endif
