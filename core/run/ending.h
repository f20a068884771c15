/* ending: what the exit of a worker that sent no END means for its run. Pure. */
#ifndef RUN_ENDING_H
#define RUN_ENDING_H

#include <stdbool.h>

#include "wire/frame.h"

struct str;

/* `wait_status` as waitpid gives it; `was_asked`: the run had been cancelled; `was_forced`: the
 * stop ladder had sent signals. Fills state, code and signal, and one sentence. */
void ending_of_exit(int wait_status, bool was_asked, bool was_forced, struct frame_end *ret_end,
                    struct str *sentence);

#endif
