/* cleanup: scope-bound release of what a function owns. Ownership is handed on with take(). */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *where)
{
    free(*(void **)where);
}

static inline void cleanup_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static inline void cleanup_fclose(FILE **file)
{
    if (*file)
        (void)fclose(*file);
}

#define AUTO_FREE __attribute__((cleanup(cleanup_free)))
#define AUTO_CLOSE __attribute__((cleanup(cleanup_close)))
#define AUTO_FCLOSE __attribute__((cleanup(cleanup_fclose)))
#define AUTO(done) __attribute__((cleanup(done))) /* done(type *) */

static inline void *take_pointer(void *where)
{
    void *value = *(void **)where;
    *(void **)where = NULL;
    return value;
}

static inline int take_fd(int *where)
{
    int value = *where;
    *where = -1;
    return value;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
