/* record: what is taken, what is refused, and what a failed commit leaves. */
#include "scene.h"
#include "store/database.h"
#include "store/record.h"
#include "store/sql.h"

static struct {
    char folder[64];
    struct str path;
    struct database database;
    struct record record;
    struct scene scene;
} t;

static int setup(void **state)
{
    AUTO(str_done) struct str why = {0};
    (void)state;
    scene_folder(t.folder);
    t.path = (struct str){0};
    t.scene = (struct scene){0};
    str_addf(&t.path, "%s/results.db", t.folder);
    return database_open(t.path.text, DATABASE_WRITE, &t.database, &why);
}

static int teardown(void **state)
{
    (void)state;
    record_done(&t.record);
    scene_done(&t.scene);
    database_done(&t.database);
    scene_remove(t.folder);
    str_done(&t.path);
    return 0;
}

static int take(size_t packet)
{
    return record_take(&t.record, t.scene.packets[packet].bytes, t.scene.packets[packet].size);
}

static int64_t number(const char *text)
{
    int64_t value = -1;
    assert_int_equal(sql_number(t.database.db, text, &value), 0);
    return value;
}

static int store(bool is_committed)
{
    assert_int_equal(database_begin(&t.database, false), 0);
    int r = record_store(&t.record, t.database.db);
    r = database_end(&t.database, is_committed ? r : -EIO);
    record_settled(&t.record, r == 0);
    return r;
}

static void test_row(void **state)
{
    AUTO(sql_done) sqlite3_stmt *row = NULL;
    (void)state;
    uint64_t t_ns = scene_run(&t.scene, 8, 1, RUN_FAILED);
    for (size_t i = 0; i < t.scene.count; i++)
        if (t.scene.packets[i].size > 0)
            assert_int_equal(take(i), 0);
    assert_int_equal(store(true), 0);
    assert_int_equal(sql_prepare(t.database.db,
                                 "SELECT test, title, target, cid, label, plugin, state, "
                                 "started_wall_ns, duration_ns, error FROM runs",
                                 &row),
                     0);
    assert_int_equal(sql_step(row), 1);
    assert_string_equal(sql_text(row, 0), "storage.write");
    assert_string_equal(sql_text(row, 1), "Sequential write");
    assert_string_equal(sql_text(row, 2), "mmcblk1p1");
    assert_string_equal(sql_text(row, 3), "03534453");
    assert_string_equal(sql_text(row, 4), "Card 1");
    assert_string_equal(sql_text(row, 5), "storage.so");
    assert_int_equal(sqlite3_column_int(row, 6), RUN_FAILED);
    assert_true((uint64_t)sqlite3_column_int64(row, 7) == SCENE_WALL_NS);
    assert_true((uint64_t)sqlite3_column_int64(row, 8) == t_ns - SCENE_ZERO_NS);
    assert_string_equal(sql_text(row, 9), "it was told to end");
    assert_int_equal(t.record.id, 1);
}

static void test_what_does_not_fit(void **state)
{
    struct frame row = {.type = FRAME_ROW};
    (void)state;
    scene_sample(&t.scene, 0, 0, 1, 2, 3); /* before the start */
    scene_cut(&t.scene);
    scene_text(&t.scene, FRAME_LOG, 0, "text", "a worker that grumbles before it starts");
    scene_cut(&t.scene);
    scene_start(&t.scene, "");
    scene_cut(&t.scene);
    scene_add(&t.scene, &row); /* no frame of a run */
    scene_cut(&t.scene);
    scene_sample(&t.scene, 0, 0, 1, 2, 3);
    scene_end(&t.scene, RUN_DONE, 5);
    scene_sample(&t.scene, 0, 0, 2, 3, 3); /* behind the end */
    assert_int_equal(take(0), -EPROTO);
    assert_int_equal(take(1), 0);
    assert_false(t.record.has_start);
    assert_int_equal(take(2), 0);
    assert_int_equal(take(2), -EPROTO); /* a second start */
    assert_int_equal(take(3), -EPROTO);
    assert_int_equal(record_take(&t.record, t.scene.packets[4].bytes, 12), -EPROTO);
    assert_int_equal(take(4), 0);
    assert_true(t.record.has_end);
    assert_int_equal(take(1), -EPROTO);
    assert_int_equal(store(true), 0);
    /* log, start, sample, result, end; what came behind the end is not there */
    assert_int_equal(t.record.queue.size, 0);
    AUTO(sql_done) sqlite3_stmt *rows = NULL;
    unsigned frames = 0;
    assert_int_equal(sql_prepare(t.database.db, "SELECT packet FROM frames ORDER BY seq", &rows),
                     0);
    while (sql_step(rows) > 0) {
        static struct packet packet;
        struct frame frame;
        packet.size = (size_t)sqlite3_column_bytes(rows, 0);
        memcpy(packet.bytes, sqlite3_column_blob(rows, 0), packet.size);
        for (size_t at = 0; frame_next(packet.bytes, packet.size, &at, &frame) > 0;)
            frames++;
    }
    assert_int_equal(frames, 5);
}

static void test_failed_commit_loses_nothing(void **state)
{
    (void)state;
    scene_start(&t.scene, "");
    scene_cut(&t.scene);
    scene_sample(&t.scene, 0, 0, 1, 2, 3);
    assert_int_equal(take(0), 0);
    assert_int_equal(store(false), -EIO);
    assert_int_equal(t.record.id, 0);
    assert_int_equal(number("SELECT count(*) FROM runs"), 0);
    assert_int_equal(store(true), 0);
    int64_t id = t.record.id;
    assert_int_equal(take(1), 0);
    assert_int_equal(store(false), -EIO);
    assert_int_equal(t.record.id, id);
    assert_int_equal(store(true), 0);
    assert_int_equal(number("SELECT count(*) FROM runs"), 1);
    assert_int_equal(number("SELECT count(*) FROM frames"), 2);
    assert_int_equal(number("SELECT max(seq) FROM frames"), 1);
}

static void test_rows_are_packets(void **state)
{
    (void)state;
    scene_start(&t.scene, "");
    for (unsigned i = 0; i < 200; i++) {
        scene_cut(&t.scene);
        scene_sample(&t.scene, 0, 0, i + 1, i + 2, 3);
    }
    for (size_t i = 0; i < t.scene.count; i++)
        assert_int_equal(take(i), 0);
    assert_int_equal(store(true), 0);
    assert_int_equal(number("SELECT count(*) FROM frames"), 4); /* 201 frames, 64 a row */
}

static void test_queue_limit(void **state)
{
    int r = 0;
    (void)state;
    scene_start(&t.scene, "");
    scene_cut(&t.scene);
    for (unsigned i = 0; i < FRAME_SAMPLES_MAX; i++)
        scene_sample(&t.scene, 0, 0, i + 1, i + 2, 3);
    assert_int_equal(take(0), 0);
    for (unsigned i = 0; i < RECORD_QUEUE_MAX / 2000 && r == 0; i++)
        r = take(1);
    assert_int_equal(r, -ENOBUFS);
    assert_true(t.record.queue.size <= RECORD_QUEUE_MAX);
    assert_int_equal(store(true), 0);
    assert_int_equal(take(1), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_row, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_does_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failed_commit_loses_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows_are_packets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_queue_limit, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
