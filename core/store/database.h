/* database: results.db opened: folder made, version judged, damage set aside. Its users write SQL.
 * Blocks on the disk that holds it. */
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct str;

#define DATABASE_BUSY_MS 5000
#define DATABASE_WAL_MAX (4 << 20) /* bytes; beyond, a PASSIVE checkpoint */

enum database_use { DATABASE_READ, DATABASE_WRITE };

struct database {
    sqlite3 *db;
    int64_t version;
    bool is_read_only; /* no permission to write, or a newer schema */
    bool is_newer;
    int64_t wal_bytes; /* after the last commit */
    dev_t device;      /* the file that is open, whatever stands at its path now */
    ino_t inode;
    char *moved; /* the damaged file that this open set aside or found so: its new path, or NULL */
};

/* 0; -ENOENT when there is none to read; other negative errno. Every failure but -ENOENT fills
 * `why` with a sentence. A newer schema is refused for writing. The struct must not move while
 * open. */
int database_open(const char *path, enum database_use use, struct database *ret_database,
                  struct str *why);
void database_done(struct database *database);
/* Opens for reading what is there and sets nothing aside: -EUCLEAN when database_open would. */
int database_look(const char *path, struct database *ret_database, struct str *why);
/* Sets an open database aside that turned out to be damaged, and opens a new one for writing. */
int database_replace(const char *path, struct database *database, struct str *why);

/* One transaction: begin, then end with 0 (commit) or an error (rolled back and returned). */
int database_begin(struct database *database, bool is_synced); /* synchronous=FULL or NORMAL */
int database_end(struct database *database, int result);

/* Writes "cannot WHAT PATH: reason" for a negative errno of this room. */
void database_explain(const char *path, const char *what, int code, struct str *why);

#endif
