/* proof: a run that comes back as it came in passes, packed or not; one frame less, one other byte
 * or no row at all is damage. */
#include <errno.h>

#include "scene.h"
#include "store/database.h"
#include "store/packing.h"
#include "store/proof.h"
#include "store/record.h"
#include "store/sql.h"

static struct {
    char folder[64];
    struct str path;
    struct database database;
    struct record record;
} t;

static int setup(void **state)
{
    AUTO(str_done) struct str why = {0};
    (void)state;
    scene_folder(t.folder);
    t.path = (struct str){0};
    str_addf(&t.path, "%s/results.db", t.folder);
    return database_open(t.path.text, DATABASE_WRITE, &t.database, &why);
}

static int teardown(void **state)
{
    (void)state;
    record_done(&t.record);
    database_done(&t.database);
    scene_remove(t.folder);
    str_done(&t.path);
    return 0;
}

static void store(void)
{
    assert_int_equal(database_begin(&t.database, false), 0);
    int r = database_end(&t.database, record_store(&t.record, t.database.db));
    assert_int_equal(r, 0);
    record_settled(&t.record, true);
}

/* Records packets [from, to) and commits them. */
static void record(const struct scene *scene, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (scene->packets[i].size > 0)
            assert_int_equal(
                record_take(&t.record, scene->packets[i].bytes, scene->packets[i].size), 0);
    store();
}

static void pack(void)
{
    assert_int_equal(database_begin(&t.database, false), 0);
    assert_int_equal(database_end(&t.database, packing_run(t.database.db, t.record.id)), 0);
}

static void record_scene(void)
{
    struct scene scene = {0};
    (void)scene_run(&scene, 400, 2, RUN_DONE);
    record(&scene, 0, scene.count);
    scene_done(&scene);
}

static int prove(void)
{
    int r = proof_run(t.database.db, t.record.id, &t.record.digest);
    assert_int_equal(proof_file(t.path.text, t.record.id, &t.record.digest), r);
    return r;
}

static void test_same(void **state)
{
    (void)state;
    record_scene();
    assert_int_equal(prove(), 0);
    pack();
    assert_int_equal(prove(), 0);
}

static void test_frames_lost(void **state)
{
    (void)state;
    record_scene();
    assert_int_equal(sql_run(t.database.db, "DELETE FROM frames WHERE seq = 1"), 0);
    assert_int_equal(prove(), -EUCLEAN);
}

/* The last byte of a blob is a value's: it still decodes. */
static void test_other_byte(void **state)
{
    (void)state;
    record_scene();
    pack();
    assert_int_equal(sql_run(t.database.db,
                             "UPDATE series SET blob = CAST(substr(blob, 1, length(blob) - 1) ||"
                             " x'01' AS BLOB) WHERE ordinal = 0"),
                     0);
    assert_int_equal(prove(), -EUCLEAN);
}

static void test_no_row(void **state)
{
    (void)state;
    record_scene();
    assert_int_equal(sql_run(t.database.db, "DELETE FROM runs"), 0);
    assert_int_equal(prove(), -EUCLEAN);
}

/* A part of the file in which no row of the run is: the next program would set it aside. */
static void test_file_next_to_it(void **state)
{
    (void)state;
    record_scene();
    assert_int_equal(sql_run(t.database.db, "PRAGMA writable_schema=ON;"
                                            "UPDATE sqlite_master SET rootpage = 90000"
                                            " WHERE name = 'notes'"),
                     0);
    assert_int_equal(proof_file(t.path.text, t.record.id, &t.record.digest), -EUCLEAN);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    static const struct CMUnitTest tests[] = {
        CASE(test_same),   CASE(test_frames_lost),     CASE(test_other_byte),
        CASE(test_no_row), CASE(test_file_next_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
