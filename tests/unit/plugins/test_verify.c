/* storage.verify through a fake host that spoils what was written. */
#include "storage/verify.h"

#include "fake_host.h"
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

static char folder[64], phases[128];
static struct dyno_run run;

static void open_run(uint64_t size, uint64_t share)
{
    const struct fake_option options[] = {
        {"size", NULL, size}, {"share", NULL, share}, {NULL, NULL, 0}};
    fake_folder_make(folder);
    fake_open(&run, folder, options);
    run.target.has_tmpfile = 0; /* named, so that the spoiler finds it */
}

static void close_run(void)
{
    fake_close(&run);
    assert_int_equal(rmdir(folder), 0); /* it left nothing */
}

static double value(unsigned metric)
{
    double value = NAN;
    (void)fake_result(&run, metric, &value);
    return value;
}

static int open_data(void)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int fd = -1;
    while (dir && fd < 0 && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ".tmp") == 0)
            fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC);
    }
    if (dir)
        closedir(dir);
    assert_true(fd >= 0);
    return fd;
}

/* An address that wraps at 4 MiB: what was written last is what the first MiB holds. */
static void wrap(struct dyno_run *fake, const char *phase)
{
    (void)fake;
    static char block[1 << 20];
    if (strcmp(phase, "read") != 0)
        return;
    int fd = open_data();
    assert_int_equal(pread(fd, block, MIB, 4 * MIB), MIB);
    assert_int_equal(pwrite(fd, block, MIB, 0), MIB);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

static void flip(struct dyno_run *fake, const char *phase)
{
    (void)fake;
    char byte;
    if (strcmp(phase, "read") != 0)
        return;
    int fd = open_data();
    assert_int_equal(pread(fd, &byte, 1, 3 * MIB + 700), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, 3 * MIB + 700), 1);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

static void what_comes_back_is_verified(void **state)
{
    (void)state;
    for (unsigned has_tmpfile = 0; has_tmpfile < 2; has_tmpfile++) {
        open_run(6 * MIB + 5, 50);
        run.target.has_tmpfile = has_tmpfile;
        assert_int_equal(storage_verify(&fake_host, &run), 0);
        assert_string_equal(fake_phases(&run, phases), "write read");
        assert_true(value(METRIC_VERIFIED) == (double)(6 * MIB));
        assert_true(value(METRIC_WRONG_SECTORS) == 0);
        assert_true(run.sums[METRIC_MOVED] == (double)(6 * MIB));
        assert_true(run.sums[METRIC_WRITTEN] == (double)(6 * MIB));
        assert_false(fake_result(&run, METRIC_FIRST_WRONG, NULL));
        assert_int_equal(run.events, 0);
        close_run();
    }
}

static void a_wrapped_address_is_found(void **state)
{
    (void)state;
    open_run(8 * MIB, 50);
    run.on_phase = wrap;
    assert_int_equal(storage_verify(&fake_host, &run), -EBADMSG);
    assert_string_equal(run.event_code, "fake-capacity");
    assert_int_equal(run.events, 1);
    assert_true(value(METRIC_WRONG_SECTORS) == 2048);
    assert_true(value(METRIC_FIRST_WRONG) == 0);
    assert_true(value(METRIC_VERIFIED) == (double)(7 * MIB));
    assert_non_null(strstr(run.sentence, "2048 of 16384 sectors"));
    assert_non_null(strstr(run.sentence, "written to byte 4194304"));
    close_run();
}

static void one_flipped_bit_is_found(void **state)
{
    (void)state;
    open_run(8 * MIB, 50);
    run.on_phase = flip;
    assert_int_equal(storage_verify(&fake_host, &run), -EBADMSG);
    assert_true(value(METRIC_WRONG_SECTORS) == 1);
    assert_true(value(METRIC_FIRST_WRONG) == (double)(3 * MIB + 512));
    assert_non_null(strstr(run.sentence, "other data"));
    close_run();
}

static void a_share_of_the_room_is_taken(void **state)
{
    (void)state;
    open_run(0, 25);
    run.target.free_bytes = 16 * MIB;
    assert_int_equal(storage_verify(&fake_host, &run), 0);
    assert_true(value(METRIC_VERIFIED) == (double)(3 * MIB) || /* whole MiB of a 25th percent */
                value(METRIC_VERIFIED) == (double)(4 * MIB));
    close_run();
    open_run(0, 50);
    run.target.free_bytes = MIB;
    assert_int_equal(storage_verify(&fake_host, &run), -ENOSPC);
    assert_int_equal(run.phase_count, 0);
    close_run();
    open_run(32 * MIB, 50);
    run.target.free_bytes = 16 * MIB; /* never into the reserve */
    assert_int_equal(storage_verify(&fake_host, &run), -ENOSPC);
    close_run();
}

static void cancelled_in_either_phase(void **state)
{
    (void)state;
    open_run(64 * MIB, 50);
    fake_cancel(&run);
    assert_int_equal(storage_verify(&fake_host, &run), -ECANCELED);
    assert_false(fake_result(&run, METRIC_VERIFIED, NULL));
    close_run();
    open_run(256 * MIB, 50);
    run.interval_ns = 2000000;
    run.cancel_at[METRIC_MOVED] = 1;
    assert_int_equal(storage_verify(&fake_host, &run), -ECANCELED);
    assert_true(value(METRIC_VERIFIED) > 0 && value(METRIC_VERIFIED) < (double)(256 * MIB));
    close_run();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_back_is_verified),
        cmocka_unit_test(a_wrapped_address_is_found),
        cmocka_unit_test(one_flipped_bit_is_found),
        cmocka_unit_test(a_share_of_the_room_is_taken),
        cmocka_unit_test(cancelled_in_either_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
