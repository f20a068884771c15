/* session: one test with one server, from the first connection to the good-bye: the control
 * connection, the streams, what both ends counted. Owned by who makes it; see client.h for its
 * steps.
 */
#ifndef NETWORK_SESSION_H
#define NETWORK_SESSION_H

#include "control.h"
#include "driver.h"
#include "plan.h"
#include "port.h"
#include "results.h"
#include "socket.h"
#include "stream.h"

#define SESSION_CONNECT_NS (10 * CONTROL_NS_PER_S)
#define SESSION_ANSWER_NS (3 * CONTROL_NS_PER_S) /* the first word of a server */
#define SESSION_STATE_NS (5 * CONTROL_NS_PER_S)  /* each later one */
#define SESSION_QUEUE_NS (10 * CONTROL_NS_PER_S) /* more, while our own data is still under way */
#define SESSION_STILL_NS (15 * CONTROL_NS_PER_S) /* nothing moves */

struct session_mark { /* of a stream, where the counted part begins */
    struct tally_view tally;
    uint64_t retransmits, segments;
    uint64_t all_retransmits; /* of the whole stream, once it is over */
    uint64_t segments_out;    /* data segments of the counted part, once it is over */
};

struct session {
    const struct plan *plan; /* of a client; NULL at a server */
    bool is_server;
    struct params params; /* with the direction of this test */
    struct socket_place place;
    struct socket_bind bind;
    bool is_own; /* the server is this machine: nothing is bound */
    struct control control;
    char cookie[COOKIE_SIZE];
    struct race race;
    bool has_race;
    unsigned count;
    struct stream *streams; /* `count`, aligned */
    struct session_mark marks[RESULTS_STREAMS_MAX];
    uint64_t start_ns, end_ns;           /* of the counted part; end 0: it has not ended */
    uint64_t cpu_user_ns, cpu_system_ns; /* of this process during it */
    struct port port;                    /* what it counted during the counted part */
    struct driver before, after;         /* the same by its driver's names */
    struct results own, peer;
    bool has_peer; /* the peer's results are there */
    char congestion[16];
};

/* dial: connects and waits for the server's first word, or for a busy one to become free. 0, or
 * negative errno, explained. */
int session_dial(struct session *session);
/* open: parameters, streams, until the server says that the test runs. */
int session_open(struct session *session);
/* Room for the streams of the parameters, and their race; `bytes` limits them, 0: not. */
int session_make_room(struct session *session, uint64_t bytes);
/* The counted part begins now. */
void session_mark(struct session *session);
/* It ends: senders stop, what is under way may arrive for a moment, then nothing is counted.
 * `last_word` is said to the other end in between; 0: none. 0, or why that could not be said. */
int session_halt(struct session *session, int last_word);
/* What this end has counted, into `own`. Streams must be open. */
void session_sum_up(struct session *session);
/* The end of a test that ran: results of both sides, after session_sum_up. */
int session_settle(struct session *session);
/* Joins the streams and closes their sockets; what they counted stands. */
void session_let_streams_go(struct session *session);
/* Says a state even after the cancel, which may be why; whether it arrives is the peer's affair. */
void session_say(const struct session *session, int state);
void session_close(struct session *session);

/* Whether the stream with this index sends. */
bool session_is_sender(const struct session *session, unsigned index);
/* All bytes that all streams moved so far. */
uint64_t session_moved_bytes(const struct session *session);
/* What stream `index` moved in the counted part. */
struct tally_view session_moved(const struct session *session, unsigned index);
/* Explains why the server's word did not come, while `what` was waited for. */
int session_blame(const struct session *session, int error, const char *what);
/* The same for a state that was not due: reads what belongs to it. */
int session_refuse(struct session *session, int state, const char *what);

#endif
