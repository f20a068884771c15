/* order: what the owner wants of this worker: the one packet that comes in. Reads it, parses its
 * options by the test's schema and makes the START frame from it. */
#ifndef WORKER_ORDER_H
#define WORKER_ORDER_H

#include "catalog/catalog.h"
#include "wire/frame.h"

struct str;

#define ORDER_WAIT_MS 2000
#define ORDER_TICK_MIN_NS 10000000ull   /* 10 ms */
#define ORDER_TICK_MAX_NS 1000000000ull /* contract: 100 … 1000 ms; shorter ones for tests */

struct order {
    struct packet packet;
    struct frame frame;                                  /* points into `packet` */
    const char *plugin, *test, *target_id, *target_path; /* "" when absent */
    unsigned target_kind;                                /* enum dyno_target_kind */
    bool is_elsewhere; /* the target is not the device that the order tells of */
};

/* Waits at most ORDER_WAIT_MS. 0, or negative errno with a sentence in `why`. */
int order_receive(int line_fd, struct order *ret_order, struct str *why);

/* One value for each option of `test`, in its order; the caller frees with order_options_free. 0,
 * or -EINVAL, -ERANGE with a sentence. */
int order_options(const struct order *order, const struct catalog_test *test,
                  struct option_value **ret_values, struct str *why);
struct option_value *order_options_free(const struct catalog_test *test,
                                        struct option_value *values);

/* Pairs of START: the order's, options now complete, and the title. `test` and `values` may be
 * NULL when the run is refused before they are known: the order's own options stand then. */
void order_start_pairs(const struct order *order, const struct catalog_test *test,
                       const struct option_value *values, struct str *into);

/* What the order tells of a device is true of this device number alone ("179:1"): a link may have
 * led to another one. Where it says no number nothing is known. */
bool order_is_of(const struct order *order, unsigned major, unsigned minor);

#endif
