/* watch: says when the inventory is to be read anew: a device came, went or changed, or something
 * was mounted. At once for the first sign, then at most every 200 ms. Never blocks. */
#ifndef DEVICE_WATCH_H
#define DEVICE_WATCH_H

#include <stdbool.h>

#include "loop/loop.h"

#define WATCH_GAP_NS (200ull * 1000000)

struct watch;
typedef void (*watch_fn)(void *user); /* called from a turn of the loop */

/* 0, or negative errno when neither devices nor mounts can be watched; one of them suffices. */
int watch_start(struct loop *loop, watch_fn fn, void *user, struct watch **ret_watch);
struct watch *watch_stop(struct watch *watch); /* accepts NULL, returns NULL */

#endif
