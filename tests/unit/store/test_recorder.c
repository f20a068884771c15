/* recorder: a run goes in packet by packet and comes out again; the owner hears its number. */
#include <fcntl.h>

#include "program.h"
#include "store/schema.h"
#include "store/sql.h"

static struct {
    char folder[64];
    struct str path;
    struct scene scene;
    struct str live;
} t;

static int setup(void **state)
{
    (void)state;
    scene_folder(t.folder);
    t.path = t.live = (struct str){0};
    t.scene = (struct scene){0};
    str_addf(&t.path, "%s/results.db", t.folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scene_remove(t.folder);
    scene_done(&t.scene);
    str_done(&t.path);
    str_done(&t.live);
    return 0;
}

static void start_recorder(struct program *recorder)
{
    const char *const argv[] = {"iodyno-store", "record", t.path.text, NULL};
    program_start(recorder, argv);
}

static void send_all(struct program *recorder)
{
    for (size_t i = 0; i < t.scene.count; i++)
        if (t.scene.packets[i].size > 0)
            program_send(recorder, &t.scene.packets[i]);
}

static uint64_t replay(const char *option, const char *value, struct str *into)
{
    struct program program;
    const char *const plain[] = {"iodyno-store", "replay", t.path.text, "1", NULL};
    const char *const more[] = {"iodyno-store", "replay", option, t.path.text, "1", NULL};
    const char *const most[] = {"iodyno-store", "replay", option, value, t.path.text, "1", NULL};
    program_start(&program, !option ? plain : !value ? more : most);
    uint64_t id = program_frames(&program, into);
    assert_int_equal(program_end(&program), 0);
    return id;
}

/* The pairs of the first run in the list. */
static struct frame list(struct program *program)
{
    const char *const argv[] = {"iodyno-store", "query", "list", t.path.text, NULL};
    program_start(program, argv);
    return program_answer(program, FRAME_ROW);
}

static void test_whole_run(void **state)
{
    struct program recorder, query;
    AUTO(str_done) struct str back = {0};
    (void)state;
    (void)scene_run(&t.scene, 400, 3, RUN_DONE);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(program_answer(&recorder, FRAME_RECORDED).recorded.id, 1);
    assert_int_equal(program_wait(&recorder), 0);
    assert_int_equal(replay(NULL, NULL, &back), 1);
    assert_same_bytes(&t.live, &back);
    struct frame row = list(&query);
    assert_string_equal(frame_pair(&row, "id"), "1");
    assert_string_equal(frame_pair(&row, "state"), "done");
    assert_string_equal(frame_pair(&row, "rate"), "4893020.25");
    assert_string_equal(frame_pair(&row, "unit"), "B/s");
    assert_string_equal(frame_pair(&row, "partial"), "0");
    assert_string_equal(frame_pair(&row, "label"), "Card 1");
    assert_string_equal(frame_pair(&row, "started"), "2026-01-31T09:00:00Z");
    assert_string_equal(frame_pair(&row, "note"), "");
    assert_int_equal(program_end(&query), 0);
}

/* An owner that says all at once, closes for writing and only then listens. */
static void test_half_closed_at_once(void **state)
{
    struct program recorder;
    AUTO(str_done) struct str back = {0};
    (void)state;
    (void)scene_run(&t.scene, 4, 1, RUN_CANCELLED);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(channel_half_close(recorder.line), 0);
    assert_int_equal(program_wait(&recorder), 0);
    assert_int_equal(replay(NULL, NULL, &back), 1);
    assert_same_bytes(&t.live, &back);
}

static void test_number_after_half_close(void **state)
{
    struct program recorder;
    (void)state;
    (void)scene_run(&t.scene, 4, 1, RUN_DONE);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(channel_half_close(recorder.line), 0);
    assert_int_equal(program_answer(&recorder, FRAME_RECORDED).recorded.id, 1);
    assert_int_equal(program_end(&recorder), 0);
}

static void test_no_end(void **state)
{
    struct program recorder, query;
    AUTO(str_done) struct str back = {0};
    (void)state;
    (void)scene_run(&t.scene, 20, 1, RUN_RUNNING);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(program_answer(&recorder, FRAME_RECORDED).recorded.id, 1);
    struct frame row = list(&query);
    assert_string_equal(frame_pair(&row, "state"), "running");
    assert_null(frame_pair(&row, "rate"));
    assert_int_equal(program_end(&query), 0);
    assert_int_equal(program_end(&recorder), 0);

    (void)replay(NULL, NULL, &back);
    assert_true(back.size > t.live.size);
    assert_memory_equal(back.text, t.live.text, t.live.size);
    struct packet packet = {.size = back.size - t.live.size};
    struct frame end;
    size_t at = 0;
    memcpy(packet.bytes, back.text + t.live.size, packet.size);
    assert_int_equal(frame_next(packet.bytes, packet.size, &at, &end), 1);
    assert_int_equal(end.type, FRAME_END);
    assert_int_equal(end.end.state, RUN_INTERRUPTED);
    assert_int_equal(end.flags, FRAME_OWNER);
    row = list(&query);
    assert_string_equal(frame_pair(&row, "state"), "interrupted");
    assert_string_not_equal(frame_pair(&row, "note"), "");
    assert_int_equal(program_end(&query), 0);
}

/* The next run that ends packs what a killed recorder left. */
static void test_packs_what_was_left(void **state)
{
    struct program recorder;
    sqlite3 *db = NULL;
    int64_t packed = 0;
    AUTO(str_done) struct str back = {0};
    (void)state;
    (void)scene_run(&t.scene, 20, 1, RUN_RUNNING);
    start_recorder(&recorder);
    send_all(&recorder);
    (void)program_answer(&recorder, FRAME_RECORDED);
    assert_int_equal(program_end(&recorder), 0);
    scene_done(&t.scene);
    t.scene = (struct scene){0};
    (void)replay(NULL, NULL, &t.live);
    (void)scene_run(&t.scene, 20, 1, RUN_DONE);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(program_wait(&recorder), 0);
    assert_int_equal(sqlite3_open(t.path.text, &db), SQLITE_OK);
    assert_int_equal(sql_number(db, "SELECT sum(packed) FROM runs", &packed), 0);
    sqlite3_close(db);
    assert_int_equal(packed, 2);
    (void)replay(NULL, NULL, &back);
    assert_same_bytes(&t.live, &back);
}

static void test_followed(void **state)
{
    struct program recorder, follower;
    AUTO(str_done) struct str back = {0};
    (void)state;
    const char *const argv[] = {"iodyno-store", "replay", "--follow", t.path.text, "1", NULL};
    (void)scene_run(&t.scene, 600, 2, RUN_DONE);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    program_send(&recorder, &t.scene.packets[0]);
    (void)program_answer(&recorder, FRAME_RECORDED);
    program_start(&follower, argv);
    for (size_t i = 1; i < t.scene.count; i++) {
        if (i % (t.scene.count / 4) == 0) /* let some commits and polls happen in between */
            (void)poll(NULL, 0, 400);
        if (t.scene.packets[i].size > 0)
            program_send(&recorder, &t.scene.packets[i]);
    }
    assert_int_equal(program_frames(&follower, &back), 1);
    assert_same_bytes(&t.live, &back);
    assert_int_equal(program_end(&follower), 0);
    assert_int_equal(program_end(&recorder), 0);
}

/* A follower of a run that goes on leaves when it is told to. */
static void test_follower_stops(void **state)
{
    struct program recorder, follower;
    (void)state;
    const char *const argv[] = {"iodyno-store", "replay", "--follow", t.path.text, "1", NULL};
    (void)scene_run(&t.scene, 4, 1, RUN_RUNNING);
    start_recorder(&recorder);
    send_all(&recorder);
    (void)program_answer(&recorder, FRAME_RECORDED);
    program_start(&follower, argv);
    (void)program_answer(&follower, FRAME_RECORDED);
    assert_int_equal(channel_half_close(follower.line), 0);
    assert_true(program_wait(&follower) >= 0);
    assert_int_equal(program_end(&recorder), 0);
}

/* The owner dies without a word while somebody watches. */
static void test_follower_sees_the_end_of_the_owner(void **state)
{
    struct program recorder, follower;
    AUTO(str_done) struct str back = {0};
    (void)state;
    const char *const argv[] = {"iodyno-store", "replay", "--follow", t.path.text, "1", NULL};
    (void)scene_run(&t.scene, 4, 1, RUN_RUNNING);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    send_all(&recorder);
    (void)program_answer(&recorder, FRAME_RECORDED);
    program_start(&follower, argv);
    (void)program_answer(&follower, FRAME_RECORDED);
    assert_int_equal(program_end(&recorder), 0);
    (void)program_frames(&follower, &back);
    assert_true(back.size > 0);
    assert_int_equal(program_end(&follower), 0);
}

static void test_real_time(void **state)
{
    struct program recorder;
    AUTO(str_done) struct str back = {0};
    (void)state;
    (void)scene_run(&t.scene, 8, 1, RUN_DONE); /* 2 s */
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(program_wait(&recorder), 0);
    uint64_t begin_ns = clock_mono_ns();
    (void)replay("--speed", "4", &back);
    double seconds = (double)(clock_mono_ns() - begin_ns) / (double)NS_PER_S;
    assert_same_bytes(&t.live, &back);
    assert_true(seconds >= 0.48);
    assert_true(seconds < 5);
}

/* What is wrong with the database is said in a sentence, though the owner talks on meanwhile. */
static void test_refused(void **state)
{
    struct program recorder;
    sqlite3 *db = NULL;
    (void)state;
    assert_int_equal(sqlite3_open(t.path.text, &db), SQLITE_OK);
    assert_int_equal(schema_create(db), 0);
    assert_int_equal(sql_run(db, "PRAGMA user_version=2"), 0);
    sqlite3_close(db);
    (void)scene_run(&t.scene, 4, 1, RUN_DONE);
    start_recorder(&recorder);
    send_all(&recorder);
    struct frame refused = program_answer(&recorder, FRAME_REFUSED);
    assert_non_null(strstr(frame_pair(&refused, "reason"), "newer iodyno"));
    assert_int_equal(program_end(&recorder), 1);
}

static void test_damaged_is_set_aside(void **state)
{
    static const char text[] = "not a database, and long enough to be taken for none at all";
    struct program recorder, query;
    AUTO(str_done) struct str kept = {0}, back = {0};
    (void)state;
    AUTO_CLOSE int fd = open(t.path.text, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
    (void)scene_run(&t.scene, 4, 1, RUN_DONE);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    send_all(&recorder);
    assert_int_equal(program_wait(&recorder), 0);
    const char *const argv[] = {"iodyno-store", "query", "info", t.path.text, NULL};
    program_start(&query, argv);
    struct frame row = program_answer(&query, FRAME_ROW);
    assert_string_equal(frame_pair(&row, "runs"), "1");
    assert_int_equal(file_read(frame_pair(&row, "moved"), 1000, &kept), 0);
    assert_string_equal(kept.text, text);
    assert_int_equal(program_end(&query), 0);
    (void)replay(NULL, NULL, &back);
    assert_same_bytes(&t.live, &back);
}

/* The list says at once that a database was set aside, then starts anew. */
static void test_list_of_damaged(void **state)
{
    static const char text[] = "not a database, and long enough to be taken for none at all";
    struct program query;
    (void)state;
    AUTO_CLOSE int fd = open(t.path.text, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
    const char *const argv[] = {"iodyno-store", "query", "list", t.path.text, NULL};
    program_start(&query, argv);
    struct frame refused = program_answer(&query, FRAME_REFUSED);
    assert_non_null(strstr(frame_pair(&refused, "reason"), ".damaged-"));
    assert_int_equal(program_end(&query), 1);
    program_start(&query, argv);
    assert_int_equal(program_take(&query, PROGRAM_LIMIT_MS), 0);
    assert_int_equal(program_end(&query), 0);
}

/* A sound list of 41 runs, but a free list that leads nowhere: only a run that needs new pages
 * meets the damage. */
static void make_bad_free_list(void)
{
    sqlite3 *db = NULL;
    uint8_t head[4], junk[4096];
    assert_int_equal(sqlite3_open(t.path.text, &db), SQLITE_OK);
    assert_int_equal(schema_create(db), 0);
    assert_int_equal(sql_run(db, "INSERT INTO runs(id, test, started_wall_ns) VALUES(41, 'a', 1);"
                                 "CREATE TABLE junk(x); INSERT INTO junk VALUES(zeroblob(400000));"
                                 "DROP TABLE junk"),
                     0);
    sqlite3_close(db);
    AUTO_CLOSE int fd = open(t.path.text, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, head, sizeof(head), 32), sizeof(head));
    off_t trunk = (off_t)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
    assert_true(trunk > 1);
    memset(junk, 0xee, sizeof(junk));
    assert_int_equal(pwrite(fd, junk, sizeof(junk), (trunk - 1) * 4096), sizeof(junk));
}

static void test_damage_met_in_mid_run(void **state)
{
    struct program recorder, replayer;
    AUTO(str_done) struct str back = {0}, name = {0};
    (void)state;
    const char *const argv[] = {"iodyno-store", "replay", t.path.text, "42", NULL};
    make_bad_free_list();
    (void)scene_run(&t.scene, 400, 3, RUN_DONE);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    program_send(&recorder, &t.scene.packets[0]);
    assert_int_equal(program_answer(&recorder, FRAME_RECORDED).recorded.id, 42);
    assert_int_equal(scene_count(t.folder, "results.db.damaged-", &name), 0);
    for (size_t i = 1; i < t.scene.count; i++)
        if (t.scene.packets[i].size > 0)
            program_send(&recorder, &t.scene.packets[i]);
    assert_int_equal(program_wait(&recorder), 0);
    assert_true(scene_count(t.folder, "results.db.damaged-", &name) > 0);
    program_start(&replayer, argv);
    assert_int_equal(program_frames(&replayer, &back), 42);
    assert_int_equal(program_end(&replayer), 0);
    assert_same_bytes(&t.live, &back);
}

static void test_bad_packets(void **state)
{
    struct program recorder;
    struct packet bad = {.size = 64};
    AUTO(str_done) struct str back = {0};
    (void)state;
    memset(bad.bytes, 0xee, bad.size);
    (void)scene_run(&t.scene, 4, 1, RUN_DONE);
    scene_bytes(&t.scene, &t.live);
    start_recorder(&recorder);
    program_send(&recorder, &bad);
    for (size_t i = 0; i < t.scene.count; i++) {
        if (t.scene.packets[i].size == 0)
            continue;
        program_send(&recorder, &t.scene.packets[i]);
        if (i + 1 < t.scene.count)
            program_send(&recorder, &bad);
    }
    assert_int_equal(program_end(&recorder), 0);
    (void)replay(NULL, NULL, &back);
    assert_same_bytes(&t.live, &back);
}

static void test_filters(void **state)
{
    static const struct {
        const char *option, *value;
        const char *ids; /* newest first */
    } cases[] = {
        {"--limit", "2", "3 2 "},
        {"--device", "Card b", "2 "},
        {"--device", "mmcblk1p1", "3 2 1 "},
        {"--device", "03534453", "3 2 1 "},
        {"--test", "storage.write", "3 2 1 "},
        {"--test", "storage", ""},
        {"--device", "%", ""},
        {"--run", "2", "2 "},
        {"--run", "9", ""},
    };
    static const char *const labels[] = {"Card a", "Card b", "Card c"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        AUTO(scene_done) struct scene scene = {0};
        struct program recorder;
        scene_start(&scene, labels[i]);
        scene_end(&scene, RUN_DONE, SCENE_ZERO_NS);
        start_recorder(&recorder);
        program_send(&recorder, &scene.packets[0]);
        assert_int_equal(program_wait(&recorder), 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(str_done) struct str ids = {0};
        struct program query;
        const char *const argv[] = {"iodyno-store",  "query",        "list", t.path.text,
                                    cases[i].option, cases[i].value, NULL};
        program_start(&query, argv);
        while (program_take(&query, PROGRAM_LIMIT_MS) > 0) {
            struct frame row;
            size_t at = 0;
            assert_int_equal(frame_next(query.packet.bytes, query.packet.size, &at, &row), 1);
            str_addf(&ids, "%s ", frame_pair(&row, "id"));
        }
        assert_int_equal(program_end(&query), 0);
        assert_string_equal(str_text(&ids), cases[i].ids);
    }
}

static void test_usage(void **state)
{
    static const char *const wrong[][6] = {
        {"iodyno-store", NULL},
        {"iodyno-store", "record", NULL},
        {"iodyno-store", "query", "list", NULL},
        {"iodyno-store", "replay", "--speed", "fast", "a.db", NULL},
        {"iodyno-store", "query", "list", "a.db", "--limit=0", NULL},
        {"iodyno-store", "delete", "a.db", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct program program;
        program_start(&program, wrong[i]);
        assert_int_equal(program_end(&program), 2);
    }
}

static void test_no_such_run(void **state)
{
    struct program replayer;
    (void)state;
    const char *const argv[] = {"iodyno-store", "replay", t.path.text, "17", NULL};
    program_start(&replayer, argv);
    struct frame refused = program_answer(&replayer, FRAME_REFUSED);
    assert_non_null(strstr(frame_pair(&refused, "reason"), "there is no run 17"));
    assert_int_equal(program_end(&replayer), 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(test_whole_run),
        CASE(test_half_closed_at_once),
        CASE(test_number_after_half_close),
        CASE(test_no_end),
        CASE(test_packs_what_was_left),
        CASE(test_followed),
        CASE(test_follower_stops),
        CASE(test_follower_sees_the_end_of_the_owner),
        CASE(test_real_time),
        CASE(test_refused),
        CASE(test_damaged_is_set_aside),
        CASE(test_list_of_damaged),
        CASE(test_damage_met_in_mid_run),
        CASE(test_bad_packets),
        CASE(test_filters),
        CASE(test_usage),
        CASE(test_no_such_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
