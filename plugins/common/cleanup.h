/* cleanup: scope-bound release for plugins, which see none of the core's headers. */
#ifndef COMMON_CLEANUP_H
#define COMMON_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

#define AUTO(done) __attribute__((cleanup(done))) /* done(type *) */
#define AUTO_FREE AUTO(cleanup_free)
#define AUTO_CLOSE AUTO(cleanup_close)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void cleanup_free(void *where)
{
    free(*(void **)where);
}

static inline void cleanup_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

#endif
