/* gauge: the caches measured, where nothing tells of them: up to which sizes a scattered load takes
 * as long as before. Takes half a second and 64 MiB at most. */
#ifndef MEMORY_GAUGE_H
#define MEMORY_GAUGE_H

#include "cpus.h"
#include "llc.h"
#include "room.h"

#include <iodyno/plugin.h>

/* By one thread on the biggest core. 0, -ENODATA when no edge shows or there is no room to look for
 * one, -ECANCELED; `into` is untouched then. */
int gauge_caches(const struct dyno_host *host, struct dyno_run *run, const struct cpus *cpus,
                 const struct room *room, struct llc *into);

#endif
