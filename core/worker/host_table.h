/* host_table: the functions a plugin may call, and the state of the one run behind them. */
#ifndef WORKER_HOST_TABLE_H
#define WORKER_HOST_TABLE_H

#include <iodyno/plugin.h>
#include <pthread.h>
#include <stdatomic.h>

#include "catalog/catalog.h"
#include "worker/outlet.h"

struct dyno_run {
    const struct dyno_target *target;
    const struct catalog_test *test;
    const struct option_value *options; /* as many as the test has, in its order */
    uint64_t tick_ns;
    size_t metric_count; /* the plugin's own */
    struct outlet *outlet;
    atomic_bool is_started;   /* START was sent: frames may follow */
    atomic_bool is_under_way; /* a phase, sample or result was told */
    atomic_bool is_cancelled;
    int cancel_fd;        /* eventfd */
    pthread_mutex_t lock; /* of the two texts */
    char *sentence;       /* what the plugin explained; NULL: nothing */
    char *fault;          /* how it broke the contract; NULL: it did not */
};

extern const struct dyno_host host_table;

/* From the watchdog, or when the plugin broke the contract. Any thread; never blocks. */
void host_table_cancel(struct dyno_run *run);

#endif
