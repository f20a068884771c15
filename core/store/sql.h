/* sql: SQLite's statements in few words, its answers as negative errno. May block as long as the
 * busy timeout. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* -EUCLEAN: the file is damaged or no database; -EBUSY: another program writes for too long. */
int sql_errno(int sqlite_code);

int sql_run(sqlite3 *db, const char *text); /* one or more statements without rows */
int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **ret_statement);
void sql_done(sqlite3_stmt **statement); /* for AUTO() */

int sql_step(sqlite3_stmt *statement); /* 1 a row, 0 no more rows, negative errno */
/* Runs a statement that has no rows and makes it ready for the next use. */
int sql_finish(sqlite3_stmt *statement);
/* The first column of the first row; -ENOENT when there is no row. */
int sql_number(sqlite3 *db, const char *text, int64_t *ret_number);

void sql_bind_text(sqlite3_stmt *statement, int index, const char *text); /* NULL: null; copied */
void sql_bind_number(sqlite3_stmt *statement, int index, uint64_t number);
void sql_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                   size_t size);                           /* not copied */
const char *sql_text(sqlite3_stmt *statement, int column); /* "" for null; until the next step */

#endif
