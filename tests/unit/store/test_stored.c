/* stored: a run read back is the run that was recorded, frame by frame: while it grows, when it is
 * packed in the middle of being read, and afterwards. */
#include "run/model.h"
#include "scene.h"
#include "store/database.h"
#include "store/packing.h"
#include "store/record.h"
#include "store/stored.h"

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

/* Reads at most `most` frames. */
static size_t read_frames(struct stored *stored, size_t most, struct str *into)
{
    struct frame frame;
    size_t count = 0;
    int r = 1;
    while (count < most && (r = stored_next(stored, &frame)) > 0) {
        scene_add_bytes(into, &frame);
        count++;
    }
    assert_true(r >= 0);
    return count;
}

static void test_unpacked_and_packed(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(str_done) struct str live = {0};
    (void)state;
    (void)scene_run(&scene, 500, 3, RUN_DONE);
    scene_bytes(&scene, &live);
    record(&scene, 0, scene.count);
    for (unsigned round = 0; round < 2; round++) {
        AUTO(str_done) struct str back = {0};
        AUTO(stored_done) struct stored stored;
        assert_int_equal(stored_open(t.database.db, t.record.id, &stored), 0);
        (void)read_frames(&stored, SIZE_MAX, &back);
        assert_true(stored.has_end);
        assert_int_equal(stored.is_packed, round == 1);
        assert_same_bytes(&live, &back);
        pack();
    }
}

/* A reader that is anywhere when the run is packed goes on at the same frame. */
static void test_packed_while_read(void **state)
{
    static const size_t stops[] = {0, 1, 2, 63, 64, 65, 1000, 100000};
    AUTO(scene_done) struct scene scene = {0};
    AUTO(str_done) struct str live = {0};
    struct stored readers[ARRAY_SIZE(stops)];
    struct str texts[ARRAY_SIZE(stops)] = {{0}};
    (void)state;
    (void)scene_run(&scene, 500, 3, RUN_DONE);
    scene_bytes(&scene, &live);
    record(&scene, 0, scene.count);
    for (size_t i = 0; i < ARRAY_SIZE(stops); i++) {
        assert_int_equal(stored_open(t.database.db, t.record.id, &readers[i]), 0);
        (void)read_frames(&readers[i], stops[i], &texts[i]);
    }
    pack();
    for (size_t i = 0; i < ARRAY_SIZE(stops); i++) {
        (void)read_frames(&readers[i], SIZE_MAX, &texts[i]);
        assert_same_bytes(&live, &texts[i]);
        stored_done(&readers[i]);
        str_done(&texts[i]);
    }
}

static void test_grows(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(str_done) struct str live = {0}, back = {0};
    AUTO(stored_done) struct stored stored;
    (void)state;
    (void)scene_run(&scene, 300, 2, RUN_DONE);
    scene_bytes(&scene, &live);
    t.record.owner = t.record.recorder = owner_of(getpid());
    record(&scene, 0, 1);
    assert_int_equal(stored_open(t.database.db, t.record.id, &stored), 0);
    for (size_t i = 1; i < scene.count; i++) {
        (void)read_frames(&stored, SIZE_MAX, &back);
        assert_true(stored_is_growing(&stored));
        record(&scene, i, i + 1);
    }
    (void)read_frames(&stored, SIZE_MAX, &back);
    assert_false(stored_is_growing(&stored));
    assert_same_bytes(&live, &back);
}

static void test_interrupted(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(str_done) struct str back = {0};
    AUTO(stored_done) struct stored stored;
    struct frame end;
    (void)state;
    uint64_t newest_ns = scene_run(&scene, 10, 1, RUN_RUNNING);
    t.record.owner = owner_of(getpid());
    t.record.recorder = t.record.owner;
    t.record.recorder.start++; /* another process with that pid */
    record(&scene, 0, scene.count);
    assert_int_equal(stored_open(t.database.db, t.record.id, &stored), 0);
    assert_false(stored_is_growing(&stored));
    (void)read_frames(&stored, SIZE_MAX, &back);
    stored_interruption(&stored, &end);
    scene_add_bytes(&back, &end); /* the codec takes it */
    assert_int_equal(end.end.state, RUN_INTERRUPTED);
    assert_int_equal(end.flags, FRAME_OWNER);
    assert_true(end.end.t_ns == newest_ns);
}

static void feed(struct model *model, const struct str *bytes)
{
    size_t from = 0;
    static struct packet packet;
    while (from < bytes->size) { /* in packets of one frame */
        uint32_t size = 0;
        struct frame frame;
        size_t at = 0;
        memcpy(&size, bytes->text + from + 4, sizeof(size));
        packet.size = (size + 7u) & ~7u;
        memcpy(packet.bytes, bytes->text + from, packet.size);
        assert_int_equal(frame_next(packet.bytes, packet.size, &at, &frame), 1);
        assert_int_equal(model_apply(model, &frame), 0);
        from += packet.size;
    }
}

static void assert_same_series(const struct series *a, const struct series *b)
{
    struct series_total ta, tb;
    struct series_bucket ca[100], cb[100];
    assert_int_equal(a == NULL, b == NULL);
    if (!a)
        return;
    series_total(a, &ta);
    series_total(b, &tb);
    assert_memory_equal(&ta, &tb, sizeof(ta));
    memset(ca, 0, sizeof(ca));
    memset(cb, 0, sizeof(cb));
    series_columns(a, ta.t0_ns, ta.t1_ns, 100, ca);
    series_columns(b, ta.t0_ns, ta.t1_ns, 100, cb);
    assert_memory_equal(ca, cb, sizeof(ca));
}

static void assert_same_texts(const struct model_text *a, size_t a_count,
                              const struct model_text *b, size_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (size_t i = 0; i < a_count; i++) {
        assert_string_equal(a[i].key, b[i].key);
        assert_string_equal(a[i].value, b[i].value);
    }
}

static void assert_same_metrics(const struct model *a, const struct model *b)
{
    assert_int_equal(a->metric_count, b->metric_count);
    for (size_t i = 0; i < a->metric_count; i++) {
        assert_same_series(a->metrics[i].sum, b->metrics[i].sum);
        assert_int_equal(a->metrics[i].lane_count, b->metrics[i].lane_count);
        for (size_t lane = 0; lane < MODEL_LANES; lane++)
            assert_same_series(a->metrics[i].lanes[lane], b->metrics[i].lanes[lane]);
    }
    assert_int_equal(a->result_count, b->result_count);
    for (size_t i = 0; i < a->result_count; i++) {
        assert_int_equal(a->results[i].metric, b->results[i].metric);
        assert_int_equal(a->results[i].lane, b->results[i].lane);
        assert_true(a->results[i].value == b->results[i].value);
    }
}

static void assert_same_story(const struct model *a, const struct model *b)
{
    assert_int_equal(a->phase_count, b->phase_count);
    for (size_t i = 0; i < a->phase_count; i++) {
        assert_string_equal(a->phases[i].name, b->phases[i].name);
        assert_true(a->phases[i].t0_ns == b->phases[i].t0_ns);
        assert_true(a->phases[i].t1_ns == b->phases[i].t1_ns);
    }
    assert_int_equal(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count; i++) {
        assert_string_equal(a->events[i].code, b->events[i].code);
        assert_string_equal(a->events[i].text, b->events[i].text);
        assert_true(a->events[i].t_ns == b->events[i].t_ns);
        assert_int_equal(a->events[i].is_owner, b->events[i].is_owner);
    }
    assert_int_equal(a->log_count, b->log_count);
    for (size_t i = 0; i < a->log_count; i++)
        assert_string_equal(a->logs[i].text, b->logs[i].text);
    assert_same_texts(a->facts, a->fact_count, b->facts, b->fact_count);
    assert_same_texts(a->options, a->option_count, b->options, b->option_count);
    assert_same_texts(a->target, a->target_count, b->target, b->target_count);
    assert_same_texts(a->machine, a->machine_count, b->machine, b->machine_count);
}

static void assert_same_model(const struct model *a, const struct model *b)
{
    assert_same_metrics(a, b);
    assert_same_story(a, b);
    assert_string_equal(a->test, b->test);
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->label, b->label);
    assert_string_equal(a->target_id, b->target_id);
    assert_string_equal(a->sentence, b->sentence);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->is_partial, b->is_partial);
    assert_int_equal(a->stalls, b->stalls);
    assert_int_equal(a->is_stalled, b->is_stalled);
    assert_true(a->merged == b->merged && a->merged > 0);
    assert_true(a->now_ns == b->now_ns && a->end_ns == b->end_ns && a->zero_ns == b->zero_ns &&
                a->wall_ns == b->wall_ns && a->last_move_ns == b->last_move_ns &&
                a->done == b->done && a->total == b->total);
}

static void test_model_of_the_replay(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(str_done) struct str live = {0}, back = {0};
    AUTO(stored_done) struct stored stored;
    struct model *first = model_new(), *second = model_new();
    (void)state;
    (void)scene_run(&scene, 6000, 11, RUN_CANCELLED); /* beyond SERIES_RAW and MODEL_LANES */
    scene_bytes(&scene, &live);
    for (size_t i = 0; i < scene.count; i++)
        record(&scene, i, i + 1);
    pack();
    assert_int_equal(stored_open(t.database.db, t.record.id, &stored), 0);
    (void)read_frames(&stored, SIZE_MAX, &back);
    feed(first, &live);
    feed(second, &back);
    assert_same_model(first, second);
    assert_int_equal(first->state, RUN_CANCELLED);
    model_free(first);
    model_free(second);
}

/* One sample more than a part holds: two parts, still the same frames. */
static void test_parts(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(stored_done) struct stored stored;
    struct frame frame;
    int64_t parts = 0;
    size_t samples = 0;
    (void)state;
    scene_start(&scene, "long");
    for (uint64_t i = 0; i <= PACKING_SAMPLES; i++)
        scene_sample(&scene, 0, 0, SCENE_ZERO_NS + i * 1000, SCENE_ZERO_NS + i * 1000 + 1000,
                     (double)i);
    scene_end(&scene, RUN_DONE, SCENE_ZERO_NS + (PACKING_SAMPLES + 1) * 1000ull);
    size_t half = scene.count / 2;
    record(&scene, 0, half); /* a queue takes 8 MiB */
    record(&scene, half, scene.count);
    pack();
    assert_int_equal(sql_number(t.database.db, "SELECT count(*) FROM parts", &parts), 0);
    assert_int_equal(parts, 2);
    assert_int_equal(stored_open(t.database.db, t.record.id, &stored), 0);
    while (stored_next(&stored, &frame) > 0)
        if (frame.type == FRAME_SAMPLE)
            assert_true(frame.sample.value == (double)samples++);
    assert_true(stored.has_end);
    assert_int_equal(samples, PACKING_SAMPLES + 1);
}

/* Bytes in the file's tables for a finished run. */
static void test_bytes_per_sample(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    int64_t blobs = 0, raw = 0;
    (void)state;
    (void)scene_run(&scene, 4000, 2, RUN_DONE);
    record(&scene, 0, scene.count);
    assert_int_equal(sql_number(t.database.db, "SELECT sum(length(packet)) FROM frames", &raw), 0);
    pack();
    assert_int_equal(sql_number(t.database.db,
                                "SELECT (SELECT sum(length(blob)) FROM series) +"
                                " (SELECT sum(length(sequence)) FROM parts)",
                                &blobs),
                     0);
    printf("%zu samples: %.2f bytes a sample running, %.2f packed\n", scene.samples,
           (double)raw / (double)scene.samples, (double)blobs / (double)scene.samples);
    assert_true((double)blobs / (double)scene.samples <= 12.0);
}

static void test_damaged_blob(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(stored_done) struct stored stored;
    struct frame frame;
    int r = 0;
    (void)state;
    (void)scene_run(&scene, 100, 2, RUN_DONE);
    record(&scene, 0, scene.count);
    pack();
    assert_int_equal(sql_run(t.database.db, "UPDATE series SET blob = substr(blob, 1, 40)"), 0);
    assert_int_equal(stored_open(t.database.db, t.record.id, &stored), 0);
    while ((r = stored_next(&stored, &frame)) > 0)
        ;
    assert_int_equal(r, -EPROTO);
}

static void test_unknown_run(void **state)
{
    struct stored stored;
    (void)state;
    assert_int_equal(stored_open(t.database.db, 5, &stored), -ENOENT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unpacked_and_packed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_packed_while_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_grows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_model_of_the_replay, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bytes_per_sample, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_blob, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_run, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
