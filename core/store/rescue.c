#include "store/rescue.h"

#include "base/cleanup.h"
#include "store/sql.h"

static void close_old(sqlite3 **old)
{
    (void)sqlite3_close_v2(*old);
}

static int copy_rows(sqlite3 *old, int64_t run, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *rows = NULL;
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    int count = 0;
    if (sql_prepare(old, "SELECT seq, packet FROM frames WHERE run = ?1 ORDER BY seq", &rows) < 0)
        return 0;
    int r = sql_prepare(db, "INSERT INTO frames VALUES(?1, ?2, ?3)", &insert);
    if (r < 0)
        return r;
    sql_bind_number(rows, 1, (uint64_t)run);
    while (sql_step(rows) > 0) {
        sql_bind_number(insert, 1, (uint64_t)run);
        sql_bind_number(insert, 2, (uint64_t)sqlite3_column_int64(rows, 0));
        sql_bind_blob(insert, 3, sqlite3_column_blob(rows, 1),
                      (size_t)sqlite3_column_bytes(rows, 1));
        r = sql_finish(insert);
        if (r < 0)
            return r;
        count++;
    }
    return count;
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
    return copy_rows(old, run, db);
}
