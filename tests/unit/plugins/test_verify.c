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

/* With what it keeps for another run. */
static void leave_run(void)
{
    fake_close(&run);
    fake_folder_remove(folder);
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
    assert_true(value(METRIC_REMAINING) == (double)(64 * MIB));
    assert_non_null(strstr(fake_fact(&run, "kept"), "1 file(s), 1048576 of 67108864 bytes"));
    leave_run(); /* what was written waits for another run */
    open_run(256 * MIB, 50);
    run.interval_ns = 2000000;
    run.cancel_at[METRIC_MOVED] = 1;
    assert_int_equal(storage_verify(&fake_host, &run), -ECANCELED);
    assert_true(value(METRIC_VERIFIED) > 0 && value(METRIC_VERIFIED) < (double)(256 * MIB));
    assert_true(value(METRIC_VERIFIED) + value(METRIC_REMAINING) == (double)(256 * MIB));
    leave_run();
}

/* ---- another run goes on; files of 4 MiB */

static void open_small(uint64_t size, bool is_resumed)
{
    const struct fake_option options[] = {{"size", NULL, size},
                                          {"share", NULL, 50},
                                          {"resume", is_resumed ? "yes" : "no", is_resumed},
                                          {NULL, NULL, 0}};
    fake_open(&run, folder, options);
    run.target.max_file_bytes = 4 * MIB + 1;
}

static unsigned files_left(void)
{
    DIR *dir = opendir(folder);
    unsigned count = 0;
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += entry->d_name[0] != '.' || entry->d_name[1] == 'i';
    closedir(dir);
    return count;
}

/* The n-th file of what was left, its sidecar or another ending. */
static void path_of(unsigned number, const char *ending, char path[320])
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    char tail[32];
    snprintf(tail, sizeof tail, "-%u.tmp", number);
    path[0] = '\0';
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        size_t size = strlen(entry->d_name), most = strlen(tail);
        if (size > most && strcmp(entry->d_name + size - most, tail) == 0)
            snprintf(path, 320, "%s/%.200s%s", folder, entry->d_name, ending);
    }
    closedir(dir);
}

static void damage(unsigned number, off_t at)
{
    char path[320], byte;
    path_of(number, "", path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

static void cancel_reading(struct dyno_run *fake, const char *phase)
{
    if (strcmp(phase, "read") == 0)
        fake_cancel(fake);
}

/* Cancels at the first block of a phase, or later: where the sums get there. */
static void break_off(uint64_t size, unsigned metric, uint64_t at)
{
    fake_folder_make(folder);
    open_small(size, false);
    run.interval_ns = 1000000;
    if (at > 1)
        run.cancel_at[metric] = (double)at;
    else if (metric == METRIC_MOVED)
        run.on_phase = cancel_reading;
    else
        fake_cancel(&run);
    int error = storage_verify(&fake_host, &run);
    assert_int_equal(error, -ECANCELED);
    assert_string_not_equal(fake_fact(&run, "kept"), "");
    fake_close(&run);
}

static void the_rest_is_written_and_all_is_read(void **state)
{
    (void)state;
    break_off(64 * MIB, METRIC_WRITTEN, 1);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), 0);
    assert_string_equal(fake_phases(&run, phases), "check write read");
    assert_true(value(METRIC_VERIFIED) == (double)(64 * MIB));
    assert_true(value(METRIC_REMAINING) == 0);
    double earlier = run.sums[METRIC_MOVED] - (double)(64 * MIB); /* the check came first */
    assert_true(earlier > 0 && earlier < (double)(64 * MIB));
    assert_true(run.sums[METRIC_WRITTEN] == (double)(64 * MIB) - earlier);
    assert_non_null(strstr(fake_fact(&run, "resumed"), "of 67108864 bytes"));
    close_run();
}

static void what_was_all_written_is_only_read(void **state)
{
    (void)state;
    break_off(64 * MIB, METRIC_MOVED, 1);
    open_small(64 * MIB, true); /* the same size may be named */
    assert_int_equal(storage_verify(&fake_host, &run), 0);
    assert_string_equal(fake_phases(&run, phases), "read");
    assert_true(value(METRIC_VERIFIED) == (double)(64 * MIB));
    assert_true(run.sums[METRIC_WRITTEN] == 0);
    close_run();
}

static void damage_in_between_is_named_by_file_and_offset(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        break_off(64 * MIB, i == 0 ? METRIC_WRITTEN : METRIC_MOVED, i == 0 ? 16 * MIB : 1);
        damage(2, 3 * MIB + 700);
        open_small(0, true);
        assert_int_equal(storage_verify(&fake_host, &run), -EBADMSG);
        assert_string_equal(fake_phases(&run, phases), i == 0 ? "check" : "read");
        assert_true(value(METRIC_WRONG_SECTORS) == 1);
        assert_true(value(METRIC_FIRST_WRONG) == (double)(11 * MIB + 512));
        assert_non_null(strstr(run.sentence, "-2.tmp at byte 3146240"));
        assert_non_null(strstr(run.sentence, "it holds other data than was written"));
        assert_string_equal(run.event_code, "fake-capacity");
        close_run(); /* what is decided is not kept */
    }
}

/* As a power cut leaves it: the stamp of the last file does not say how far it was flushed. */
static void unsettle(unsigned number)
{
    char path[320], text[1024];
    path_of(number, ".stamp", path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t size = read(fd, text, sizeof text - 1);
    assert_true(size > 0);
    text[size] = '\0';
    char *bytes = strstr(text, "\nbytes "), *name = strstr(text, "\nname ");
    assert_non_null(bytes);
    memmove(bytes, name, strlen(name) + 1);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
    close(fd);
}

static void the_end_that_a_power_cut_took_is_written_again(void **state)
{
    (void)state;
    break_off(64 * MIB, METRIC_MOVED, 1);
    unsettle(15);
    damage(15, 2 * MIB + 5);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), 0);
    assert_string_equal(fake_phases(&run, phases), "read write read");
    assert_non_null(strstr(fake_fact(&run, "written-again"), "the last 2097152 bytes"));
    assert_true(run.sums[METRIC_WRITTEN] == (double)(2 * MIB));
    assert_true(value(METRIC_VERIFIED) == (double)(64 * MIB));
    close_run();
    /* But not what had been flushed before it. */
    break_off(64 * MIB, METRIC_MOVED, 1);
    unsettle(15);
    damage(14, 5);
    damage(15, 2 * MIB + 5);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), -EBADMSG);
    assert_true(value(METRIC_FIRST_WRONG) == (double)(56 * MIB));
    assert_true(value(METRIC_WRONG_SECTORS) == 1);
    close_run();
}

static void broken_off_twice(void **state)
{
    (void)state;
    break_off(64 * MIB, METRIC_WRITTEN, 1);
    for (unsigned i = 0; i < 3; i++) {
        open_small(0, true);
        run.interval_ns = 1000000;
        run.cancel_at[i == 1 ? METRIC_MOVED : METRIC_WRITTEN] = 1;
        int error = storage_verify(&fake_host, &run);
        assert_true(error == -ECANCELED);
        assert_true(value(METRIC_REMAINING) > 0);
        fake_close(&run);
    }
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), 0);
    assert_true(value(METRIC_VERIFIED) == (double)(64 * MIB));
    close_run();
}

static void a_strangers_file_is_left_alone(void **state)
{
    (void)state;
    static const char text[] = "holiday photographs";
    char path[320], stamp[320], taken[64] = "";
    break_off(64 * MIB, METRIC_MOVED, 1);
    path_of(7, "", path); /* in the place of one of ours, which was moved away with its stamp */
    path_of(7, ".stamp", stamp);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(stamp), 0);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, sizeof text), sizeof text);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), -EEXIST);
    assert_non_null(strstr(run.sentence, "exists, and iodyno did not write it"));
    assert_int_equal(run.phase_count, 0);
    fake_close(&run);
    open_small(8 * MIB, false); /* nor does a fresh start remove it */
    assert_int_equal(storage_verify(&fake_host, &run), 0);
    fake_close(&run);
    assert_int_equal(files_left(), 1);
    assert_int_equal(pread(fd, taken, sizeof taken, 0), sizeof text);
    assert_string_equal(taken, text);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_file_that_was_put_in_place_of_ours_is_not_ours(void **state)
{
    (void)state;
    char path[320], other[400];
    break_off(64 * MIB, METRIC_MOVED, 1);
    path_of(3, "", path); /* under our stamp: another inode */
    snprintf(other, sizeof other, "%s.new", path);
    int fd = open(other, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, 4 * MIB), 0);
    close(fd);
    assert_int_equal(rename(other, path), 0);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), -EEXIST);
    leave_run();
}

static void a_missing_or_cut_file_ends_it(void **state)
{
    (void)state;
    char path[320];
    break_off(64 * MIB, METRIC_MOVED, 1);
    path_of(3, "", path);
    assert_int_equal(truncate(path, 4 * MIB - 512), 0);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), -EBADMSG);
    assert_non_null(strstr(run.sentence, "the file before it was cut"));
    assert_int_equal(run.phase_count, 0);
    leave_run();
}

/* The stamps are text that anybody may have written: one that allows its file to reach into the
 * next one's place does not make it ours. */
static void a_file_longer_than_its_place_is_not_ours(void **state)
{
    (void)state;
    char path[320], text[1024];
    break_off(64 * MIB, METRIC_MOVED, 1);
    path_of(3, "", path);
    assert_int_equal(truncate(path, 8 * MIB), 0);
    path_of(3, ".stamp", path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t size = read(fd, text, sizeof text - 1);
    assert_true(size > 0);
    text[size] = '\0';
    char *planned = strstr(text, "planned 4");
    assert_non_null(planned);
    planned[strlen("planned ")] = '9';
    assert_int_equal(pwrite(fd, text, (size_t)size, 0), size);
    close(fd);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), -EEXIST);
    assert_non_null(strstr(run.sentence, "exists, and iodyno did not write it"));
    assert_int_equal(run.phase_count, 0);
    leave_run();
}

static void what_cannot_be_resumed_is_said(void **state)
{
    (void)state;
    fake_folder_make(folder);
    open_small(0, true);
    assert_int_equal(storage_verify(&fake_host, &run), -ENOENT);
    assert_non_null(strstr(run.sentence, "holds nothing that an earlier verify left"));
    close_run();
    break_off(64 * MIB, METRIC_WRITTEN, 12 * MIB);
    unsigned before = files_left();
    open_small(16 * MIB, true);
    assert_int_equal(storage_verify(&fake_host, &run), -EINVAL);
    assert_non_null(strstr(run.sentence, "has a size of 67108864 bytes"));
    fake_close(&run);
    open_small(0, true);
    run.target.free_bytes = 2 * MIB;
    assert_int_equal(storage_verify(&fake_host, &run), -ENOSPC);
    fake_close(&run);
    assert_int_equal(files_left(), before);
    /* A fresh start gives its room back first, and counts it in. */
    open_small(0, false);
    run.target.free_bytes = 2 * MIB;
    int error = storage_verify(&fake_host, &run);
    assert_int_equal(error, 0);
    assert_true(value(METRIC_VERIFIED) > 2.0 * MIB);
    close_run();
}

static void room_is_asked_for_once(void **state)
{
    (void)state;
    fake_folder_make(folder);
    open_small(16 * MIB, false);
    assert_true(storage_verify_room(&fake_host, &run) == 16 * MIB);
    fake_close(&run);
    open_small(16 * MIB, true);
    assert_true(storage_verify_room(&fake_host, &run) == 0);
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
        cmocka_unit_test(the_rest_is_written_and_all_is_read),
        cmocka_unit_test(what_was_all_written_is_only_read),
        cmocka_unit_test(damage_in_between_is_named_by_file_and_offset),
        cmocka_unit_test(the_end_that_a_power_cut_took_is_written_again),
        cmocka_unit_test(broken_off_twice),
        cmocka_unit_test(a_strangers_file_is_left_alone),
        cmocka_unit_test(a_file_that_was_put_in_place_of_ours_is_not_ours),
        cmocka_unit_test(a_missing_or_cut_file_ends_it),
        cmocka_unit_test(a_file_longer_than_its_place_is_not_ours),
        cmocka_unit_test(what_cannot_be_resumed_is_said),
        cmocka_unit_test(room_is_asked_for_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
