/* database: opened, made, refused, set aside; nothing of a person's is ever deleted. */
#include <fcntl.h>
#include <sys/stat.h>

#include "scene.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/sql.h"

#define NOBODY 65534

static struct {
    char folder[64];
    struct str path, why;
    struct database database;
} t;

static int setup(void **state)
{
    (void)state;
    scene_folder(t.folder);
    t.path = t.why = (struct str){0};
    str_addf(&t.path, "%s/results.db", t.folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    database_done(&t.database);
    if (getuid() == 0)
        (void)seteuid(0);
    (void)chmod(t.folder, 0700);
    scene_remove(t.folder);
    str_done(&t.path);
    str_done(&t.why);
    return 0;
}

static int open_for(enum database_use use)
{
    database_done(&t.database);
    str_clear(&t.why);
    return database_open(t.path.text, use, &t.database, &t.why);
}

static void put(const char *path, off_t at, const void *bytes, size_t size)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, at), (ssize_t)size);
}

/* A database with `runs` runs, closed. */
static void make(unsigned runs)
{
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    for (unsigned i = 0; i < runs; i++)
        assert_int_equal(sql_run(t.database.db,
                                 "INSERT INTO runs(test, started_wall_ns) VALUES('a', 1);"
                                 "INSERT INTO frames VALUES(last_insert_rowid(), 0,"
                                 " randomblob(3000))"),
                         0);
    database_done(&t.database);
}

static int64_t number(const char *text)
{
    int64_t value = -1;
    assert_int_equal(sql_number(t.database.db, text, &value), 0);
    return value;
}

static void test_makes_folder(void **state)
{
    AUTO(str_done) struct str deep = {0}, middle = {0};
    struct stat about;
    struct database database;
    (void)state;
    str_addf(&middle, "%s/share", t.folder);
    str_addf(&deep, "%s/share/iodyno/results.db", t.folder);
    assert_int_equal(database_open(deep.text, DATABASE_READ, &database, &t.why), -ENOENT);
    assert_int_equal(stat(middle.text, &about), -1); /* reading makes nothing */
    assert_int_equal(database_open(deep.text, DATABASE_WRITE, &database, &t.why), 0);
    assert_int_equal(stat(middle.text, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    database_done(&database);
    (void)unlink(deep.text);
    *strrchr(deep.text, '/') = '\0';
    assert_int_equal(rmdir(deep.text), 0);
    assert_int_equal(rmdir(middle.text), 0);
}

static void test_wal(void **state)
{
    AUTO(sql_done) sqlite3_stmt *mode = NULL;
    (void)state;
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_int_equal(sql_prepare(t.database.db, "PRAGMA journal_mode", &mode), 0);
    assert_int_equal(sql_step(mode), 1);
    assert_string_equal(sql_text(mode, 0), "wal");
    assert_int_equal(number("PRAGMA user_version"), SCHEMA_VERSION);
}

/* Beyond 4 MiB a commit is followed by a checkpoint, so the -wal does not grow for ever. */
static void test_checkpoint(void **state)
{
    AUTO(str_done) struct str wal = {0};
    struct stat about;
    (void)state;
    str_addf(&wal, "%s-wal", t.path.text);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    for (unsigned i = 0; i < 60; i++) {
        assert_int_equal(database_begin(&t.database, i % 10 == 0), 0);
        int r = sql_run(t.database.db, "INSERT INTO frames VALUES(1, (SELECT count(*) FROM frames),"
                                       " randomblob(400000))");
        assert_int_equal(database_end(&t.database, r), 0);
    }
    assert_int_equal(stat(wal.text, &about), 0);
    printf("24 MB written, -wal %lld bytes\n", (long long)about.st_size);
    assert_true(about.st_size < 2 * DATABASE_WAL_MAX);
    assert_true(about.st_size > 0);
}

static void assert_set_aside(void)
{
    AUTO(str_done) struct str name = {0};
    assert_non_null(t.database.moved);
    assert_true(str_starts(t.database.moved, t.path.text));
    assert_int_equal(access(t.database.moved, F_OK), 0);
    assert_true(scene_count(t.folder, "results.db.damaged-", &name) >= 1);
    assert_int_equal(number("SELECT count(*) FROM runs"), 0);
    /* Later ones are told, too. */
    assert_int_equal(number("SELECT count(*) FROM notes WHERE key = 'moved'"), 1);
}

static void test_no_database(void **state)
{
    static const char text[] = "This is a letter, and not a database; but it is long enough.\n";
    AUTO(str_done) struct str kept = {0}, other = {0};
    (void)state;
    put(t.path.text, 0, text, sizeof(text) - 1);
    str_addf(&other, "%s-wal", t.path.text);
    put(other.text, 0, "wal", 3);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_set_aside();
    assert_int_equal(file_read(t.database.moved, 1000, &kept), 0);
    assert_string_equal(kept.text, text);
    str_clear(&other);
    str_addf(&other, "%s-wal", t.database.moved);
    str_clear(&kept);
    assert_int_equal(file_read(other.text, 1000, &kept), 0);
    assert_string_equal(kept.text, "wal");
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_null(t.database.moved);
}

static void test_reader_sets_aside(void **state)
{
    (void)state;
    make(3);
    put(t.path.text, 0, "garbage in the header", 21);
    assert_int_equal(open_for(DATABASE_READ), 0);
    assert_set_aside();
}

static void test_cut_short(void **state)
{
    struct stat about;
    (void)state;
    make(50);
    assert_int_equal(stat(t.path.text, &about), 0);
    assert_int_equal(truncate(t.path.text, about.st_size / 2), 0);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_set_aside();
}

static void test_schema_overwritten(void **state)
{
    char junk[3000];
    (void)state;
    make(2);
    memset(junk, 0xa5, sizeof(junk));
    put(t.path.text, 100, junk, sizeof(junk)); /* the schema's page, behind the header */
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_set_aside();
}

static void test_two_in_one_second(void **state)
{
    AUTO(str_done) struct str name = {0};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        database_done(&t.database);
        put(t.path.text, 0, "no database at all, whatever it is called", 41);
        (void)truncate(t.path.text, 41);
        assert_int_equal(open_for(DATABASE_WRITE), 0);
        assert_non_null(t.database.moved);
    }
    assert_int_equal(scene_count(t.folder, "results.db.damaged-", &name), 3);
}

static void test_damage_found_later(void **state)
{
    (void)state;
    make(2);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_int_equal(database_replace(t.path.text, &t.database, &t.why), 0);
    assert_set_aside();
}

/* Two programs find the same damage: the second does not move what the first has begun. */
static void test_both_replace(void **state)
{
    AUTO(str_done) struct str name = {0};
    struct database other;
    (void)state;
    make(2);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_int_equal(database_open(t.path.text, DATABASE_WRITE, &other, &t.why), 0);
    assert_int_equal(database_replace(t.path.text, &t.database, &t.why), 0);
    assert_int_equal(database_replace(t.path.text, &other, &t.why), 0);
    assert_set_aside();
    assert_string_equal(other.moved, t.database.moved);
    assert_int_equal(scene_count(t.folder, "results.db.damaged-", &name), 3); /* -wal, -shm too */
    assert_true(other.inode == t.database.inode);
    database_done(&other);
}

static void test_newer_schema(void **state)
{
    (void)state;
    make(1);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_int_equal(sql_run(t.database.db, "PRAGMA user_version=99"), 0);
    assert_int_equal(open_for(DATABASE_WRITE), -EROFS);
    assert_non_null(strstr(str_text(&t.why), "newer iodyno (schema 99, this one knows 1)"));
    assert_int_equal(open_for(DATABASE_READ), 0);
    assert_true(t.database.is_newer && t.database.is_read_only);
    assert_int_equal(number("SELECT count(*) FROM runs"), 1);
}

static void test_foreign(void **state)
{
    sqlite3 *db = NULL;
    (void)state;
    assert_int_equal(sqlite3_open(t.path.text, &db), SQLITE_OK);
    assert_int_equal(sql_run(db, "CREATE TABLE music(title)"), 0);
    sqlite3_close(db);
    assert_int_equal(open_for(DATABASE_WRITE), -EINVAL);
    assert_non_null(strstr(str_text(&t.why), "another program"));
    assert_int_equal(access(t.path.text, F_OK), 0);
}

static void test_empty_file(void **state)
{
    (void)state;
    put(t.path.text, 0, "", 0);
    assert_int_equal(open_for(DATABASE_READ), -ENOENT);
    assert_int_equal(open_for(DATABASE_WRITE), 0);
    assert_null(t.database.moved);
}

static void test_reads_without_permission(void **state)
{
    AUTO(str_done) struct str odd = {0}, wal = {0};
    struct stat about;
    (void)state;
    str_addf(&odd, "%s/100%% ?#.db", t.folder);
    str_addf(&wal, "%s-wal", odd.text);
    make(2);
    assert_int_equal(rename(t.path.text, odd.text), 0);
    assert_int_equal(chmod(odd.text, 0400), 0);
    assert_int_equal(chmod(t.folder, 0500), 0);
    if (geteuid() == 0) { /* root may write everywhere */
        assert_int_equal(chown(odd.text, NOBODY, (gid_t)-1), 0);
        assert_int_equal(chown(t.folder, NOBODY, (gid_t)-1), 0);
        assert_int_equal(seteuid(NOBODY), 0);
    }
    assert_int_equal(database_open(odd.text, DATABASE_READ, &t.database, &t.why), 0);
    assert_true(t.database.is_read_only);
    assert_int_equal(number("SELECT count(*) FROM runs"), 2);
    assert_int_equal(stat(wal.text, &about), -1);
    database_done(&t.database);
    assert_true(database_open(odd.text, DATABASE_WRITE, &t.database, &t.why) < 0);
    assert_non_null(strstr(str_text(&t.why), "cannot write results to"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_makes_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_checkpoint, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_database, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reader_sets_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_short, setup, teardown),
        cmocka_unit_test_setup_teardown(test_schema_overwritten, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_in_one_second, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage_found_later, setup, teardown),
        cmocka_unit_test_setup_teardown(test_both_replace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_newer_schema, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign, setup, teardown),
        cmocka_unit_test_setup_teardown(test_empty_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reads_without_permission, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
