/* channel: a SEQPACKET pair that carries packets. Descriptors are close-on-exec and owned by the
 * caller. */
#ifndef WIRE_CHANNEL_H
#define WIRE_CHANNEL_H

#include <stddef.h>

#include "wire/frame.h"

#define CHANNEL_TURN_MAX 64 /* packets taken from one line in one turn of the loop */
#define CHANNEL_FD 3        /* where an exec'd program finds its line */

int channel_pair(int ret_fds[2]);

/* Sends without waiting: 0, -EAGAIN when the line is full, -EPIPE when the other end is gone
 * (ECONNRESET too), other negative errno. An empty packet is -EINVAL. Never raises SIGPIPE. */
int channel_send(int fd, const struct packet *packet);
/* The same, waiting at most `timeout_ms` for room: -ETIMEDOUT after. */
int channel_send_wait(int fd, const struct packet *packet, int timeout_ms);

/* Takes one packet without waiting: 1 got one, 0 end-of-file (reset counts as such), -EAGAIN
 * nothing there, -EPROTO a packet that was cut or is no multiple of 8. */
int channel_receive(int fd, struct packet *ret_packet);

/* Closes for writing: the cancel. */
int channel_half_close(int fd);

#endif
