/* leafstat: the texts of kernels old and new, sums, wraps, removal. */
#include "storage/leafstat.h"

#include "fake_host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void parses_eleven_and_seventeen_columns(void **state)
{
    (void)state;
    uint64_t fields[LEAF_FIELDS];
    assert_int_equal(leafstat_parse("     120        3     8192       44       50        1"
                                    "    16384       99        0      140      143\n",
                                    fields),
                     0);
    assert_int_equal(fields[LEAF_READS], 120);
    assert_int_equal(fields[LEAF_READ_SECTORS], 8192);
    assert_int_equal(fields[LEAF_WRITES], 50);
    assert_int_equal(fields[LEAF_WRITTEN_SECTORS], 16384);
    assert_int_equal(leafstat_parse("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", fields), 0);
    assert_int_equal(fields[LEAF_WRITTEN_SECTORS], 7);
    assert_int_equal(leafstat_parse("1 2 3 4 5 6 7", fields), 0);
}

static void refuses_what_is_no_stat_text(void **state)
{
    (void)state;
    uint64_t fields[LEAF_FIELDS] = {42, 42, 42, 42};
    static const char *const bad[] = {"",
                                      "\n",
                                      "1 2 3 4 5 6",
                                      "1 2 3 -4 5 6 7",
                                      "1 2 3x 4 5 6 7",
                                      "a b c d e f g",
                                      "1 2 99999999999999999999999 4 5 6 7"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(leafstat_parse(bad[i], fields), -EINVAL);
    assert_int_equal(fields[0], 42);
}

static void counters_wrap_at_32_bits_or_not_at_all(void **state)
{
    (void)state;
    assert_int_equal(leafstat_moved(10, 25), 15);
    assert_int_equal(leafstat_moved(UINT32_MAX, 4), 5);
    assert_int_equal(leafstat_moved(UINT64_C(1) << 40, 4), 0);
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void sums_two_disks_from_the_open_on(void **state)
{
    (void)state;
    char folder[64], one[96], two[96];
    fake_folder_make(folder);
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(two, sizeof two, "%s/two", folder);
    put(one, "100 0 1000 0 200 0 2000 0 0 0 0\n");
    put(two, "1 0 2 0 3 0 4 0 0 0 0\n");
    const char *const paths[] = {one, "/nonexistent/stat", two, NULL};
    struct leafstat leaf;
    leafstat_open(&leaf, paths);
    assert_int_equal(leaf.count, 2);
    struct leaf_counts counts = leafstat_read(&leaf);
    assert_int_equal(counts.written_bytes, 0);
    put(one, "110 0 1010 0 203 0 2100 0 0 0 0\n");
    put(two, "2 0 3 0 4 0 5 0 0 0 0\n");
    counts = leafstat_read(&leaf);
    assert_int_equal(counts.read_requests, 11);
    assert_int_equal(counts.read_bytes, 11 * 512);
    assert_int_equal(counts.write_requests, 4);
    assert_int_equal(counts.written_bytes, 101 * 512);
    assert_false(leaf.is_gone);
    put(one, ""); /* what a removed disk's file reads as */
    counts = leafstat_read(&leaf);
    assert_true(leaf.is_gone);
    assert_int_equal(counts.written_bytes, 101 * 512);
    leafstat_close(&leaf);
    fake_folder_remove(folder);
}

static void no_disk_is_no_error(void **state)
{
    (void)state;
    struct leafstat leaf;
    leafstat_open(&leaf, NULL);
    assert_int_equal(leaf.count, 0);
    assert_int_equal(leafstat_read(&leaf).read_bytes, 0);
    leafstat_close(&leaf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_eleven_and_seventeen_columns),
        cmocka_unit_test(refuses_what_is_no_stat_text),
        cmocka_unit_test(counters_wrap_at_32_bits_or_not_at_all),
        cmocka_unit_test(sums_two_disks_from_the_open_on),
        cmocka_unit_test(no_disk_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
