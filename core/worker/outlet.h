/* outlet: the worker's end of the line. Samples never wait: what the line cannot take stays in its
 * lane's cell and is added to the lane's next sample, so that sums stay exact; samples of one burst
 * share packets. All other frames wait for room, as long as the owner lives. Thread-safe. */
#ifndef WORKER_OUTLET_H
#define WORKER_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

struct outlet;
struct str;

/* Does not own the line. */
int outlet_new(int line_fd, struct outlet **ret_outlet);
/* The metrics samples are checked against; must outlive it. Before the first sample. */
void outlet_set_metrics(struct outlet *outlet, const struct frame_metric *metrics, size_t count);
struct outlet *outlet_free(struct outlet *outlet);

/* A timerfd that fires when outlet_on_timer should be called; owned by the outlet. */
int outlet_timer_fd(const struct outlet *outlet);
/* Sends what waits. Never blocks, not even on another thread of this process. */
void outlet_on_timer(struct outlet *outlet);

/* Never blocks. 0, or -EINVAL with a sentence in `why`: it was not taken. */
int outlet_sample(struct outlet *outlet, unsigned metric, unsigned lane, uint64_t t0_ns,
                  uint64_t t1_ns, double value, struct str *why);
/* Never blocks; the newest wins. */
void outlet_progress(struct outlet *outlet, uint64_t done, uint64_t total);

/* Sends all waiting samples, then `frame`. Waits for room until the line is dead: -EPIPE. */
int outlet_send(struct outlet *outlet, const struct frame *frame);

#endif
