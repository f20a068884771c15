/* job: options to a plan, refusals, and the command by hand. */
#include "storage/job.h"

#include "fake_host.h"

#include <errno.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static struct dyno_run run;
static struct job job;
static char why[JOB_WHY_MAX], command[JOB_COMMAND_MAX];

static int parse(const struct method *methods, const char *method, uint64_t bs, uint64_t count,
                 uint64_t size, const char *file)
{
    const struct fake_option options[] = {{"method", method, 0},  {"bs", NULL, bs},
                                          {"count", NULL, count}, {"size", NULL, size},
                                          {"data", "zero", 0},    {"file", file ? file : "", 0},
                                          {"depth", NULL, 4},     {NULL, NULL, 0}};
    fake_close(&run);
    fake_open(&run, "/", options);
    why[0] = '\0';
    return job_parse(&fake_host, &run, methods, &job, why);
}

static void count_takes_the_place_of_size(void **state)
{
    (void)state;
    assert_int_equal(parse(write_methods, "dd-fsync", MIB, 0, 500 * MIB, NULL), 0);
    assert_int_equal(job.total, 500 * MIB);
    assert_int_equal(parse(write_methods, "dd-fsync", 65536, 10240, 500 * MIB, NULL), 0);
    assert_int_equal(job.total, 671088640);
    assert_int_equal(parse(write_methods, "dd-fsync", MIB, UINT64_MAX, 0, NULL), -ERANGE);
}

static void methods_are_rows(void **state)
{
    (void)state;
    for (size_t i = 0; write_methods[i].name; i++) {
        assert_string_equal(write_methods[i].name, write_method_names[i]);
        assert_int_equal(parse(write_methods, write_method_names[i], MIB, 1, 0, NULL), 0);
        assert_ptr_equal(job.method, &write_methods[i]);
        assert_non_null(job.method->flush);
    }
    for (size_t i = 0; read_methods[i].name; i++)
        assert_string_equal(read_methods[i].name, read_method_names[i]);
    assert_int_equal(parse(write_methods, "dd-cold", MIB, 1, 0, NULL), -EINVAL);
    assert_non_null(strstr(why, "dd-cold"));
}

static void refuses_at_the_bounds(void **state)
{
    (void)state;
    assert_int_equal(parse(write_methods, "dd-fsync", 512, 1, 0, NULL), 0);
    assert_int_equal(parse(write_methods, "dd-fsync", 511, 1, 0, NULL), -ERANGE);
    assert_int_equal(parse(write_methods, "dd-fsync", 64 * MIB, 1, 0, NULL), 0);
    assert_int_equal(parse(write_methods, "dd-fsync", 64 * MIB + 1, 1, 0, NULL), -ERANGE);
    assert_int_equal(parse(write_methods, "dd-fsync", MIB, 0, 1, NULL), 0);
    assert_int_equal(parse(write_methods, "dd-fsync", MIB, 0, 0, NULL), -ERANGE);
    assert_int_equal(parse(write_methods, "dd-direct", 1000, 1, 0, NULL), -EINVAL);
    assert_non_null(strstr(why, "bs=1000"));
    assert_int_equal(parse(write_methods, "dd-fsync", 1000, 1, 0, NULL), 0);
}

static void refuses_files_elsewhere(void **state)
{
    (void)state;
    static const char *const bad[] = {"/etc/passwd", "a/b", "..", ".", ".iodyno-x", "a\nb"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(parse(write_methods, "dd-fsync", MIB, 1, 0, bad[i]), -EINVAL);
    assert_int_equal(parse(write_methods, "dd-fsync", MIB, 1, 0, "test.img"), 0);
}

static void needs_a_folder_that_takes_the_size(void **state)
{
    (void)state;
    assert_int_equal(parse(write_methods, "dd-fsync", MIB, 8, 0, NULL), 0);
    assert_int_equal(job.part_bytes, 0);
    run.target.max_file_bytes = 8 * MIB - 1; /* then in two */
    assert_int_equal(job_parse(&fake_host, &run, write_methods, &job, why), 0);
    assert_int_equal(job.part_bytes, 7 * MIB);
    run.target.max_file_bytes = MIB - 1; /* not even one block */
    assert_int_equal(job_parse(&fake_host, &run, write_methods, &job, why), -EFBIG);
    assert_non_null(strstr(why, "choose a smaller size or bs"));
    run.target.max_file_bytes = 8 * MIB;
    assert_int_equal(job_parse(&fake_host, &run, write_methods, &job, why), 0);
    assert_int_equal(job.part_bytes, 0);
    run.target.max_file_bytes = 0;
    int fd = run.target.scratch_dirfd;
    run.target.scratch_dirfd = -1;
    assert_int_equal(job_parse(&fake_host, &run, write_methods, &job, why), -ENOTDIR);
    run.target.scratch_dirfd = fd;
}

static void command_of(bool is_write, const char *folder, const char *expected)
{
    run.target.path = folder;
    job_command(&job, is_write, command);
    assert_string_equal(command, expected);
}

static void commands_by_hand(void **state)
{
    (void)state;
    parse(write_methods, "dd-fsync", MIB, 500, 0, "t");
    command_of(true, "/", "dd if=/dev/zero of=/t bs=1M count=500 conv=fsync");
    parse(write_methods, "dd-direct-fsync", MIB, 0, 500 * MIB, NULL);
    command_of(true, "/media/my card",
               "dd if=/dev/zero of='/media/my card/dd-test-file' bs=1M count=500 oflag=direct "
               "conv=fsync");
    parse(write_methods, "dd-then-sync", 65536, 10240, 0, NULL);
    command_of(true, "/m'n",
               "dd if=/dev/zero of='/m'\\''n/dd-test-file' bs=64K count=10240 && sync");
    parse(write_methods, "dd-direct", MIB, 0, 1500000, "t");
    command_of(true, "/m",
               "dd if=/dev/zero of=/m/t bs=1M count=1500000 iflag=count_bytes oflag=direct");
    parse(read_methods, "dd-direct", MIB, 500, 0, "t");
    command_of(false, "/m", "dd if=/m/t of=/dev/null bs=1M count=500 iflag=direct");
    parse(read_methods, "dd-direct", MIB, 0, 1500000, "t");
    command_of(false, "/m", "dd if=/m/t of=/dev/null bs=1M count=2 iflag=direct");
    parse(read_methods, "dd-cold", 4096, 3, 0, "t");
    command_of(false, "/m",
               "dd if=/m/t iflag=nocache count=0 && dd if=/m/t of=/dev/null bs=4K count=3");
    parse(read_methods, "dd", MIB, 500, 0, NULL);
    command_of(false, "/m",
               "dd if=/dev/zero of=/m/dd-test-file bs=1M count=500 conv=fsync && dd "
               "if=/m/dd-test-file of=/dev/null bs=1M count=500");
}

static void parse_on_fat(const struct method *methods, const char *method, uint64_t bs,
                         uint64_t count, uint64_t size, const char *file)
{
    (void)parse(methods, method, bs, count, size, file);
    run.target.max_file_bytes = UINT32_MAX;
    assert_int_equal(job_parse(&fake_host, &run, methods, &job, why), 0);
}

/* 6 GiB on FAT32, and a size that ends within a file. */
static void commands_for_several_files(void **state)
{
    (void)state;
    parse_on_fat(write_methods, "dd-fsync", MIB, 6144, 0, NULL);
    command_of(true, "/m",
               "for i in $(seq 6); do dd if=/dev/zero of=/m/dd-test-file.$i bs=1M count=1024; done "
               "&& sync /m/dd-test-file.*");
    parse_on_fat(write_methods, "dd-direct", MIB, 5000, 0, NULL);
    command_of(true, "/m",
               "for i in $(seq 4); do dd if=/dev/zero of=/m/dd-test-file.$i bs=1M count=1024 "
               "oflag=direct; done && dd if=/dev/zero of=/m/dd-test-file.5 bs=1M count=904 "
               "oflag=direct");
    parse_on_fat(write_methods, "dd-fdatasync", MIB, 6144, 0, NULL);
    command_of(true, "/a b",
               "for i in $(seq 6); do dd if=/dev/zero of='/a b/dd-test-file'.$i bs=1M count=1024; "
               "done && sync -d '/a b/dd-test-file'.*");
    parse_on_fat(write_methods, "dd-then-sync", MIB, 6144, 0, "t");
    command_of(true, "/m",
               "for i in $(seq 6); do dd if=/dev/zero of=/m/t.$i bs=1M count=1024; done && sync");
    parse_on_fat(read_methods, "dd-cold", MIB, 6144, 0, NULL);
    command_of(false, "/m",
               "for i in $(seq 6); do dd if=/dev/zero of=/m/dd-test-file.$i bs=1M count=1024; done "
               "&& sync /m/dd-test-file.* && for f in /m/dd-test-file.*; do dd if=\"$f\" "
               "iflag=nocache count=0; dd if=\"$f\" of=/dev/null bs=1M; done");
    parse_on_fat(read_methods, "dd-direct", MIB, 6144, 0, "t");
    command_of(false, "/m",
               "for f in /m/t /m/t.*; do dd if=\"$f\" of=/dev/null bs=1M iflag=direct; done");
    char folder[400]; /* whatever the names are, the line ends in order */
    memset(folder, 'x', sizeof folder - 1);
    folder[0] = '/';
    folder[sizeof folder - 1] = '\0';
    run.target.path = folder;
    job_command(&job, false, command);
    assert_true(strlen(command) < JOB_COMMAND_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(count_takes_the_place_of_size),
        cmocka_unit_test(methods_are_rows),
        cmocka_unit_test(refuses_at_the_bounds),
        cmocka_unit_test(refuses_files_elsewhere),
        cmocka_unit_test(needs_a_folder_that_takes_the_size),
        cmocka_unit_test(commands_by_hand),
        cmocka_unit_test(commands_for_several_files),
    };
    fake_open(&run, NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_close(&run);
    return failed;
}
