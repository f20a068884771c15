/* record: one run on its way into the database: its row, and its frames in the order they came.
 * Frames wait in memory until record_store; commits are the caller's. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "base/str.h"
#include "store/database.h"
#include "store/digest.h"
#include "store/owner.h"
#include "wire/frame.h"

#define RECORD_QUEUE_MAX                                                                           \
    (8 << 20) /* bytes that may wait for a database that does not take them                        \
               */

struct record {
    int64_t id, settled_id;       /* 0: no row yet */
    int64_t wanted_id;            /* number that the row is to have; 0: the next one */
    struct owner owner, recorder; /* pid 0: a finished run that is imported */
    bool has_start, has_end;
    struct str queue;               /* packets not yet stored, each after its size */
    uint64_t next_seq, settled_seq; /* of the frames' rows */
    struct digest digest;           /* of every frame taken */
    uint64_t wall_ns;
    uint64_t zero_ns, newest_ns; /* second 0; newest time in any frame */
    char *test, *title, *target, *cid, *label, *plugin;
    unsigned state; /* enum run_state */
    char *error;    /* the end's sentence when all did not go well */
};

void record_done(struct record *record);

/* Takes one packet. 0; -EPROTO when it is refused as a whole (bad bytes, no start, a second
 * start, or after the end); -ENOBUFS when too much is waiting. */
int record_take(struct record *record, const void *bytes, size_t size);

/* Within a transaction of the caller: writes the row when there is none, else what is new, and
 * every waiting frame, and reads these back: -EUCLEAN when they do not come back as they are. The
 * queue is kept until record_settled says that the commit succeeded. */
int record_store(struct record *record, sqlite3 *db);
void record_settled(struct record *record, bool is_committed);
/* The next record_store makes the row anew, under the same number: the database was replaced. */
void record_renew(struct record *record);

#endif
