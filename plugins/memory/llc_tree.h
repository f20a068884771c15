/* llc_tree: caches as the device tree describes them: each CPU's own, and the chain of
 * next-level-cache from there. */
#ifndef MEMORY_LLC_TREE_H
#define MEMORY_LLC_TREE_H

#include "llc_tally.h"

void llc_tree_take(const char *root, struct llc_tally *tally);

#endif
