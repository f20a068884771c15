/* walk: a worker going along a chase, and where it must have come to. */
#ifndef MEMORY_WALK_H
#define MEMORY_WALK_H

#include "chase.h"
#include "crew.h"
#include "wrong.h"

struct walk {
    size_t bytes; /* of the set; the chase takes the largest size that has a cycle */
    unsigned chains;
    bool flips_bit; /* bends one pointer, to prove the check */
    struct wrong *wrong;
    struct chase chase; /* by walk_lay */
};

/* Duties of one worker; others do nothing. Lay: writes the cycle into its area, CHASE_LINE bytes
 * for each pointer; stopped on the way there is no cycle to go along. Go: publishes CHASE_LINE
 * bytes for each load, until stopped, then reports a wrong place. */
crew_duty walk_lay, walk_go;

#endif
