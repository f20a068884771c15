#include "store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/sql.h"

/* frames: of a running run, everything as it came; of a packed one, all that is no sample. `seq`
 * orders the rows of a run. parts: see pack.h; a long run has several, each of PACKING_SAMPLES. */
static const char tables[] =
    "CREATE TABLE IF NOT EXISTS runs("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, test TEXT NOT NULL, title TEXT, target TEXT, cid TEXT,"
    " label TEXT, plugin TEXT, state INTEGER NOT NULL DEFAULT 0, started_wall_ns INTEGER NOT NULL,"
    " duration_ns INTEGER NOT NULL DEFAULT 0, rate REAL, rate_unit TEXT,"
    " partial INTEGER NOT NULL DEFAULT 0, error TEXT, packed INTEGER NOT NULL DEFAULT 0,"
    " owner_pid INTEGER, owner_start INTEGER, recorder_pid INTEGER, recorder_start INTEGER,"
    " owner_boot TEXT);"
    "CREATE INDEX IF NOT EXISTS runs_test ON runs(test, id);"
    "CREATE TABLE IF NOT EXISTS frames("
    " run INTEGER NOT NULL, seq INTEGER NOT NULL, packet BLOB NOT NULL, PRIMARY KEY(run, seq));"
    "CREATE TABLE IF NOT EXISTS parts("
    " run INTEGER NOT NULL, part INTEGER NOT NULL, samples INTEGER NOT NULL,"
    " sequence BLOB NOT NULL, PRIMARY KEY(run, part));"
    "CREATE TABLE IF NOT EXISTS series("
    " run INTEGER NOT NULL, part INTEGER NOT NULL, ordinal INTEGER NOT NULL,"
    " metric INTEGER NOT NULL, lane INTEGER NOT NULL, samples INTEGER NOT NULL,"
    " blob BLOB NOT NULL, PRIMARY KEY(run, part, ordinal));"
    "CREATE TABLE IF NOT EXISTS notes(key TEXT PRIMARY KEY, value TEXT NOT NULL);";

static const char *const newest_ends[] = {
    "SELECT id FROM runs ORDER BY id DESC LIMIT 1",
    "SELECT length(test || coalesce(error, '')) FROM runs ORDER BY id DESC LIMIT 1",
    "SELECT max(test) FROM runs",
    "SELECT max(run) FROM frames",
    "SELECT length(packet) FROM frames ORDER BY rowid DESC LIMIT 1",
    "SELECT max(run) FROM parts",
    "SELECT length(sequence) FROM parts ORDER BY rowid DESC LIMIT 1",
    "SELECT max(run) FROM series",
    "SELECT length(blob) FROM series ORDER BY rowid DESC LIMIT 1",
    "SELECT count(*) FROM notes",
};

static int touch_newest(sqlite3 *db)
{
    for (size_t i = 0; i < ARRAY_SIZE(newest_ends); i++) {
        int64_t unused = 0;
        int r = sql_number(db, newest_ends[i], &unused);
        if (r < 0 && r != -ENOENT)
            return r;
    }
    return 0;
}

#define QUICK_CHECK_OF_TABLE 3033000 /* SQLite 3.33; an older one would read the whole file */

/* The list of runs is small and everything hangs on it: it is read as a whole. */
static int check_runs(sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *check = NULL;
    int64_t unused = 0;
    if (sqlite3_libversion_number() < QUICK_CHECK_OF_TABLE)
        return sql_number(db, "SELECT count(test) FROM runs", &unused);
    int r = sql_prepare(db, "PRAGMA quick_check('runs')", &check);
    if (r == 0)
        r = sql_step(check);
    if (r < 0)
        return r;
    return r > 0 && strcmp(sql_text(check, 0), "ok") == 0 ? 0 : -EUCLEAN;
}

int schema_check(sqlite3 *db, struct schema_state *ret_state)
{
    int64_t version = 0, application = 0, count = 0;
    int r = sql_number(db, "PRAGMA user_version", &version);
    if (r == 0)
        r = sql_number(db, "PRAGMA application_id", &application);
    if (r == 0)
        r = sql_number(db, "SELECT count(*) FROM sqlite_master", &count);
    if (r < 0)
        return r;
    int is_foreign = application != SCHEMA_APPLICATION && (version != 0 || count > 0);
    if (!is_foreign && version == SCHEMA_VERSION)
        r = check_runs(db);
    if (r == 0 && !is_foreign && version == SCHEMA_VERSION)
        r = touch_newest(db);
    if (r < 0)
        return r;
    *ret_state = (struct schema_state){.version = version, .is_foreign = is_foreign};
    return 0;
}

int schema_create(sqlite3 *db)
{
    char stamp[96];
    (void)snprintf(stamp, sizeof(stamp), "PRAGMA application_id=%d; PRAGMA user_version=%d;",
                   SCHEMA_APPLICATION, SCHEMA_VERSION);
    int r = sql_run(db, "BEGIN IMMEDIATE");
    if (r < 0)
        return r;
    r = sql_run(db, tables);
    if (r == 0)
        r = sql_run(db, stamp);
    if (r == 0)
        r = sql_run(db, "COMMIT");
    if (r < 0)
        (void)sql_run(db, "ROLLBACK");
    return r;
}
