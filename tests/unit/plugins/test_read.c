/* storage.read through a fake host: phases, amounts, the cached share. */
#include "fake_host.h"
#include "storage/meter.h"
#include "storage/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define TMPFS_MAGIC_NUMBER 0x01021994

static char folder[64], phases[128];
static struct dyno_run run;

static int read_run(const char *method, uint64_t bs, uint64_t size, const char *file)
{
    const struct fake_option options[] = {{"method", method, 0}, {"bs", NULL, bs},
                                          {"size", NULL, size},  {"data", "random", 0},
                                          {"file", file, 0},     {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    return storage_read(&fake_host, &run);
}

static double value(unsigned metric)
{
    double value = NAN;
    (void)fake_result(&run, metric, &value);
    return value;
}

static void put(const char *name, size_t size)
{
    char path[96], block[4096];
    memset(block, 'x', sizeof block);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (size_t at = 0; at < size; at += sizeof block) {
        size_t part = size - at < sizeof block ? size - at : sizeof block;
        assert_int_equal(write(fd, block, part), (ssize_t)part);
    }
    close(fd);
}

static bool is_in_ram(void)
{
    struct statfs filesystem;
    return statfs(folder, &filesystem) == 0 && filesystem.f_type == TMPFS_MAGIC_NUMBER;
}

static void own_file_is_prepared_outside_the_rate(void **state)
{
    (void)state;
    static const char *const methods[] = {"dd-direct", "dd-cold", "dd"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(read_run(methods[i], MIB, 4 * MIB, NULL), 0);
        assert_string_equal(fake_phases(&run, phases), "prepare read");
        assert_true(run.sums[METRIC_MOVED] == (double)(4 * MIB));
        assert_true(run.sums[METRIC_PREPARED] == (double)(4 * MIB));
        assert_true(run.last_t1[METRIC_PREPARED] <= run.first_t0[METRIC_MOVED]);
        assert_true(fabs(value(METRIC_RATE) * value(METRIC_TRANSFER_TIME) - 4 * MIB) < 1);
        assert_int_equal(fake_fact(&run, "o_direct")[0] != '\0', i == 0);
        if (!is_in_ram() && fake_result(&run, METRIC_CACHED, NULL)) {
            double cached = value(METRIC_CACHED);
            assert_true(i == 2 ? cached > 0.95 : cached < 0.05);
        }
        fake_close(&run);
        assert_int_equal(rmdir(folder), 0); /* empty */
        assert_int_equal(mkdir(folder, 0700), 0);
    }
}

static void given_file_is_read_to_its_end_and_kept(void **state)
{
    (void)state;
    put("data", 3 * MIB + 100);
    static const char *const methods[] = {"dd-direct", "dd-cold", "dd"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(read_run(methods[i], MIB, 500 * MIB, "data"), 0);
        assert_true(run.sums[METRIC_MOVED] == (double)(3 * MIB + 100));
        assert_int_equal(run.samples[METRIC_PREPARED], 0);
        assert_int_equal(run.sums[METRIC_REQUESTS], 4);
        fake_close(&run);
        assert_int_equal(read_run(methods[i], 65536, 65536 + 512, "data"), 0);
        assert_true(run.sums[METRIC_MOVED] == 65536 + 512); /* size takes part of it */
        struct stat status;
        assert_int_equal(fstatat(run.target.scratch_dirfd, "data", &status, 0), 0);
        assert_int_equal(status.st_size, 3 * MIB + 100);
        fake_close(&run);
    }
}

static void nothing_to_read_is_a_sentence(void **state)
{
    (void)state;
    assert_int_equal(read_run("dd", MIB, MIB, "absent"), -ENOENT);
    assert_non_null(strstr(run.sentence, "absent"));
    assert_int_equal(run.phase_count, 0); /* a refusal comes before the first phase */
    fake_close(&run);
    put("empty", 0);
    assert_int_equal(read_run("dd", MIB, MIB, "empty"), -ENODATA);
    assert_non_null(strstr(run.sentence, "empty"));
    assert_int_equal(run.result_count, 0);
    fake_close(&run);
}

static void cancel_in_prepare_has_no_rate(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"method", "dd-cold", 0}, {"bs", NULL, MIB}, {"size", NULL, 64 * MIB}, {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    fake_cancel(&run);
    assert_int_equal(storage_read(&fake_host, &run), -ECANCELED);
    assert_int_equal(run.result_count, 0);
    assert_string_equal(fake_phases(&run, phases), "prepare");
    fake_close(&run);
}

static void cancel_in_read_gives_the_mean_so_far(void **state)
{
    (void)state;
    put("data", 64 * MIB);
    const struct fake_option options[] = {{"method", "dd", 0},
                                          {"bs", NULL, 512},
                                          {"size", NULL, 64 * MIB},
                                          {"file", "data", 0},
                                          {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    run.interval_ns = 2000000;
    run.cancel_at[METRIC_MOVED] = 512;
    assert_int_equal(storage_read(&fake_host, &run), -ECANCELED);
    assert_true(run.sums[METRIC_MOVED] < (double)(64 * MIB));
    assert_true(fabs(value(METRIC_RATE) * value(METRIC_TRANSFER_TIME) - run.sums[METRIC_MOVED]) <
                1);
    fake_close(&run);
}

static void room_is_none_for_a_given_file(void **state)
{
    (void)state;
    struct fake_option options[] = {
        {"size", NULL, 500 * MIB}, {"file", "data", 0}, {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    assert_int_equal(storage_read_room(&fake_host, &run), 0);
    run.options[1].text = "";
    assert_int_equal(storage_read_room(&fake_host, &run), 500 * MIB);
    fake_close(&run);
}

static int setup(void **state)
{
    (void)state;
    fake_folder_make(folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fake_folder_remove(folder);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(own_file_is_prepared_outside_the_rate), TEST(given_file_is_read_to_its_end_and_kept),
        TEST(nothing_to_read_is_a_sentence),         TEST(cancel_in_prepare_has_no_rate),
        TEST(cancel_in_read_gives_the_mean_so_far),  TEST(room_is_none_for_a_given_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
