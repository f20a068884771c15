/* stored: a run read back from the database, running or finished, packed or not: the same frames in
 * the same order as they were recorded. Holds no transaction between calls, so a slow reader
 * hinders no writer. The bytes may be damaged: each is checked. */
#ifndef STORE_STORED_H
#define STORE_STORED_H

#include <stdbool.h>
#include <stdint.h>

#include "store/owner.h"
#include "store/pack.h"
#include "store/sql.h"

struct stored {
    sqlite3 *db;
    int64_t run;
    bool is_packed, has_part;
    unsigned state; /* of the row, enum run_state */
    struct owner owner, recorder;
    char boot[OWNER_BOOT_MAX];
    struct pack part;
    int64_t part_number; /* of the next part */
    struct packet row;
    size_t at;   /* in the row */
    int64_t seq; /* of the row */
    uint64_t given;
    uint64_t newest_ns; /* newest time in a frame given so far */
    bool has_end;
};

/* -ENOENT: no such run. */
int stored_open(sqlite3 *db, int64_t run, struct stored *ret_stored);
void stored_done(struct stored *stored);

/* 1: *ret_frame, valid until the next call; 0: nothing more is there now; -EPROTO or -EUCLEAN: the
 * record is damaged; other negative errno. */
int stored_next(struct stored *stored, struct frame *ret_frame);

/* May more come? Ask before stored_next said 0. */
bool stored_is_growing(const struct stored *stored);

/* The end frame of a run that has none and will not get one; pairs in static memory. */
void stored_interruption(const struct stored *stored, struct frame *ret_frame);

#endif
