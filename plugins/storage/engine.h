/* engine: what keeps requests in flight: one plain call after the other, io_uring, or threads. */
#ifndef STORAGE_ENGINE_H
#define STORAGE_ENGINE_H

#include <stddef.h>

enum engine { ENGINE_PLAIN, ENGINE_IO_URING, ENGINE_THREADS };

extern const char *const engine_choices[]; /* "auto", "plain", "io_uring", "threads", NULL */
const char *engine_name(enum engine engine);

#define ENGINE_WHY_MAX 256

/* The engine for a wish of engine_choices. "auto": plain at depth 1, else io_uring where a real
 * read of the file succeeds with it, else threads; `why` then tells what was wrong with io_uring,
 * else it is "". -EINVAL, -EOPNOTSUPP with a sentence in `why` when the wish cannot be met. */
int engine_choose(const char *wish, unsigned depth, int fd, enum engine *ret_engine,
                  char why[ENGINE_WHY_MAX]);

#endif
