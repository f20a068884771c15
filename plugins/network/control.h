/* control: the control connection: exact reads and writes with a deadline and a cancel, states,
 * framed JSON. The socket is non-blocking; the struct owns nothing. Deadlines are CLOCK_MONOTONIC.
 *
 * Errors: -ETIMEDOUT the deadline passed, -ECANCELED the run was cancelled, -ECONNABORTED the peer
 * closed, -EMSGSIZE a length above the cap or 0, -EPROTO a byte that is no state; else what the
 * socket said. Bounded: nothing is allocated before a length has been checked. */
#ifndef NETWORK_CONTROL_H
#define NETWORK_CONTROL_H

#include "state.h"

#include <stdint.h>

#define CONTROL_PARAMS_MAX 8192u    /* bytes of parameter JSON */
#define CONTROL_RESULTS_MAX 262144u /* bytes of result JSON */
#define CONTROL_NS_PER_S ((uint64_t)1000000000)

struct control {
    int fd;
    int cancel_fd; /* readable once cancelled; -1: none */
};

uint64_t control_now_ns(void);
/* Waits for POLLIN or POLLOUT of the socket. */
int control_wait(const struct control *control, short events, uint64_t deadline_ns);
int control_read(const struct control *control, void *into, size_t size, uint64_t deadline_ns);
int control_write(const struct control *control, const void *bytes, size_t size,
                  uint64_t deadline_ns);
int control_read_state(const struct control *control, uint64_t deadline_ns, int *ret_state);
int control_write_state(const struct control *control, int state, uint64_t deadline_ns);
/* The two numbers behind SERVER_ERROR; 3.12 may send only one: the second is 0 then. */
int control_read_error(const struct control *control, uint64_t deadline_ns, int *ret_number,
                       int *ret_errno);
int control_write_error(const struct control *control, int number, int code, uint64_t deadline_ns);
/* A text of 1..cap bytes, ended with a NUL, to be freed; NULs inside are the parser's to refuse. */
int control_read_text(const struct control *control, size_t cap, uint64_t deadline_ns,
                      char **ret_text, size_t *ret_size);
int control_write_text(const struct control *control, const char *text, uint64_t deadline_ns);
/* The length of a frame's text in its 4 bytes. -EMSGSIZE outside 1..cap. Pure. */
int control_length(const unsigned char bytes[4], size_t cap, size_t *ret_size);

#endif
