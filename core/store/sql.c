#include "store/sql.h"

#include <errno.h>
#include <limits.h>

#include "base/cleanup.h"

static const struct {
    int sqlite, code;
} codes[] = {
    {SQLITE_OK, 0},
    {SQLITE_DONE, 0},
    {SQLITE_ROW, 0},
    {SQLITE_CORRUPT, -EUCLEAN},
    {SQLITE_NOTADB, -EUCLEAN},
    {SQLITE_FULL, -ENOSPC},
    {SQLITE_READONLY, -EROFS},
    {SQLITE_BUSY, -EBUSY},
    {SQLITE_LOCKED, -EBUSY},
    {SQLITE_PERM, -EACCES},
    {SQLITE_AUTH, -EACCES},
    {SQLITE_NOMEM, -ENOMEM},
    {SQLITE_TOOBIG, -E2BIG},
    {SQLITE_ERROR, -ENOTSUP},
    {SQLITE_CANTOPEN, -ENOENT},
    {SQLITE_PROTOCOL, -EBUSY},
};

int sql_errno(int sqlite_code)
{
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (codes[i].sqlite == (sqlite_code & 0xff))
            return codes[i].code;
    return -EIO;
}

/* What the system said beneath "I/O error": mostly that the disk is full, which SQLITE_FULL does
 * not tell of the log's index. */
static int answer(sqlite3 *db, int code)
{
    if ((code & 0xff) != SQLITE_IOERR)
        return sql_errno(code);
    int number = sqlite3_system_errno(db);
    if (number > 0)
        return -number;
    return sqlite3_extended_errcode(db) == SQLITE_IOERR_SHMSIZE ? -ENOSPC : -EIO;
}

int sql_run(sqlite3 *db, const char *text)
{
    return answer(db, sqlite3_exec(db, text, NULL, NULL, NULL));
}

int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **ret_statement)
{
    return answer(db, sqlite3_prepare_v2(db, text, -1, ret_statement, NULL));
}

void sql_done(sqlite3_stmt **statement)
{
    (void)sqlite3_finalize(*statement);
    *statement = NULL;
}

int sql_step(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    return code == SQLITE_ROW ? 1 : answer(sqlite3_db_handle(statement), code);
}

int sql_finish(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    code = answer(sqlite3_db_handle(statement), code);
    (void)sqlite3_reset(statement);
    return code;
}

int sql_number(sqlite3 *db, const char *text, int64_t *ret_number)
{
    AUTO(sql_done) sqlite3_stmt *statement = NULL;
    int r = sql_prepare(db, text, &statement);
    if (r < 0)
        return r;
    r = sql_step(statement);
    if (r <= 0)
        return r < 0 ? r : -ENOENT;
    *ret_number = sqlite3_column_int64(statement, 0);
    return 0;
}

void sql_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    (void)sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

void sql_bind_number(sqlite3_stmt *statement, int index, uint64_t number)
{
    (void)sqlite3_bind_int64(statement, index, (sqlite3_int64)number);
}

void sql_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t size)
{
    (void)sqlite3_bind_blob64(statement, index, bytes ? bytes : "", size, SQLITE_STATIC);
}

const char *sql_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}
