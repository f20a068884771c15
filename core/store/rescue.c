#include "store/rescue.h"

#include <errno.h>

#include "base/cleanup.h"
#include "store/sql.h"
#include "store/stored.h"

static void close_old(sqlite3 **old)
{
    (void)sqlite3_close_v2(*old);
}

struct copy {
    sqlite3_stmt *insert;
    int64_t run;
    int rows;
    unsigned frames; /* in the open row */
    struct packet row;
};

static int end_row(struct copy *copy)
{
    if (copy->frames == 0)
        return 0;
    sql_bind_number(copy->insert, 1, (uint64_t)copy->run);
    sql_bind_number(copy->insert, 2, (uint64_t)copy->rows++);
    sql_bind_blob(copy->insert, 3, copy->row.bytes, copy->row.size);
    copy->row.size = copy->frames = 0;
    return sql_finish(copy->insert);
}

static int add_frame(struct copy *copy, const struct frame *frame)
{
    int r = copy->frames < FRAME_SAMPLES_MAX ? packet_add(&copy->row, frame) : -EMSGSIZE;
    if (r == -EMSGSIZE) {
        r = end_row(copy);
        if (r == 0)
            r = packet_add(&copy->row, frame);
    }
    copy->frames++;
    return r;
}

static int copy_frames(sqlite3 *old, int64_t run, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    AUTO(stored_done) struct stored stored;
    struct frame frame;
    if (stored_open(old, run, &stored) < 0)
        return 0;
    int r = sql_prepare(db, "INSERT INTO frames VALUES(?1, ?2, ?3)", &insert);
    struct copy copy = {.insert = insert, .run = run};
    while (r == 0 && stored_next(&stored, &frame) > 0)
        r = add_frame(&copy, &frame);
    if (r == 0)
        r = end_row(&copy);
    return r < 0 ? r : copy.rows;
}

int rescue_frames(const char *old_path, int64_t run, sqlite3 *db)
{
    AUTO(close_old) sqlite3 *old = NULL;
    if (sqlite3_open_v2(old_path, &old, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return 0;
    /* It stays as it was found. */
    (void)sqlite3_db_config(old, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sql_run(old, "PRAGMA query_only=ON");
    return copy_frames(old, run, db);
}
