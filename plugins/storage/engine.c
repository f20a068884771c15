#include "engine.h"

#include "queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const engine_choices[] = {"auto", "plain", "io_uring", "threads", NULL};

const char *engine_name(enum engine engine)
{
    static const char *const names[] = {
        [ENGINE_PLAIN] = "plain", [ENGINE_IO_URING] = "io_uring", [ENGINE_THREADS] = "threads"};
    return names[engine];
}

/* Whether io_uring works is known only by reading with it: it may be missing from the kernel,
 * switched off by a sysctl, filtered in a container, or too old for plain reads. */
static int try_io_uring(int fd, const char **ret_reason)
{
    const char *forced = getenv("IODYNO_NO_IO_URING");
    if (forced && strcmp(forced, "1") == 0) {
        *ret_reason = "IODYNO_NO_IO_URING=1 is set";
        return -EOPNOTSUPP;
    }
    int error = queue_ring_probe(fd);
    *ret_reason = error == -ENOTSUP ? "it was not built in" : strerror(-error);
    return error;
}

int engine_choose(const char *wish, unsigned depth, int fd, enum engine *ret_engine,
                  char why[ENGINE_WHY_MAX])
{
    bool is_auto = strcmp(wish, "auto") == 0, is_plain = strcmp(wish, "plain") == 0;
    why[0] = '\0';
    if (is_plain && depth > 1) {
        snprintf(why, ENGINE_WHY_MAX,
                 "engine=plain makes one request at a time: depth=%u needs io_uring or threads",
                 depth);
        return -EINVAL;
    }
    if (is_plain || (is_auto && depth <= 1)) {
        *ret_engine = ENGINE_PLAIN;
        return 0;
    }
    if (strcmp(wish, "threads") == 0) {
        *ret_engine = ENGINE_THREADS;
        return 0;
    }
    const char *reason = "";
    if (try_io_uring(fd, &reason) == 0) {
        *ret_engine = ENGINE_IO_URING;
        return 0;
    }
    if (!is_auto) {
        snprintf(why, ENGINE_WHY_MAX,
                 "engine=io_uring cannot be used here: %s; engine=threads keeps the same depth",
                 reason);
        return -EOPNOTSUPP;
    }
    snprintf(why, ENGINE_WHY_MAX, "io_uring cannot be used here: %s", reason);
    *ret_engine = ENGINE_THREADS;
    return 0;
}
