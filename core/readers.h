/* readers: sees cards that come and go in card readers which nobody else watches (no udev). Opening
 * a disk makes the kernel look, and may block: a worker does it, one for each reader, as long as
 * the reader is there. Asynchronous on the loop; never touches a disk. */
#ifndef CORE_READERS_H
#define CORE_READERS_H

#include "device/inventory.h"
#include "loop/loop.h"

#define READERS_MAX 16
#define READERS_ONCE_NS (2ull * 1000000000)    /* a single look later than this is given up */
#define READERS_SILENT_NS (60ull * 1000000000) /* so is a watch; its reader is stuck */

struct readers;
typedef void (*readers_fn)(void *user); /* a medium came or went: time to look at sysfs anew */

/* `inventory` outlives it; what it holds may be exchanged, then readers_refresh follows. `is_once`:
 * each reader is looked at once. */
struct readers *readers_new(struct loop *loop, const struct inventory *inventory, bool is_once,
                            readers_fn fn, void *user);
struct readers *readers_free(struct readers *readers); /* accepts NULL, returns NULL */

/* Starts a worker for each reader that has none, ends those whose reader went. One that gave up is
 * not started again. */
void readers_refresh(struct readers *readers);
bool readers_are_pending(const struct readers *readers); /* some worker runs */

#endif
