/* direct: the table "place | measured" as evidence, and what must come out. */
#include "storage/direct.h"

#include "fake_host.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define P DIRECT_PROBE_AT

static void judges_by_evidence(void **state)
{
    (void)state;
    static const struct {
        struct direct_evidence evidence;
        enum direct_verdict verdict;
    } cases[] = {
        /* ext4, xfs: alignment told, nothing cached */
        {{"ext4", true, false, 1, true, P, 0}, DIRECT_HONOURED},
        {{"ext4", true, false, 1, false, 0, 0}, DIRECT_HONOURED},
        /* the same on a kernel before 6.1 */
        {{"ext4", true, false, -1, true, P, 0}, DIRECT_HONOURED},
        {{"ext4", true, false, -1, false, 0, 0}, DIRECT_UNKNOWN},
        /* tmpfs, overlay on tmpfs: accepted, all of it in RAM */
        {{"tmpfs", true, false, -1, true, P, P}, DIRECT_NOT_HONOURED},
        {{"overlay", false, false, -1, true, P, P}, DIRECT_NOT_HONOURED},
        /* even where the kernel named an alignment */
        {{"ext4", true, false, 1, true, P, P}, DIRECT_NOT_HONOURED},
        /* btrfs, FUSE: accepted, nothing in our page cache: it may have been copied all the same */
        {{"btrfs", true, false, -1, true, P, 0}, DIRECT_UNKNOWN},
        {{"fuseblk", true, false, -1, true, P, 0}, DIRECT_UNKNOWN},
        /* FAT: a growing file is written through the cache, flushed and dropped block by block */
        {{"exfat", true, false, -1, true, P, 0}, DIRECT_NOT_HONOURED},
        {{"vfat", true, false, -1, true, P, 0}, DIRECT_NOT_HONOURED},
        {{"vfat", false, false, -1, true, P, 0}, DIRECT_UNKNOWN},
        /* "no direct I/O for this file" (compressed, encrypted, data=journal) */
        {{"f2fs", true, false, 0, true, P, 0}, DIRECT_NOT_HONOURED},
        {{"ramfs", true, true, -1, true, P, P}, DIRECT_NOT_HONOURED},
        /* a few pages are not the data: readahead of a neighbour */
        {{"ext4", true, false, 1, true, P, P / 16}, DIRECT_HONOURED},
        {{NULL, true, false, -1, true, P, 0}, DIRECT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct direct_answer answer = direct_judge(&cases[i].evidence);
        assert_int_equal(answer.verdict, cases[i].verdict);
        assert_non_null(answer.why);
    }
}

static void words(void **state)
{
    (void)state;
    assert_string_equal(direct_word(DIRECT_HONOURED), "honoured");
    assert_string_equal(direct_word(DIRECT_NOT_HONOURED), "not honoured");
    assert_string_equal(direct_word(DIRECT_UNKNOWN), "cannot tell");
}

static void alignment_of_a_closed_file_is_unknown(void **state)
{
    (void)state;
    uint32_t align = 42;
    assert_int_equal(direct_alignment(-1, &align), -1);
    assert_int_equal(align, 0);
}

static void a_loop_device_tells_by_its_folder(void **state)
{
    (void)state;
    char folder[64], path[2][128];
    fake_folder_make(folder);
    snprintf(path[0], sizeof path[0], "%s/stat", folder);
    snprintf(path[1], sizeof path[1], "%s/loop", folder);
    const char *const leaves[] = {path[0], NULL};
    assert_false(direct_is_ram_loop(NULL));
    assert_false(direct_is_ram_loop(leaves)); /* no loop device */
    assert_int_equal(mkdir(path[1], 0700), 0);
    snprintf(path[1], sizeof path[1], "%s/loop/dio", folder);
    for (unsigned dio = 0; dio < 2; dio++) {
        FILE *file = fopen(path[1], "we");
        assert_non_null(file);
        fprintf(file, "%u\n", dio);
        fclose(file);
        assert_int_equal(direct_is_ram_loop(leaves), dio == 0);
    }
    assert_int_equal(direct_judge_raw(true).verdict, DIRECT_NOT_HONOURED);
    assert_int_equal(direct_judge_raw(false).verdict, DIRECT_HONOURED);
    assert_int_equal(unlink(path[1]), 0);
    snprintf(path[1], sizeof path[1], "%s/loop", folder);
    assert_int_equal(rmdir(path[1]), 0);
    fake_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_by_evidence),
        cmocka_unit_test(words),
        cmocka_unit_test(a_loop_device_tells_by_its_folder),
        cmocka_unit_test(alignment_of_a_closed_file_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
