/* aim: where a run will go: finds the device or folder that was named, or the reason why it cannot
 * be used. Touches no file system: names, the inventory and the mount table only. */
#ifndef RUN_AIM_H
#define RUN_AIM_H

#include "base/str.h"
#include "run/order.h"

struct aim { /* texts are the wish's or the inventory's, or lie in `path` */
    const char *kind;
    const char *id;
    const struct device *device; /* NULL for a folder on none that is known */
    struct str path;
    bool is_raw;     /* the block device itself, to be read only */
    bool is_private; /* its file system, which the worker mounts with a person's word */
};

void aim_done(struct aim *aim);

/* The options of the wish have been parsed before. ORDER_OK, or one sentence in `why`. */
enum order_refusal aim_take(const struct order_context *context, const struct catalog_test *test,
                            const struct order_wish *wish, struct aim *aim, struct str *why);

/* Why `test` cannot run on `device`: NULL when it can, else a sentence (static, owned by the device
 * or by `why`). */
const char *aim_unfit(const struct inventory *inventory, const struct catalog_test *test,
                      const struct device *device, struct str *why);

#endif
