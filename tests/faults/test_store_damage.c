/* Damage of results.db at random places: no program crashes or hangs, what was there is kept under
 * one name or another, and the next run is recorded and comes back. Usage: test_store_damage [N
 * [SEED]] */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/units.h"
#include "program.h"

#define RUNS 6

static struct {
    char folder[64];
    struct str path, good; /* the sound file's bytes */
    struct scene scene;
    struct str live;
    unsigned damaged, moved, refused, kept;
} t;

static unsigned wanted = 40;
static uint64_t first_seed; /* 0: another one each time */

static int run_recorder(void)
{
    struct program recorder;
    const char *const argv[] = {"iodyno-store", "record", t.path.text, NULL};
    program_start(&recorder, argv);
    for (size_t i = 0; i < t.scene.count; i++)
        if (t.scene.packets[i].size > 0)
            program_send(&recorder, &t.scene.packets[i]);
    return program_end(&recorder);
}

/* Asks and throws the answer away; 0 or 1, never a signal. `ret_last` is the last run's number. */
static void ask(const char *const *argv, uint64_t *ret_last)
{
    struct program query;
    struct frame frame;
    program_start(&query, argv);
    while (program_take(&query, PROGRAM_LIMIT_MS) > 0)
        for (size_t at = 0; frame_next(query.packet.bytes, query.packet.size, &at, &frame) > 0;)
            if (ret_last && frame.type == FRAME_ROW && *ret_last == 0 && frame_pair(&frame, "id"))
                (void)units_parse_u64(frame_pair(&frame, "id"), ret_last);
    int status = program_end(&query);
    assert_in_range(status, 0, 1);
}

static void write_file(const struct str *bytes)
{
    AUTO_CLOSE int fd = open(t.path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes->text, bytes->size), (ssize_t)bytes->size);
}

/* One of: bytes overwritten in a page, a page of zeros, the end cut off. */
static void damage(uint32_t *seed)
{
    AUTO(str_done) struct str bytes = {0};
    str_add_bytes(&bytes, t.good.text, t.good.size);
    size_t pages = bytes.size / 4096;
    size_t at = scene_random(seed) % pages * 4096;
    switch (scene_random(seed) % 3) {
    case 0:
        for (unsigned i = 0; i < 200; i++)
            bytes.text[at + scene_random(seed) % 4096] = (char)scene_random(seed);
        break;
    case 1:
        memset(bytes.text + at, 0, 4096);
        break;
    default:
        bytes.size = at + scene_random(seed) % 4096;
        break;
    }
    write_file(&bytes);
}

static void clear_folder(void)
{
    scene_remove(t.folder);
    assert_int_equal(mkdir(t.folder, 0700), 0);
}

static void play(uint32_t *seed)
{
    AUTO(str_done) struct str name = {0}, back = {0};
    char number[24];
    uint64_t newest = 0;
    const char *const list[] = {"iodyno-store", "query", "list", t.path.text, NULL};
    const char *const replay[] = {"iodyno-store", "replay", t.path.text, number, NULL};
    clear_folder();
    damage(seed);
    t.damaged++;
    if (scene_random(seed) % 2)
        ask(list, NULL);
    for (unsigned run = 1; run <= RUNS; run++) {
        (void)snprintf(number, sizeof(number), "%u", run);
        ask(replay, NULL);
    }
    int status = run_recorder();
    if (status == 1) { /* found too late for this run: said, and the next one succeeds */
        t.refused++;
        status = run_recorder();
    }
    assert_int_equal(status, 0);
    bool is_moved = scene_count(t.folder, "results.db.damaged-", &name) > 0;
    t.moved += is_moved;
    t.kept += !is_moved;
    ask(list, &newest);
    assert_true(newest > 0); /* recorded means: it is in the list, and is replayed */
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)newest);
    struct program replayer;
    program_start(&replayer, replay);
    assert_true(program_frames(&replayer, &back) == newest);
    assert_int_equal(program_end(&replayer), 0);
    assert_same_bytes(&t.live, &back);
}

static void test_damage(void **state)
{
    uint32_t seed = first_seed ? (uint32_t)first_seed : (uint32_t)clock_mono_ns();
    (void)state;
    printf("seed %u\n", seed);
    scene_folder(t.folder);
    str_addf(&t.path, "%s/results.db", t.folder);
    (void)scene_run(&t.scene, 800, 2, RUN_DONE);
    scene_bytes(&t.scene, &t.live);
    for (unsigned i = 0; i < RUNS; i++)
        assert_int_equal(run_recorder(), 0);
    assert_int_equal(file_read(t.path.text, 16 << 20, &t.good), 0);
    while (t.damaged < wanted)
        play(&seed);
    printf("%u damaged files of %zu bytes: %u set aside, %u used on; %u times a run was refused\n",
           t.damaged, t.good.size, t.moved, t.kept, t.refused);
    scene_remove(t.folder);
    scene_done(&t.scene);
    str_done(&t.live);
    str_done(&t.good);
    str_done(&t.path);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};
    uint64_t count = 0;
    if (argc > 1 && units_parse_u64(argv[1], &count) == 0 && count > 0 && count < 100000)
        wanted = (unsigned)count;
    if (argc > 2)
        (void)units_parse_u64(argv[2], &first_seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
