/* ports: keeps what is known of network ports on the devices of an inventory: asks the probe, which
 * may wait for the kernel's lock, and listens to what the kernel tells by itself. Asynchronous on
 * the loop. */
#ifndef CORE_PORTS_H
#define CORE_PORTS_H

#include "device/inventory.h"
#include "loop/loop.h"

#define PORTS_LIMIT_NS (2ull * 1000000000) /* a probe later than this is "unknown" */
#define PORTS_GAP_NS (200ull * 1000000)    /* between two looks at most this often */

enum ports_news {
    PORTS_FACTS, /* something became known of the ports there are */
    PORTS_STALE  /* a port came, went or changed its name: read the inventory anew */
};
struct ports;
typedef void (*ports_fn)(void *user, enum ports_news news);

/* `inventory` outlives it; what it holds may be exchanged, then ports_refresh follows. */
struct ports *ports_new(struct loop *loop, struct inventory *inventory, ports_fn fn, void *user);
struct ports *ports_free(struct ports *ports); /* accepts NULL, returns NULL */

/* Places what is known on the devices; asks when there are ports nobody asked about yet. */
void ports_refresh(struct ports *ports);
bool ports_are_pending(const struct ports *ports); /* a question waits for its answer */
/* From now on listens to the kernel. 0 or negative errno. */
int ports_follow(struct ports *ports);

#endif
