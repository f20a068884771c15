/* query: what stands in the database, as rows of pairs. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "store/command.h"
#include "store/database.h"
#include "store/owner.h"
#include "store/sql.h"

enum column {
    COLUMN_ID,
    COLUMN_TEST,
    COLUMN_TITLE,
    COLUMN_TARGET,
    COLUMN_CID,
    COLUMN_LABEL,
    COLUMN_STATE,
    COLUMN_WALL,
    COLUMN_DURATION,
    COLUMN_RATE,
    COLUMN_UNIT,
    COLUMN_PARTIAL,
    COLUMN_ERROR,
    COLUMN_OWNER,
    COLUMN_OWNER_START,
    COLUMN_RECORDER,
    COLUMN_RECORDER_START,
    COLUMN_BOOT,
    COLUMN_CACHED,
    COLUMN_SETTINGS,
    COLUMN_RATE_OUT,
    COLUMN_RATE_IN
};

static const char list_text[] =
    "SELECT id, substr(test, 1, 256), substr(title, 1, 256), substr(target, 1, 256),"
    " substr(cid, 1, 256), substr(label, 1, 256), state, started_wall_ns, duration_ns, rate,"
    " substr(rate_unit, 1, 16), partial, substr(error, 1, 1024), owner_pid, owner_start, "
    "recorder_pid, recorder_start, owner_boot,"
    " (SELECT substr(value, 1, 32) FROM notes WHERE key = 'cached:' || runs.id),"
    " (SELECT substr(value, 1, 1024) FROM notes WHERE key = 'settings:' || runs.id),"
    " (SELECT substr(value, 1, 32) FROM notes WHERE key = 'rate_out:' || runs.id),"
    " (SELECT substr(value, 1, 32) FROM notes WHERE key = 'rate_in:' || runs.id)"
    " FROM runs WHERE (?1 IS NULL OR test = ?1)"
    " AND (?2 IS NULL OR target = ?2 OR cid = ?2 OR label = ?2)"
    " AND (?4 = 0 OR id = ?4) ORDER BY id DESC LIMIT ?3";

static bool lives(sqlite3_stmt *row, int pid_column, const char *boot)
{
    struct owner owner = {
        .pid = sqlite3_column_int(row, pid_column),
        .start = (unsigned long long)sqlite3_column_int64(row, pid_column + 1),
    };
    return owner_lives(&owner, boot);
}

static unsigned state_of(sqlite3_stmt *row)
{
    unsigned state = (unsigned)sqlite3_column_int(row, COLUMN_STATE);
    const char *boot = sql_text(row, COLUMN_BOOT);
    if (state == RUN_RUNNING &&
        !(lives(row, COLUMN_OWNER, boot) && lives(row, COLUMN_RECORDER, boot)))
        return RUN_INTERRUPTED;
    return state;
}

/* The file may come from anywhere: nothing in it reaches a terminal as it is. */
static void add_column(struct str *pairs, const char *key, sqlite3_stmt *row, int column)
{
    AUTO(str_done) struct str clean = {0};
    const char *text = sql_text(row, column);
    str_add_clean(&clean, text, strlen(text));
    str_add_pair(pairs, key, str_text(&clean));
}

static void describe(sqlite3_stmt *row, struct str *pairs)
{
    char started[CLOCK_ISO_MAX];
    uint64_t wall_ns = (uint64_t)sqlite3_column_int64(row, COLUMN_WALL);
    unsigned state = state_of(row);
    str_clear(pairs);
    add_column(pairs, "id", row, COLUMN_ID);
    add_column(pairs, "test", row, COLUMN_TEST);
    add_column(pairs, "title", row, COLUMN_TITLE);
    add_column(pairs, "target", row, COLUMN_TARGET);
    add_column(pairs, "cid", row, COLUMN_CID);
    add_column(pairs, "label", row, COLUMN_LABEL);
    str_add_pair(pairs, "state", run_state_name(state));
    str_add_pair(pairs, "started", clock_iso(wall_ns, started));
    str_add_pairf(pairs, "wall_ns", "%llu", (unsigned long long)wall_ns);
    str_add_pairf(pairs, "duration_s", "%.9g",
                  (double)sqlite3_column_int64(row, COLUMN_DURATION) / (double)NS_PER_S);
    if (sqlite3_column_type(row, COLUMN_RATE) != SQLITE_NULL) {
        str_add_pairf(pairs, "rate", "%.17g", sqlite3_column_double(row, COLUMN_RATE));
        add_column(pairs, "unit", row, COLUMN_UNIT);
        if (sqlite3_column_type(row, COLUMN_CACHED) != SQLITE_NULL)
            add_column(pairs, "cached", row, COLUMN_CACHED);
        if (sqlite3_column_type(row, COLUMN_RATE_OUT) != SQLITE_NULL)
            add_column(pairs, "rate_out", row, COLUMN_RATE_OUT);
        if (sqlite3_column_type(row, COLUMN_RATE_IN) != SQLITE_NULL)
            add_column(pairs, "rate_in", row, COLUMN_RATE_IN);
    }
    str_add_pair(pairs, "partial", sqlite3_column_int(row, COLUMN_PARTIAL) ? "1" : "0");
    if (state == RUN_INTERRUPTED && !*sql_text(row, COLUMN_ERROR))
        str_add_pair(pairs, "note", "its owner ended before the run did");
    else
        add_column(pairs, "note", row, COLUMN_ERROR);
    if (sqlite3_column_type(row, COLUMN_SETTINGS) != SQLITE_NULL)
        add_column(pairs, "settings", row, COLUMN_SETTINGS);
    add_column(pairs, "owner_pid", row, COLUMN_OWNER);
    add_column(pairs, "owner_start", row, COLUMN_OWNER_START);
}

static int send_rows(const struct command *command, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *rows = NULL;
    AUTO(str_done) struct str pairs = {0};
    int r = sql_prepare(db, list_text, &rows);
    if (r < 0)
        return r;
    sql_bind_text(rows, 1, command->test);
    sql_bind_text(rows, 2, command->device);
    sql_bind_number(rows, 3, command->limit);
    sql_bind_number(rows, 4, (uint64_t)command->run);
    while ((r = sql_step(rows)) > 0) {
        describe(rows, &pairs);
        r = line_row(command->line, pairs.text, pairs.size);
        if (r < 0)
            return r;
    }
    return r;
}

static int refuse(const struct command *command, const struct str *why)
{
    line_refuse(command->line, command->words[0], str_text(why));
    return COMMAND_FAILED;
}

int query_list(const struct command *command)
{
    AUTO(str_done) struct str why = {0};
    AUTO(database_done) struct database database = {0};
    const char *path = command->words[0];
    int r = database_open(path, DATABASE_READ, &database, &why);
    if (r == -ENOENT)
        return COMMAND_OK; /* nothing was ever recorded */
    if (r < 0)
        return refuse(command, &why);
    if (database.moved) {
        str_addf(&why, "%s was damaged; it is kept as %s, and a new one was begun", path,
                 database.moved);
        return refuse(command, &why);
    }
    r = send_rows(command, database.db);
    if (r < 0) {
        database_explain(path, "read", r, &why);
        return refuse(command, &why);
    }
    return COMMAND_OK;
}

static void add_moved(const struct database *database, struct str *pairs)
{
    AUTO(sql_done) sqlite3_stmt *note = NULL;
    if (sql_prepare(database->db, "SELECT value FROM notes WHERE key = 'moved'", &note) == 0 &&
        sql_step(note) > 0)
        str_add_pair(pairs, "moved", sql_text(note, 0));
}

int query_info(const struct command *command)
{
    AUTO(str_done) struct str why = {0}, pairs = {0};
    AUTO(database_done) struct database database = {0};
    struct stat about = {0};
    int64_t runs = 0;
    const char *path = command->words[0];
    int r = database_open(path, DATABASE_READ, &database, &why);
    if (r < 0 && r != -ENOENT)
        return refuse(command, &why);
    (void)stat(path, &about);
    if (r == 0)
        (void)sql_number(database.db, "SELECT count(*) FROM runs", &runs);
    str_add_pair(&pairs, "path", path);
    str_add_pairf(&pairs, "schema", "%lld", (long long)database.version);
    str_add_pairf(&pairs, "runs", "%lld", (long long)runs);
    str_add_pairf(&pairs, "size", "%lld", (long long)about.st_size);
    str_add_pair(&pairs, "read_only", database.is_read_only ? "1" : "0");
    str_add_pair(&pairs, "newer", database.is_newer ? "1" : "0");
    if (r == 0)
        add_moved(&database, &pairs);
    return line_row(command->line, pairs.text, pairs.size) < 0 ? COMMAND_FAILED : COMMAND_OK;
}
