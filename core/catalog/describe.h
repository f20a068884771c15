/* describe: asks iodyno-worker --describe about every plugin file, each in its own process with a 2
 * s limit, and fills the catalog. Asynchronous on the loop; remembers answers by path, inode, mtime
 * and size. */
#ifndef CATALOG_DESCRIBE_H
#define CATALOG_DESCRIBE_H

#include "catalog/catalog.h"
#include "loop/loop.h"

struct describe;
typedef void (*describe_fn)(void *user); /* all plugins answered, were refused or ran out of time */

/* Looks through the plugin folders and starts the workers. `done` is called once, from the loop. */
int describe_start(struct loop *loop, struct catalog *catalog, describe_fn done, void *user,
                   struct describe **ret_describe);
struct describe *describe_free(struct describe *describe); /* kills what still runs; returns NULL */

#endif
