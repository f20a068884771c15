/* target: what this run may touch, as the plugin sees it: asks the guard for storage, names the
 * port for network. May block as the filesystem does. */
#ifndef WORKER_TARGET_H
#define WORKER_TARGET_H

#include <iodyno/plugin.h>

#include "run/guard.h"
#include "worker/order.h"

struct str;

struct target { /* lives until the process ends; locks are held as long */
    struct dyno_target table;
    struct guard_scope scope;
};

/* What is known before the guard was asked: kind, id, path. */
void target_name(const struct order *order, struct target *ret_target);

/* Asks the guard for `room_bytes` in the order's folder. 0, or negative errno with a sentence. */
int target_admit(const struct order *order, const struct catalog_test *test, uint64_t room_bytes,
                 struct target *target, struct str *why);

#endif
