/* peers: the other end that each port was last tested with, from the rows of the history; and what
 * a test that needs one is offered with. Pure. */
#ifndef VIEW_PEERS_H
#define VIEW_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "view/kept.h"
#include "wire/frame.h"

#define PEERS_MAX 64
#define PEER_TEXT_MAX 256

struct peer {
    char target[64];
    char server[PEER_TEXT_MAX], port[8]; /* port "": as the test has it */
    uint64_t wall_ns;
};
struct peers { /* {0}: none */
    struct peer items[PEERS_MAX];
    size_t count;
};

/* Takes one row; only of a run that found its peer. */
void peers_take(struct peers *peers, const struct frame *row);
/* NULL: none is known. */
const struct peer *peers_find(const struct peers *peers, const char *target);
/* With what the screen offers an option of such a test: the last peer, and both directions, because
 * a port that is bad one way only is the commonest fault. NULL: with the option's own default. */
const char *peers_offer(const struct peers *peers, const struct catalog_test *test,
                        const char *target, const char *key);
/* Keeps what is offered, where nothing is kept yet. */
void peers_prepare(const struct peers *peers, const struct catalog_test *test, const char *target,
                   struct kept *kept);
/* The test needs a peer, and none is kept: there is nothing to start with. */
bool peers_is_missing(const struct catalog_test *test, const char *target, const struct kept *kept);

#endif
