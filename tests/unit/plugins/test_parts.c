/* parts: data in several files, from the arithmetic to whole runs on a filesystem that is told to
 * take small files only. */
#include "storage/parts.h"

#include "fake_host.h"
#include "storage/meter.h"
#include "storage/table.h"
#include "storage/tests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define LIMIT (4 * MIB - 1) /* as FAT's, a thousandth of it */

static char folder[64];
static struct dyno_run run;

static uint64_t length(uint64_t total, uint64_t most, uint64_t block)
{
    uint64_t bytes = 7;
    assert_int_equal(parts_length(total, most, block, &bytes), 0);
    return bytes;
}

static void the_boundary_of_fat(void **state)
{
    (void)state;
    const uint64_t most = UINT32_MAX;
    assert_true(length(most, most, MIB) == 0); /* it fits, to the last byte */
    assert_true(length(most + 1, most, MIB) == GIB);
    assert_true(length(6 * GIB, most, MIB) == GIB);
    assert_true(length(100 * GIB, 0, MIB) == 0); /* no limit */
    assert_true(length(6 * GIB, most, 3000 * 1024) == GIB / (3000 * 1024) * (3000 * 1024));
    assert_int_equal(parts_count(6 * GIB, GIB), 6);
    assert_int_equal(parts_count(6 * GIB + 1, GIB), 7);
    assert_int_equal(parts_count(6 * GIB, 0), 1);
    assert_int_equal(parts_count(0, 0), 1);
    char text[PARTS_TEXT_MAX];
    parts_explain(6 * GIB + 5, GIB, "vfat", most, text);
    assert_string_equal(text, "7 files of 1073741824 bytes (the last is shorter): vfat takes no "
                              "file above 4294967295 bytes");
}

static void what_would_take_too_many_is_refused(void **state)
{
    (void)state;
    uint64_t bytes = 7;
    assert_int_equal(parts_length(PARTS_MOST * MIB + 1, MIB, MIB, &bytes), -EFBIG);
    assert_int_equal(parts_length(PARTS_MOST * MIB, MIB, MIB, &bytes), 0);
    assert_int_equal(parts_length(2 * MIB, MIB - 1, MIB, &bytes), -EFBIG);
    assert_true(bytes == MIB);
}

static void each_byte_has_its_place(void **state)
{
    (void)state;
    struct parts parts = {.count = 3, .part_bytes = 10};
    for (uint64_t i = 0; i < 30; i++) {
        struct part_place place = parts_at(&parts, i);
        assert_int_equal(place.number, i / 10);
        assert_int_equal(place.offset, i % 10);
        assert_int_equal(place.left, 10 - i % 10);
    }
    parts.count = 1;
    assert_int_equal(parts_at(&parts, 25).offset, 25);
}

/* ---- whole runs */

static bool is_open;

static void close_run(void)
{
    if (is_open)
        fake_close(&run);
    is_open = false;
}

static void open_run(const struct fake_option *options)
{
    close_run();
    is_open = true;
    fake_open(&run, folder, options);
    run.target.max_file_bytes = LIMIT;
    run.target.filesystem = "vfat";
    run.target.has_tmpfile = 0;
}

static double value(unsigned metric)
{
    double found = NAN;
    (void)fake_result(&run, metric, &found);
    return found;
}

static off_t size_of(const char *name)
{
    char path[160];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &status) < 0 ? -1 : status.st_size;
}

static unsigned files_left(void)
{
    DIR *dir = opendir(folder);
    unsigned count = 0;
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static int make_folder(void **state)
{
    (void)state;
    fake_folder_make(folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    close_run();
    fake_folder_remove(folder);
    return 0;
}

static int write_file(const char *method, uint64_t bs, uint64_t size, const char *file)
{
    const struct fake_option options[] = {
        {"method", method, 0}, {"bs", NULL, bs},   {"size", NULL, size},  {"data", "random", 1},
        {"file", file, 0},     {"depth", NULL, 4}, {"engine", "auto", 0}, {NULL, NULL, 0}};
    open_run(options);
    return strcmp(method, "queue") == 0 ? storage_queued_write(&fake_host, &run)
                                        : storage_write(&fake_host, &run);
}

static void a_write_in_parts_is_one_write(void **state)
{
    (void)state;
    static const char *const methods[] = {"dd-fsync",        "dd-fdatasync", "dd-direct",
                                          "dd-direct-fsync", "dd-then-sync", "queue"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        assert_int_equal(write_file(methods[i], MIB, 10 * MIB, "kept"), 0);
        assert_true(size_of("kept") == 3 * MIB);
        assert_true(size_of("kept.2") == 3 * MIB);
        assert_true(size_of("kept.3") == 3 * MIB);
        assert_true(size_of("kept.4") == MIB);
        assert_true(size_of("kept.5") == -1);
        assert_true(run.sums[METRIC_MOVED] == (double)(10 * MIB));
        assert_true(run.done == 10 * MIB && run.total == 10 * MIB);
        assert_true(fabs(value(METRIC_RATE) * value(METRIC_TRANSFER_TIME) - 10.0 * MIB) < 1e4 ||
                    strcmp(methods[i], "dd-then-sync") == 0);
        assert_non_null(strstr(fake_fact(&run, "split"), "4 files of 3145728 bytes"));
        const char *line = fake_fact(&run, "dd-line");
        if (strcmp(methods[i], "queue") != 0 &&
            (strncmp(line, "10485760 bytes (10 MB, 10 MiB) copied, ", 39) != 0 ||
             !strstr(line, ", in 4 files")))
            fail_msg("dd-line is %s", line);
        assert_int_equal(files_left(), 8); /* with their stamps */
    }
}

static void a_last_partial_block_ends_the_last_part(void **state)
{
    (void)state;
    assert_int_equal(write_file("dd-direct", MIB, 7 * MIB + 1000, "kept"), 0);
    assert_true(size_of("kept.2") == 3 * MIB);
    assert_true(size_of("kept.3") == MIB + 1000);
    assert_true(run.sums[METRIC_MOVED] == (double)(7 * MIB + 1000));
}

static void without_a_name_nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(write_file("dd-fsync", MIB, 10 * MIB, ""), 0);
    assert_int_equal(files_left(), 0);
    open_run((const struct fake_option[]){{"method", "dd-fsync", 0},
                                          {"bs", NULL, MIB},
                                          {"size", NULL, 512 * MIB},
                                          {"file", "kept", 0},
                                          {NULL, NULL, 0}});
    run.target.max_file_bytes = 64 * MIB;
    run.interval_ns = 2000000;
    run.cancel_at[METRIC_MOVED] = 1;
    assert_int_equal(storage_write(&fake_host, &run), -ECANCELED);
    assert_true(value(METRIC_RATE) > 0);
}

static void a_smaller_write_takes_the_larger_ones_place(void **state)
{
    (void)state;
    assert_int_equal(write_file("dd-fsync", MIB, 10 * MIB, "kept"), 0);
    assert_int_equal(write_file("dd-fsync", MIB, 5 * MIB, "kept"), 0);
    assert_true(size_of("kept.2") == 2 * MIB);
    assert_int_equal(files_left(), 4);
    assert_int_equal(write_file("dd-fsync", MIB, 2 * MIB, "kept"), 0);
    assert_int_equal(files_left(), 2);
    assert_string_equal(fake_fact(&run, "split"), "");
}

static void a_strangers_file_stays(void **state)
{
    (void)state;
    char path[160];
    snprintf(path, sizeof path, "%s/kept.2", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "mine", 4), 4);
    close(fd);
    assert_int_equal(write_file("dd-fsync", MIB, 10 * MIB, "kept"), -EEXIST);
    assert_non_null(strstr(run.sentence, "kept.2"));
    assert_true(size_of("kept.2") == 4);
    assert_int_equal(files_left(), 1); /* what was begun has gone */
    /* Nor is it taken for a part when all fits into one. */
    assert_int_equal(write_file("dd-fsync", MIB, 2 * MIB, "kept"), 0);
    assert_true(size_of("kept.2") == 4);
}

static int read_file(const char *method, uint64_t bs, uint64_t size, const char *file)
{
    const struct fake_option options[] = {
        {"method", method, 0}, {"bs", NULL, bs},      {"size", NULL, size}, {"file", file, 0},
        {"depth", NULL, 4},    {"engine", "auto", 0}, {NULL, NULL, 0}};
    open_run(options);
    return strcmp(method, "queue") == 0 ? storage_queued_read(&fake_host, &run)
                                        : storage_read(&fake_host, &run);
}

static void what_was_split_is_read_as_one(void **state)
{
    (void)state;
    static const char *const methods[] = {"dd-direct", "dd-cold", "dd", "queue"};
    assert_int_equal(write_file("dd-fsync", MIB, 10 * MIB, "kept"), 0);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        for (unsigned is_given = 0; is_given < 2; is_given++) {
            assert_int_equal(read_file(methods[i], MIB, 40 * MIB, is_given ? "kept" : ""), 0);
            double expected = (double)(is_given ? 10 * MIB : 40 * MIB);
            assert_true(run.sums[METRIC_MOVED] == expected);
            if (strcmp(methods[i], "queue") != 0)
                assert_non_null(
                    strstr(fake_fact(&run, "dd-line"), is_given ? "in 4 files" : "in 14 files"));
        }
    }
    /* A block that does not divide the parts goes on in the next one; with a queue it cannot. */
    assert_int_equal(read_file("dd", 1000 * 1024, 40 * MIB, "kept"), 0);
    assert_true(run.sums[METRIC_MOVED] == (double)(10 * MIB));
    assert_int_equal(read_file("queue", 1000 * 1024, 40 * MIB, "kept"), -EINVAL);
    assert_non_null(strstr(run.sentence, "choose another bs"));
    /* Less than all, ending within the second. */
    assert_int_equal(read_file("dd-direct", MIB, 4 * MIB, "kept"), 0);
    assert_true(run.sums[METRIC_MOVED] == (double)(4 * MIB));
}

/* Somebody wrote on: what no part has room for is not taken for one more of them. */
static void what_was_added_to_the_last_part_is_not_read(void **state)
{
    (void)state;
    static const char *const methods[] = {"dd-direct", "dd", "queue"};
    char path[160];
    assert_int_equal(write_file("dd-fsync", MIB, 10 * MIB, "kept"), 0);
    snprintf(path, sizeof path, "%s/kept.4", folder);
    assert_int_equal(truncate(path, 7 * MIB), 0);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        assert_int_equal(read_file(methods[i], MIB, 40 * MIB, "kept"), 0);
        assert_true(run.sums[METRIC_MOVED] == (double)(12 * MIB));
    }
}

static void random_requests_reach_all_parts(void **state)
{
    (void)state;
    static const char *const engines[] = {"plain", "threads", "io_uring", "auto"};
    static const char *const modes[] = {"read", "write", "mix"};
    for (size_t e = 0; e < 4; e++) {
        for (size_t m = 0; m < 3; m++) {
            const struct fake_option options[] = {
                {"mode", modes[m], m},    {"bs", NULL, 4096},       {"depth", NULL, e == 0 ? 1 : 4},
                {"size", NULL, 10 * MIB}, {"time", NULL, 20000000}, {"engine", engines[e], 0},
                {"reads", NULL, 50},      {NULL, NULL, 0}};
            open_run(options);
            int error = storage_random(&fake_host, &run);
            if (strcmp(engines[e], "io_uring") != 0 || error == 0) {
                assert_int_equal(error, 0);
                assert_true(value(METRIC_IOPS) > 0);
                assert_non_null(strstr(fake_fact(&run, "split"), "3 files of 4190208 bytes"));
                assert_non_null(strstr(fake_fact(&run, "by-hand"), "--nrfiles=3"));
            }
            assert_int_equal(files_left(), 0);
        }
    }
}

static void the_table_is_filled(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", NULL, 10 * MIB}, {"time", NULL, 10000000}, {"engine", "auto", 0}, {NULL, NULL, 0}};
    open_run(options);
    assert_int_equal(storage_table(&fake_host, &run), 0);
    for (unsigned i = 0; i < TABLE_CELLS; i++)
        assert_true(value(METRIC_OWN + i) > 0);
    assert_non_null(strstr(fake_fact(&run, "split"), "4 files of 3145728 bytes"));
    assert_int_equal(files_left(), 0);
}

static void a_growing_file_on_fat_is_labelled(void **state)
{
    (void)state;
    assert_int_equal(write_file("dd-direct", MIB, 4 * MIB, ""), 0);
    assert_string_equal(fake_fact(&run, "o_direct"), "not honoured");
    assert_non_null(strstr(fake_fact(&run, "o_direct-why"), "a growing file"));
    /* With a queue the file has its length before. */
    assert_int_equal(write_file("queue", MIB, 4 * MIB, ""), 0);
    assert_null(strstr(fake_fact(&run, "o_direct-why"), "a growing file"));
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_boundary_of_fat),
        cmocka_unit_test(what_would_take_too_many_is_refused),
        cmocka_unit_test(each_byte_has_its_place),
        RUN_TEST(a_write_in_parts_is_one_write),
        RUN_TEST(a_last_partial_block_ends_the_last_part),
        RUN_TEST(without_a_name_nothing_is_left),
        RUN_TEST(a_smaller_write_takes_the_larger_ones_place),
        RUN_TEST(a_strangers_file_stays),
        RUN_TEST(what_was_split_is_read_as_one),
        RUN_TEST(what_was_added_to_the_last_part_is_not_read),
        RUN_TEST(random_requests_reach_all_parts),
        RUN_TEST(the_table_is_filled),
        RUN_TEST(a_growing_file_on_fat_is_labelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
