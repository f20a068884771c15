/* own: addresses that are this machine's. */
#ifndef NETWORK_OWN_H
#define NETWORK_OWN_H

#include "socket.h"

/* Whether what is sent there comes back to this machine. */
bool own_has(const struct sockaddr_storage *address);
/* The link-local IPv6 address of a port, which the kernel never takes for another port's: two ports
 * of one machine reach each other by them over the cable, with nothing to set up or to restore.
 * -ENOENT: there is no such port; -ENETDOWN: it is down; -EADDRNOTAVAIL: it has none, or not yet.
 */
int own_link_local(const char *port, struct sockaddr_in6 *ret_address);

#endif
