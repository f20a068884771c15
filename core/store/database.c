#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "store/aside.h"
#include "store/schema.h"
#include "store/sql.h"

#define SENTENCE_MAX 1024

static const char settings[] = "PRAGMA trusted_schema=OFF;"
                               "PRAGMA cell_size_check=ON;"
                               "PRAGMA cache_size=-512;" /* KiB: boards with 64 MB exist */
                               "PRAGMA wal_autocheckpoint=0;"
                               "PRAGMA journal_size_limit=8388608;";

void database_explain(const char *path, const char *what, int code, struct str *why)
{
    char sentence[SENTENCE_MAX];
    str_clear(why);
    if (code == -EUCLEAN)
        str_addf(why, "cannot %s %s: the database is damaged", what, path);
    else if (code == -EBUSY)
        str_addf(why, "cannot %s %s: another program has kept it locked for %d s", what, path,
                 DATABASE_BUSY_MS / 1000);
    else
        str_add(why, err_explain(sentence, sizeof(sentence), code, what, path));
}

void database_done(struct database *database)
{
    (void)sqlite3_close_v2(database->db);
    free(database->moved);
    *database = (struct database){0};
}

/* Makes the folders of `path`, 0700 each. */
static int make_folder(const char *path)
{
    AUTO_FREE char *folder = mem_copy_text(path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        struct stat there;
        if (stat(folder, &there) < 0 && mkdir(folder, 0700) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return 0;
}

static bool is_writable(const char *path)
{
    AUTO_FREE char *folder = mem_copy_text(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 &&
           faccessat(AT_FDCWD, slash ? folder : ".", W_OK, AT_EACCESS) == 0;
}

static bool has_wal(const char *path)
{
    AUTO(str_done) struct str wal = {0};
    struct stat there;
    str_addf(&wal, "%s-wal", path);
    return stat(wal.text, &there) == 0 && there.st_size > 0;
}

/* "file:/path?immutable=1" with what a URI would read as its own quoted. */
static void add_uri(struct str *uri, const char *path)
{
    str_add(uri, "file:");
    for (const char *c = path; *c; c++)
        str_addf(uri, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
    str_add(uri, "?immutable=1");
}

static int count_wal(void *user, sqlite3 *db, const char *name, int pages)
{
    struct database *database = user;
    int64_t page_size = 4096;
    (void)name;
    (void)sql_number(db, "PRAGMA page_size", &page_size);
    database->wal_bytes = pages * page_size;
    return SQLITE_OK;
}

static int open_file(const char *path, enum database_use use, struct database *database)
{
    AUTO(str_done) struct str uri = {0};
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE;
    const char *name = path;
    if (use == DATABASE_WRITE) {
        flags |= SQLITE_OPEN_CREATE;
    } else if (!is_writable(path)) {
        flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY;
        database->is_read_only = true;
        if (!has_wal(path)) {
            /* Without it a WAL database cannot be read where its -shm cannot be made. */
            add_uri(&uri, path);
            name = uri.text;
            flags |= SQLITE_OPEN_URI;
        }
    }
    int code = sqlite3_open_v2(name, &database->db, flags, NULL);
    if (code != SQLITE_OK) {
        int system = database->db ? sqlite3_system_errno(database->db) : 0;
        return system ? -system : sql_errno(code);
    }
    struct stat about;
    if (stat(path, &about) == 0) {
        database->device = about.st_dev;
        database->inode = about.st_ino;
    }
    (void)sqlite3_extended_result_codes(database->db, 1);
    (void)sqlite3_busy_timeout(database->db, DATABASE_BUSY_MS);
    int r = sql_run(database->db, settings);
    if (r == 0 && use == DATABASE_READ)
        r = sql_run(database->db, "PRAGMA query_only=ON");
    if (r == -EOPNOTSUPP) /* these are known good: what SQLite cannot take is the file's format */
        r = -EUCLEAN;
    (void)sqlite3_wal_hook(database->db, count_wal, database);
    return r;
}

static int judge(const char *path, enum database_use use, struct database *database,
                 struct str *why)
{
    struct schema_state state = {0};
    int r = schema_check(database->db, &state);
    /* A file we may write, in which SQLite may not: a wrong byte in its header says so. */
    if (r == 0 && use == DATABASE_WRITE && is_writable(path) &&
        sqlite3_db_readonly(database->db, "main") == 1)
        r = -EUCLEAN;
    if (r < 0) {
        database_explain(path, use == DATABASE_WRITE ? "write results to" : "read", r, why);
        return r;
    }
    database->version = state.version;
    if (state.is_foreign) {
        str_addf(why, "%s is a database of another program", path);
        return -EINVAL;
    }
    if (state.version > SCHEMA_VERSION) {
        database->is_newer = database->is_read_only = true;
        if (use == DATABASE_READ)
            return 0;
        str_addf(why,
                 "cannot write results to %s: it was made by a newer iodyno (schema %lld, this one "
                 "knows %d) and is only read",
                 path, (long long)state.version, SCHEMA_VERSION);
        return -EROFS;
    }
    if (use == DATABASE_READ)
        return state.version == 0 ? -ENOENT : 0;
    /* A filesystem without shared memory maps stays with a rollback journal: slower, as safe. */
    (void)sqlite3_exec(database->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
    r = state.version == 0 ? schema_create(database->db) : 0;
    if (r < 0)
        database_explain(path, "write results to", r, why);
    else
        database->version = SCHEMA_VERSION;
    return r;
}

static int open_once(const char *path, enum database_use use, struct database *database,
                     struct str *why)
{
    int r = open_file(path, use, database);
    if (r < 0) {
        database_explain(path, use == DATABASE_WRITE ? "write results to" : "read", r, why);
        return r;
    }
    return judge(path, use, database, why);
}

static void remember_moved(struct database *database)
{
    AUTO(sql_done) sqlite3_stmt *note = NULL;
    if (sql_prepare(database->db, "INSERT OR REPLACE INTO notes VALUES('moved', ?1)", &note) < 0)
        return;
    sql_bind_text(note, 1, database->moved);
    (void)sql_finish(note);
}

/* Another program was faster: it has noted where to. */
static void recall_moved(struct database *database)
{
    AUTO(sql_done) sqlite3_stmt *note = NULL;
    if (sql_prepare(database->db, "SELECT value FROM notes WHERE key = 'moved'", &note) == 0 &&
        sql_step(note) > 0)
        database->moved = mem_copy_text(sql_text(note, 0));
}

/* Closes the database; 0: the damaged file is out of the way. */
static int set_aside(const char *path, struct database *database, struct str *why)
{
    AUTO(str_done) struct str name = {0};
    const struct stat which = {.st_dev = database->device, .st_ino = database->inode};
    /* Else closing would work the -wal into the damaged file and delete it. */
    (void)sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    database_done(database);
    int r = aside_move(path, &which, &name);
    if (r < 0) {
        char reason[SENTENCE_MAX];
        str_clear(why);
        str_addf(why, "%s is damaged: %s", path,
                 err_explain(reason, sizeof(reason), r, "set it aside as", name.text));
        return -EUCLEAN;
    }
    str_clear(why);
    if (r > 0)
        database->moved = str_take(&name);
    return 0;
}

int database_replace(const char *path, struct database *database, struct str *why)
{
    int r = set_aside(path, database, why);
    if (r < 0)
        return r;
    char *moved = take_pointer(&database->moved);
    r = open_once(path, DATABASE_WRITE, database, why);
    database->moved = moved;
    if (r == 0 && moved)
        remember_moved(database);
    else if (r == 0)
        recall_moved(database);
    return r;
}

int database_open(const char *path, enum database_use use, struct database *ret_database,
                  struct str *why)
{
    *ret_database = (struct database){0};
    int r = use == DATABASE_WRITE ? make_folder(path) : 0;
    if (r < 0) {
        database_explain(path, "write results to", r, why);
        return r;
    }
    bool is_there = access(path, F_OK) == 0;
    if (!is_there && use == DATABASE_READ)
        return -ENOENT;
    r = open_once(path, use, ret_database, why);
    /* Readers too begin a new database: in it stands what became of the old one. */
    if (r == -EUCLEAN && is_there && is_writable(path))
        r = database_replace(path, ret_database, why);
    if (r < 0)
        database_done(ret_database);
    return r;
}

int database_look(const char *path, struct database *ret_database, struct str *why)
{
    *ret_database = (struct database){0};
    int r = open_once(path, DATABASE_READ, ret_database, why);
    if (r < 0)
        database_done(ret_database);
    return r;
}

int database_begin(struct database *database, bool is_synced)
{
    int r =
        sql_run(database->db, is_synced ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
    return r < 0 ? r : sql_run(database->db, "BEGIN IMMEDIATE");
}

int database_end(struct database *database, int result)
{
    if (result == 0)
        result = sql_run(database->db, "COMMIT");
    if (result < 0) {
        (void)sql_run(database->db, "ROLLBACK");
        return result;
    }
    if (database->wal_bytes > DATABASE_WAL_MAX)
        (void)sqlite3_wal_checkpoint_v2(database->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return 0;
}
