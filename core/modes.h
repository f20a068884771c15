/* modes: keeps the negotiated modes of MMC hosts on the devices of an inventory: asks the probe,
 * one question a host, again when its card changed. Asynchronous on the loop; never touches a host.
 */
#ifndef CORE_MODES_H
#define CORE_MODES_H

#include "device/inventory.h"
#include "loop/loop.h"

#define MODES_LIMIT_NS (2ull * 1000000000) /* a probe later than this is "unknown" */
#define MODES_HOSTS_MAX 16

struct modes;
typedef void (*modes_fn)(void *user); /* a device's mode or error became known */

/* `inventory` outlives it; what it holds may be exchanged, then modes_refresh follows. */
struct modes *modes_new(struct loop *loop, struct inventory *inventory, modes_fn fn, void *user);
struct modes *modes_free(struct modes *modes); /* accepts NULL, returns NULL */

/* Places what is known on the devices and asks for what is not. */
void modes_refresh(struct modes *modes);
bool modes_are_pending(const struct modes *modes); /* a question waits for its answer */

#endif
