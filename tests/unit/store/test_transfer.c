/* transfer: runs leave as JSON lines and come back; a file is whole or absent, an import takes all
 * runs of a file or none. */
#include <fcntl.h>
#include <sys/stat.h>

#include "program.h"
#include "run/model.h"

static struct {
    char folder[64];
    struct str path, file;
} t;

static int setup(void **state)
{
    (void)state;
    scene_folder(t.folder);
    t.path = t.file = (struct str){0};
    str_addf(&t.path, "%s/results.db", t.folder);
    str_addf(&t.file, "%s/runs.jsonl", t.folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scene_remove(t.folder);
    str_done(&t.path);
    str_done(&t.file);
    return 0;
}

static void record(const char *label, unsigned ticks, unsigned state)
{
    AUTO(scene_done) struct scene scene = {0};
    struct program recorder;
    uint32_t seed = 1;
    uint64_t t_ns = SCENE_ZERO_NS;
    const char *const argv[] = {"iodyno-store", "record", t.path.text, NULL};
    scene_start(&scene, label);
    for (unsigned i = 0; i < ticks; i++)
        t_ns = scene_tick(&scene, 1, t_ns, &seed);
    if (state != RUN_RUNNING)
        scene_end(&scene, state, t_ns);
    program_start(&recorder, argv);
    for (size_t i = 0; i < scene.count; i++)
        program_send(&recorder, &scene.packets[i]);
    assert_int_equal(program_end(&recorder), 0);
}

/* Runs the program; its rows' ids one after the other, or the reason of its refusal. */
static int ask(const char *const *argv, struct str *ids, struct str *reason)
{
    struct program program;
    struct frame frame;
    program_start(&program, argv);
    while (program_take(&program, PROGRAM_LIMIT_MS) > 0)
        for (size_t at = 0; frame_next(program.packet.bytes, program.packet.size, &at, &frame) > 0;)
            if (frame.type == FRAME_ROW)
                str_addf(ids, "%s ", frame_pair(&frame, "id"));
            else if (frame.type == FRAME_REFUSED)
                str_add(reason, frame_pair(&frame, "reason"));
    return program_end(&program);
}

static struct model *replay(const char *what)
{
    struct program program;
    struct frame frame;
    struct model *model = model_new();
    const char *const argv[] = {"iodyno-store", "replay", t.path.text, what, NULL};
    program_start(&program, argv);
    while (program_take(&program, PROGRAM_LIMIT_MS) > 0)
        for (size_t at = 0; frame_next(program.packet.bytes, program.packet.size, &at, &frame) > 0;)
            assert_int_equal(model_apply(model, &frame), 0);
    assert_int_equal(program_end(&program), 0);
    return model;
}

static void assert_same_run(const char *a, const char *b)
{
    struct model *first = replay(a), *second = replay(b);
    struct series_total ta, tb;
    double va = 0, vb = 1;
    assert_string_equal(first->label, second->label);
    assert_string_equal(first->test, second->test);
    assert_string_equal(first->target_id, second->target_id);
    assert_int_equal(first->state, second->state);
    assert_int_equal(model_result(first, "rate", &va), model_result(second, "rate", &vb));
    assert_true(va == vb || first->result_count == 0);
    series_total(first->metrics[0].sum, &ta);
    series_total(second->metrics[0].sum, &tb);
    assert_true(ta.sum == tb.sum);
    assert_true(first->wall_ns == second->wall_ns);
    model_free(first);
    model_free(second);
}

static void test_there_and_back(void **state)
{
    AUTO(str_done) struct str ids = {0}, reason = {0}, name = {0};
    (void)state;
    const char *const out[] = {"iodyno-store", "export",    t.path.text, "2", "1", "3",
                               "-o",           t.file.text, NULL};
    const char *const in[] = {"iodyno-store", "import", t.path.text, t.file.text, NULL};
    record("first", 20, RUN_DONE);
    record("second", 9, RUN_CANCELLED);
    record("third", 5, RUN_RUNNING); /* interrupted */
    assert_int_equal(ask(out, &ids, &reason), 0);
    assert_string_equal(ids.text, "2 1 3 ");
    assert_int_equal(scene_count(t.folder, "runs.jsonl", &name), 1); /* no temporary file is left */
    str_clear(&ids);
    assert_int_equal(ask(in, &ids, &reason), 0);
    assert_string_equal(str_text(&reason), "");
    assert_string_equal(ids.text, "4 5 6 ");
    assert_same_run("2", "4");
    assert_same_run("1", "5");
    assert_same_run("3", "6");
    assert_same_run("2", t.file.text); /* of a file, the first run */
}

static void test_export_refused(void **state)
{
    AUTO(str_done) struct str ids = {0}, reason = {0}, name = {0};
    (void)state;
    const char *const out[] = {"iodyno-store", "export",    t.path.text, "1", "9",
                               "-o",           t.file.text, NULL};
    record("first", 4, RUN_DONE);
    assert_int_equal(ask(out, &ids, &reason), 1);
    assert_non_null(strstr(reason.text, "there is no run 9"));
    assert_int_equal(scene_count(t.folder, "runs.jsonl", &name), 0);
    const char *const nowhere[] = {"iodyno-store", "export",         t.path.text, "1",
                                   "-o",           "/nonexistent/x", NULL};
    str_clear(&reason);
    assert_int_equal(ask(nowhere, &ids, &reason), 1);
    assert_non_null(strstr(reason.text, "cannot write /nonexistent/x"));
}

static void test_export_replaces_whole(void **state)
{
    AUTO(str_done) struct str ids = {0}, reason = {0}, text = {0};
    struct stat about;
    (void)state;
    const char *const out[] = {"iodyno-store", "export", t.path.text, "1", "-o", t.file.text, NULL};
    AUTO_CLOSE int fd = open(t.file.text, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "old", 3), 3);
    record("first", 4, RUN_DONE);
    assert_int_equal(ask(out, &ids, &reason), 0);
    assert_int_equal(file_read(t.file.text, 1 << 20, &text), 0);
    assert_int_equal(strncmp(text.text, "{", 1), 0);
    assert_true(str_ends(text.text, "}\n"));
    mode_t mask = umask(0);
    (void)umask(mask);
    assert_int_equal(stat(t.file.text, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0666 & ~mask);
}

static void put(const char *text, size_t size)
{
    AUTO_CLOSE int fd = open(t.file.text, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
}

static void test_import_takes_all_or_none(void **state)
{
    AUTO(str_done) struct str ids = {0}, reason = {0}, text = {0};
    (void)state;
    const char *const out[] = {"iodyno-store", "export",    t.path.text, "1", "1",
                               "-o",           t.file.text, NULL};
    const char *const in[] = {"iodyno-store", "import", t.path.text, t.file.text, NULL};
    const char *const list[] = {"iodyno-store", "query", "list", t.path.text, NULL};
    record("first", 4, RUN_DONE);
    assert_int_equal(ask(out, &ids, &reason), 0);
    assert_int_equal(file_read(t.file.text, 1 << 20, &text), 0);
    str_add(&text, "{\"type\": \"start\", \"test\": 5}\n");
    put(text.text, text.size);
    assert_int_equal(ask(in, &ids, &reason), 1);
    assert_non_null(strstr(reason.text, "line 1"));
    assert_non_null(strstr(reason.text, "run 3 in the file"));
    str_clear(&ids);
    assert_int_equal(ask(list, &ids, &reason), 0);
    assert_string_equal(ids.text, "1 ");
}

static void test_import_of_anything(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "holds no run"},
        {"\n\n\n", "holds no run"},
        {"no JSON at all", "line 1"},
        {"{\"type\": \"interval\"}\n", "expected the start"},
        {"{\"type\": \"end\", \"t_s\": 1, \"state\": \"done\"}\n", "holds no run"},
        {"[1]", "expected an object"},
    };
    const char *const in[] = {"iodyno-store", "import", t.path.text, t.file.text, NULL};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(str_done) struct str ids = {0}, reason = {0};
        put(cases[i].text, strlen(cases[i].text));
        assert_int_equal(ask(in, &ids, &reason), 1);
        assert_non_null(strstr(str_text(&reason), cases[i].reason));
        assert_int_equal(ids.size, 0);
    }
}

static void test_import_of_no_file(void **state)
{
    static const char *const paths[] = {"/nonexistent.jsonl", "/dev/zero", "/tmp"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        AUTO(str_done) struct str ids = {0}, reason = {0};
        const char *const in[] = {"iodyno-store", "import", t.path.text, paths[i], NULL};
        assert_int_equal(ask(in, &ids, &reason), 1);
        assert_non_null(strstr(str_text(&reason), paths[i]));
    }
}

static void test_long_line(void **state)
{
    AUTO(str_done) struct str ids = {0}, reason = {0}, text = {0};
    const char *const in[] = {"iodyno-store", "import", t.path.text, t.file.text, NULL};
    (void)state;
    for (unsigned i = 0; i < 300000; i++)
        str_add(&text, "x");
    put(text.text, text.size);
    assert_int_equal(ask(in, &ids, &reason), 1);
    assert_non_null(strstr(reason.text, "line 1 is longer than"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(test_there_and_back),
        CASE(test_export_refused),
        CASE(test_export_replaces_whole),
        CASE(test_import_takes_all_or_none),
        CASE(test_import_of_anything),
        CASE(test_import_of_no_file),
        CASE(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
