/* schema: the tables of results.db, their version and how a database becomes one of ours. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdint.h>

#define SCHEMA_VERSION 1
#define SCHEMA_APPLICATION 0x494f4459 /* "IODY" in the file's header */

struct schema_state {
    int64_t version; /* 0: no tables yet */
    int is_foreign;  /* a database of another program */
};

/* Reads version, schema and the list of runs and touches the newest end of each table, where a file
 * cut short shows; not the whole file, which may be long and lie on the disk under test.
 * 0, -EUCLEAN when it is damaged, other negative errno. */
int schema_check(sqlite3 *db, struct schema_state *ret_state);
/* Makes the tables of an empty database; two programs may do so at once. */
int schema_create(sqlite3 *db);

#endif
