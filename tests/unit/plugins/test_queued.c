/* storage.write and storage.read with method=queue, and random, through a fake host. */
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
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static char folder[64], phases[128];
static struct dyno_run run;
static const char *const engines[] = {"auto", "threads"};

static void open_run(const char *engine, uint64_t bs, uint64_t size, uint64_t depth,
                     const char *file)
{
    const struct fake_option options[] = {{"method", "queue", 0}, {"bs", NULL, bs},
                                          {"size", NULL, size},   {"data", "random", 0},
                                          {"file", file, 0},      {"depth", NULL, depth},
                                          {"engine", engine, 0},  {NULL, NULL, 0}};
    fake_open(&run, folder, options);
}

static double value(unsigned metric)
{
    double value = NAN;
    (void)fake_result(&run, metric, &value);
    return value;
}

static void check_results(uint64_t bytes, uint64_t bs)
{
    assert_true(run.sums[METRIC_MOVED] == (double)bytes);
    assert_true(fabs(value(METRIC_RATE) * value(METRIC_TRANSFER_TIME) - (double)bytes) < 1);
    assert_true(fabs(value(METRIC_IOPS) * value(METRIC_TRANSFER_TIME) - (double)(bytes / bs)) <
                0.01);
    assert_true(value(METRIC_LATENCY_P50) > 0);
    assert_true(value(METRIC_LATENCY_P50) <= value(METRIC_LATENCY_P95));
    assert_true(value(METRIC_LATENCY_P999) <= value(METRIC_LATENCY_MAX));
    assert_true(value(METRIC_STALLS) >= 0);
}

static void writes_whole_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_run(engines[i], 65536, 4 * MIB + 1000, 8, "out");
        assert_int_equal(storage_write(&fake_host, &run), 0);
        assert_string_equal(fake_phases(&run, phases), "write fsync");
        check_results(4 * MIB, 65536);
        assert_true(value(METRIC_SYNC_TIME) >= 0);
        struct stat status;
        assert_int_equal(fstatat(run.target.scratch_dirfd, "out", &status, 0), 0);
        assert_int_equal(status.st_size, 4 * MIB);
        assert_true(fake_fact(&run, "engine")[0] != '\0');
        assert_string_equal(fake_fact(&run, "dd-line"), "");
        fake_close(&run);
    }
}

static void reads_its_own_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_run(engines[i], 65536, 4 * MIB, 8, NULL);
        assert_int_equal(storage_read(&fake_host, &run), 0);
        assert_string_equal(fake_phases(&run, phases), "prepare read");
        check_results(4 * MIB, 65536);
        assert_true(run.sums[METRIC_PREPARED] == (double)(4 * MIB));
        fake_close(&run);
        assert_int_equal(rmdir(folder), 0); /* empty */
        assert_int_equal(mkdir(folder, 0700), 0);
    }
}

static void reads_a_whole_device(void **state)
{
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/disk", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600); /* stands for the node */
    assert_true(fd >= 0 && ftruncate(fd, 3 * MIB) == 0);
    static const char *const methods[] = {"queue", "dd-direct", "dd", "dd-cold"};
    for (size_t i = 0; i < 4; i++) {
        open_run("auto", MIB, 500 * MIB, 2, NULL);
        run.options[0].text = methods[i];
        close(run.target.scratch_dirfd);
        run.target.scratch_dirfd = -1;
        run.target.raw_fd = fd;
        assert_int_equal(storage_read(&fake_host, &run), i < 2 ? 0 : -EINVAL);
        if (i < 2) {
            assert_string_equal(fake_phases(&run, phases), "read");
            assert_true(run.sums[METRIC_MOVED] == (double)(3 * MIB));
            assert_string_equal(fake_fact(&run, "o_direct"), "honoured");
        } else {
            assert_non_null(strstr(run.sentence, "dd-direct"));
        }
        fake_close(&run);
    }
    close(fd);
}

static void an_older_host_has_no_device(void **state)
{
    (void)state;
    open_run("auto", MIB, 2 * MIB, 2, NULL);
    run.target.size = offsetof(struct dyno_target, raw_fd);
    run.target.raw_fd = 0; /* whatever lies there */
    assert_int_equal(storage_read(&fake_host, &run), 0);
    assert_string_equal(fake_phases(&run, phases), "prepare read");
    fake_close(&run);
}

static void refuses_before_the_first_phase(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        uint64_t bs, size, depth;
        int error;
        const char *word;
    } rows[] = {{"plain", 4096, MIB, 2, -EINVAL, "engine=plain"},
                {"auto", 4096, MIB, 0, -ERANGE, "depth=0"},
                {"auto", 4096, MIB, 257, -ERANGE, "depth=257"},
                {"auto", 4 * MIB, 64 * MIB, 65, -ERANGE, "256 MiB"},
                {"auto", MIB, MIB - 1, 1, -ERANGE, "less than one block"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_run(rows[i].engine, rows[i].bs, rows[i].size, rows[i].depth, NULL);
        assert_int_equal(storage_write(&fake_host, &run), rows[i].error);
        assert_non_null(strstr(run.sentence, rows[i].word));
        assert_int_equal(run.phase_count, 0);
        fake_close(&run);
    }
}

static void time_belongs_to_the_queue(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"method", "dd-direct", 0},
                                          {"bs", NULL, MIB},
                                          {"size", NULL, MIB},
                                          {"time", NULL, 1000000000},
                                          {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    assert_int_equal(storage_write(&fake_host, &run), -EINVAL);
    assert_non_null(strstr(run.sentence, "method=queue"));
    fake_close(&run);
}

static int random_run(const char *mode, const char *engine, uint64_t depth)
{
    const struct fake_option options[] = {{"mode", mode, 0},       {"bs", NULL, 4096},
                                          {"size", NULL, 4 * MIB}, {"depth", NULL, depth},
                                          {"engine", engine, 0},   {"time", NULL, 50000000},
                                          {"reads", NULL, 70},     {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    return storage_random(&fake_host, &run);
}

static void random_counts_its_requests(void **state)
{
    (void)state;
    static const char *const modes[] = {"read", "write", "mix"};
    static const char *const expected[] = {"prepare read", "prepare write fsync",
                                           "prepare mix fsync"};
    for (size_t m = 0; m < 3; m++) {
        for (size_t e = 0; e < 2; e++) {
            assert_int_equal(random_run(modes[m], engines[e], e ? 4 : 1), 0);
            assert_string_equal(fake_phases(&run, phases), expected[m]);
            double read = run.sums[METRIC_MOVED];
            double written = run.sums[METRIC_WRITTEN] - 4 * (double)MIB; /* after the prepare */
            assert_true(m == 1 ? read == 0 : read > 0);
            assert_true(m == 0 ? written == 0 : written > 0);
            double requests = value(METRIC_IOPS) * value(METRIC_TRANSFER_TIME);
            assert_true(fabs(requests * 4096 - read - written) < 1);
            assert_true(value(METRIC_LATENCY_P99) > 0);
            assert_int_equal(fake_fact(&run, "a1")[0] != '\0', m < 2);
            fake_close(&run);
        }
    }
}

static void random_is_cancelled_with_a_mean(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"mode", "read", 0}, {"bs", NULL, 4096},    {"size", NULL, 4 * MIB},
        {"depth", NULL, 4},  {"engine", "auto", 0}, {"time", NULL, UINT64_C(60000000000)},
        {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    run.interval_ns = 2000000;
    run.cancel_at[METRIC_MOVED] = 4096;
    assert_int_equal(storage_random(&fake_host, &run), -ECANCELED);
    assert_true(value(METRIC_IOPS) > 0);
    fake_close(&run);
    open_run("auto", 4096, 64 * MIB, 4, NULL); /* and in prepare without one */
    fake_cancel(&run);
    assert_int_equal(storage_read(&fake_host, &run), -ECANCELED);
    assert_int_equal(run.result_count, 0);
    fake_close(&run);
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
    fake_folder_remove(folder);
    return 0;
}

static bool is_full;

/* In place of the C library's, for all that is linked into this test. */
int fallocate(int fd, int mode, off_t offset, off_t length)
{
    if (is_full) {
        errno = ENOSPC;
        return -1;
    }
    (void)mode; /* 0 */
    errno = posix_fallocate(fd, offset, length);
    return errno ? -1 : 0;
}

/* Its parts before the one that did not fit would hold all the room there was. */
static void a_file_without_room_does_not_stay(void **state)
{
    (void)state;
    struct stat status;
    open_run("auto", MIB, 4 * MIB, 2, "out");
    is_full = true;
    assert_int_equal(storage_write(&fake_host, &run), -ENOSPC);
    is_full = false;
    assert_non_null(strstr(run.sentence, "fallocate on"));
    assert_int_equal(fstatat(run.target.scratch_dirfd, "out", &status, 0), -1);
    assert_int_equal(errno, ENOENT);
    fake_close(&run);
    assert_int_equal(rmdir(folder), 0); /* nor its stamp */
    assert_int_equal(mkdir(folder, 0700), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(writes_whole_blocks),
        CASE(reads_its_own_file),
        CASE(reads_a_whole_device),
        CASE(an_older_host_has_no_device),
        CASE(refuses_before_the_first_phase),
        CASE(time_belongs_to_the_queue),
        CASE(random_counts_its_requests),
        CASE(random_is_cancelled_with_a_mean),
        CASE(a_file_without_room_does_not_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
