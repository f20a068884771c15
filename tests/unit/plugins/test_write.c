/* storage.write through a fake host: phases, sums, results and what is left behind. */
#include "fake_host.h"
#include "storage/meter.h"
#include "storage/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static char folder[64], phases[128];
static struct dyno_run run;

static int write_run(const char *method, uint64_t bs, uint64_t size, const char *file)
{
    const struct fake_option options[] = {{"method", method, 0}, {"bs", NULL, bs},
                                          {"size", NULL, size},  {"data", "random", 0},
                                          {"file", file, 0},     {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    return storage_write(&fake_host, &run);
}

static double value(unsigned metric)
{
    double value = NAN;
    (void)fake_result(&run, metric, &value);
    return value;
}

static void each_method_writes_all_and_leaves_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *method, *phases;
    } cases[] = {
        {"dd-fsync", "write fsync"},          {"dd-fdatasync", "write fsync"},
        {"dd-direct", "write fsync"},         {"dd-direct-fsync", "write fsync"},
        {"dd-then-sync", "write fsync sync"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(write_run(cases[i].method, MIB, 5 * MIB + 4096, NULL), 0);
        assert_string_equal(fake_phases(&run, phases), cases[i].phases);
        assert_true(run.sums[METRIC_MOVED] == (double)(5 * MIB + 4096));
        assert_int_equal(run.samples[METRIC_DEVICE_WRITTEN], 0); /* no disk is known here */
        assert_true(run.sums[METRIC_REQUESTS] == 6);
        double rate = value(METRIC_RATE), clock = value(METRIC_TRANSFER_TIME);
        bool is_real = strcmp(cases[i].method, "dd-then-sync") == 0;
        double seconds = is_real ? value(METRIC_REAL_TIME) : clock;
        assert_true(fabs(rate * seconds - (double)(5 * MIB + 4096)) < 1);
        assert_true(value(METRIC_REAL_TIME) >= clock);
        assert_true(fake_result(&run, METRIC_SYNC_TIME, NULL));
        assert_string_equal(fake_fact(&run, "engine"), "plain");
        assert_string_equal(fake_fact(&run, "method"), cases[i].method);
        assert_int_equal(strncmp(fake_fact(&run, "dd-line"), "5246976 bytes (5.2 MB, 5.0 MiB)", 31),
                         0);
        assert_int_equal(strncmp(fake_fact(&run, "real-line"), "real 0m", 7), 0);
        bool is_direct = strstr(cases[i].method, "direct") != NULL;
        assert_int_equal(fake_fact(&run, "o_direct")[0] != '\0', is_direct);
        fake_close(&run);
        assert_int_equal(rmdir(folder), 0); /* empty */
        assert_int_equal(mkdir(folder, 0700), 0);
    }
}

static void whole_blocks_go_direct_without_a_flush(void **state)
{
    (void)state;
    assert_int_equal(write_run("dd-direct", MIB, 4 * MIB, NULL), 0);
    assert_string_equal(fake_phases(&run, phases), "write check");
    assert_int_equal(run.done, 4 * MIB); /* the check moves nothing back */
    assert_false(fake_result(&run, METRIC_SYNC_TIME, NULL));
    assert_int_equal(strncmp(fake_fact(&run, "flush"), "no flush", 8), 0);
    assert_int_equal(strncmp(fake_fact(&run, "check"), "fsync after the time", 20), 0);
    fake_close(&run);
}

static void kept_file_holds_every_byte(void **state)
{
    (void)state;
    assert_int_equal(write_run("dd-direct", 65536, 3 * 65536 + 512, "kept"), 0);
    struct stat status;
    assert_int_equal(fstatat(run.target.scratch_dirfd, "kept", &status, 0), 0);
    assert_int_equal(status.st_size, 3 * 65536 + 512);
    assert_int_equal(status.st_mode & 0777, 0600);
    fake_close(&run);
    assert_int_equal(write_run("dd-fsync", 65536, 65536, "kept"), 0); /* ours: replaced */
    assert_int_equal(fstatat(run.target.scratch_dirfd, "kept", &status, 0), 0);
    assert_int_equal(status.st_size, 65536);
    fake_close(&run);
}

static void zeros_stay_zeros(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"method", "dd-fsync", 0}, {"bs", NULL, 4096},
                                          {"size", NULL, 8192},      {"data", "zero", 0},
                                          {"file", "zeros", 0},      {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    assert_int_equal(storage_write(&fake_host, &run), 0);
    unsigned char bytes[8192], none[8192] = {0};
    int fd = openat(run.target.scratch_dirfd, "zeros", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, sizeof bytes), sizeof bytes);
    assert_memory_equal(bytes, none, sizeof none);
    close(fd);
    fake_close(&run);
}

static void strangers_file_survives(void **state)
{
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/mine", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "mine", 4), 4);
    close(fd);
    assert_int_equal(write_run("dd-fsync", 65536, 65536, "mine"), -EEXIST);
    assert_non_null(strstr(run.sentence, "did not write it"));
    assert_int_equal(run.result_count, 0);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 4);
    fake_close(&run);
}

/* The file size limit stands for a device that refuses in mid-run: EFBIG at 2 MiB. */
static void error_ends_without_a_rate(void **state)
{
    (void)state;
    struct rlimit before, limit = {.rlim_cur = 2 * MIB, .rlim_max = RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    static const char *const methods[] = {"dd-fsync", "dd-fdatasync", "dd-direct",
                                          "dd-direct-fsync", "dd-then-sync"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        assert_int_equal(write_run(methods[i], MIB, 8 * MIB, "broken"), -EFBIG);
        assert_non_null(strstr(run.sentence, "File too large after 2097152 of 8388608 bytes"));
        assert_int_equal(run.result_count, 0);
        assert_string_equal(fake_fact(&run, "dd-line"), "");
        assert_true(run.sums[METRIC_MOVED] == (double)(2 * MIB)); /* what went before is told */
        assert_int_equal(faccessat(run.target.scratch_dirfd, "broken", F_OK, 0), -1);
        fake_close(&run);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static void cancel_gives_the_mean_so_far(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"method", "dd-direct", 0},
                                          {"bs", NULL, 4096},
                                          {"size", NULL, UINT64_C(1) << 34},
                                          {"data", "zero", 0},
                                          {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    run.interval_ns = 5000000;
    run.cancel_at[METRIC_MOVED] = 4096;
    assert_int_equal(storage_write(&fake_host, &run), -ECANCELED);
    double moved = run.sums[METRIC_MOVED];
    assert_true(moved >= 4096 && moved < (double)(UINT64_C(1) << 34));
    assert_true(fabs(value(METRIC_RATE) * value(METRIC_TRANSFER_TIME) - moved) < 1);
    assert_string_equal(fake_phases(&run, phases), "write");
    fake_close(&run);
}

static void no_fsync_after_a_cancel(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"method", "dd-fsync", 0}, {"bs", NULL, MIB}, {"size", NULL, MIB}, {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    fake_cancel(&run);
    assert_int_equal(storage_write(&fake_host, &run), -ECANCELED);
    assert_string_equal(fake_phases(&run, phases), "write");
    fake_close(&run);
}

static void room_is_what_will_be_placed(void **state)
{
    (void)state;
    struct fake_option options[] = {
        {"bs", NULL, MIB}, {"count", NULL, 0}, {"size", NULL, 500 * MIB}, {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    assert_int_equal(storage_write_room(&fake_host, &run), 500 * MIB);
    run.options[1].number = 7;
    assert_int_equal(storage_write_room(&fake_host, &run), 7 * MIB);
    run.options[1].number = UINT64_MAX;
    assert_true(storage_write_room(&fake_host, &run) == UINT64_MAX);
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
        TEST(each_method_writes_all_and_leaves_nothing),
        TEST(whole_blocks_go_direct_without_a_flush),
        TEST(kept_file_holds_every_byte),
        TEST(zeros_stay_zeros),
        TEST(strangers_file_survives),
        TEST(error_ends_without_a_rate),
        TEST(cancel_gives_the_mean_so_far),
        TEST(no_fsync_after_a_cancel),
        TEST(room_is_what_will_be_placed),
    };
    (void)signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
