/* cell: one kernel measured by one crew: prepared, tried in each instruction set, watched, proven.
 */
#ifndef MEMORY_CELL_H
#define MEMORY_CELL_H

#include "isa.h"
#include "setting.h"
#include "spread.h"
#include "sweep.h"
#include "watch.h"

#define CELL_TRIAL_NS 50000000ull
#define CELL_TRIAL_BYTES (512u << 20) /* of one worker: the instructions of more are no others */
/* From this set on, of all workers, the preparation and the check have phases of their own, in
 * which what they move is told as memory that is taken: nobody shall wonder whether it still works.
 */
#define CELL_LARGE (UINT64_C(2) << 30)

struct cell {
    struct setting *setting;
    struct watch *watch;
    struct crew *crew;
    struct wrong *wrong;
    enum kernel kernel;
    size_t bytes; /* of one worker */
    unsigned metric, lane;
    const char *name;         /* of its phase */
    struct isa_choice choice; /* fn NULL: tried; the winner is put here */
    bool flips_bit;
};

struct cell_result {
    struct spread_figures figures;
    uint64_t bytes, ns, switches;
};

/* Tries the candidates where there are several, 50 ms each, without samples. */
int cell_try(struct cell *cell);
/* Says its phase and measures for `for_ns`. -EIO when the memory was wrong (explained, told as
 * events), -ECANCELED. */
int cell_measure(struct cell *cell, uint64_t for_ns, struct cell_result *ret_result);

#endif
