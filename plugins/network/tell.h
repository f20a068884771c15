/* tell: facts and results of a client's run. */
#ifndef NETWORK_TELL_H
#define NETWORK_TELL_H

#include "session.h"

struct tell_sums { /* over the tests of a run; zero-initialised */
    double rate_out, rate_in;
    bool has_out, has_in;
    double retransmits, own_retransmits, segments, lost, packets, in_flight;
    double cpu_share; /* of the busiest thread */
    bool has_retransmits, has_segments, has_lost;
};

/* Once both ends are connected. */
void tell_start(const struct session *session);
/* After the test, whole or cut short. Results of single streams stand there unless the run has
 * another test (`is_turn`). */
void tell_session(const struct session *session, bool is_turn, struct tell_sums *sums);
/* What its port counted; part of tell_session. */
void tell_port(const struct session *session, struct tell_sums *sums);
/* The headline of the run. */
void tell_end(const struct plan *plan, const struct tell_sums *sums);

#endif
