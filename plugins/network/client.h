/* client: a run of network.tcp or network.udp: one test with a server, or two of them in turns. */
#ifndef NETWORK_CLIENT_H
#define NETWORK_CLIENT_H

#include "plan.h"
#include "tell.h"

/* One test in one direction (or both at once): phases, samples, facts and results. 0, -ECANCELED
 * after a mean so far, -ENODEV when the peer vanished in mid-run; explained. */
int client_test(const struct plan *plan, bool is_reverse, bool is_bidirectional, bool is_turn,
                struct tell_sums *sums);
/* Steps of a rate each, to find the highest one that arrives. The same errors. */
int client_sweep(struct plan *plan);
/* All tests of a plan, then the headline. */
int client_run_plan(struct plan *plan);
/* The whole run as its options say. */
int client_run(const struct dyno_host *host, struct dyno_run *run, bool is_udp);

#endif
