/* set: the working-set rule at its bounds. */
#include "prelude.h"

#include <memory/set.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

static const struct llc board = {/* of an RZ/G2L */
                                 .bytes = 256 * KIB,
                                 .levels = 2,
                                 .level = {{1, 32 * KIB}, {3, 256 * KIB}},
                                 .source = "test"};
static const struct llc server = {.bytes = 300 * MIB,
                                  .levels = 3,
                                  .level = {{1, 48 * KIB}, {2, 2 * MIB}, {3, 300 * MIB}},
                                  .source = "test"};

static int choose(const struct llc *llc, uint64_t asked, uint64_t allocatable, unsigned threads,
                  struct set *set, char *why)
{
    struct set_wish wish = {.asked = asked,
                            .allocatable = allocatable,
                            .limit = "the machine",
                            .threads = threads,
                            .slack = 6 * MIB};
    return set_choose(llc, &wish, set, why);
}

static void a_board_takes_32_mib_a_thread(void **state)
{
    (void)state;
    struct set set;
    char why[SET_TEXT];
    assert_int_equal(choose(&board, 0, GIB, 1, &set, why), 0);
    assert_true(set.bytes == 32 * MIB && set.is_dram && !set.is_doubtful);
    assert_string_equal(set.level, "DRAM");
    assert_int_equal(choose(&board, 0, GIB, 2, &set, why), 0);
    assert_true(set.bytes == 32 * MIB);
}

static void a_large_cache_asks_for_eight_times_itself(void **state)
{
    (void)state;
    struct llc llc = board;
    struct set set;
    char why[SET_TEXT];
    llc.bytes = 16 * MIB;
    assert_int_equal(choose(&llc, 0, GIB, 2, &set, why), 0);
    assert_true(set.bytes == 64 * MIB && set.is_dram);
    llc.bytes = 64 * MIB;
    assert_int_equal(choose(&llc, 0, 2 * GIB, 1, &set, why), 0);
    assert_true(set.bytes == 512 * MIB && set.is_dram);
}

static void a_server_takes_512_mib_and_says_so(void **state)
{
    (void)state;
    struct set set;
    char why[SET_TEXT];
    assert_int_equal(choose(&server, 0, 16 * GIB, 2, &set, why), 0);
    assert_true(set.bytes == 256 * MIB && set.is_doubtful && !set.is_dram);
    assert_string_equal(set.level, "DRAM");
    assert_non_null(strstr(set.text, "may be partly in the last-level cache"));
    /* a container with less: still no claim that its host's cache is what is measured */
    assert_int_equal(choose(&server, 0, 400 * MIB, 1, &set, why), 0);
    assert_true(set.is_doubtful && set.bytes == 194 * MIB);
    assert_non_null(strstr(set.text, "reduced"));
}

/* 128 MiB are not three equal numbers of pages: a page less than eight times the cache once ended
 * in "128 MiB may be used and 128 MiB are needed". */
static void three_threads_share_what_three_do_not_divide(void **state)
{
    (void)state;
    struct llc llc = board;
    struct set set;
    char why[SET_TEXT];
    llc.bytes = 16 * MIB;
    assert_int_equal(choose(&llc, 0, GIB, 3, &set, why), 0);
    assert_true(set.is_dram && set.bytes % 4096 == 0 && 3 * set.bytes >= 128 * MIB);
    assert_true(3 * set.bytes < 128 * MIB + 3 * 4096);
}

/* A server of sixteen cores and 64 MiB in two caches: what one thread has fits one of them, what
 * all have does not. It was called "L3, not DRAM", without a share of the peak. */
static void the_last_cache_holds_what_all_have_or_not(void **state)
{
    (void)state;
    const struct llc llc = {.bytes = 64 * MIB,
                            .levels = 3,
                            .level = {{1, 32 * KIB}, {2, MIB}, {3, 32 * MIB}},
                            .source = "test"};
    struct set set;
    char why[SET_TEXT];
    assert_int_equal(choose(&llc, 0, 16 * GIB, 16, &set, why), 0);
    assert_true(set.is_dram && set.bytes == 32 * MIB);
    assert_string_equal(set.level, "DRAM");
    assert_int_equal(choose(&llc, 16 * MIB, 16 * GIB, 16, &set, why), 0);
    assert_string_equal(set.level, "L2");
    assert_int_equal(choose(&llc, 64 * MIB, 16 * GIB, 16, &set, why), 0);
    assert_string_equal(set.level, "L3");
}

/* A chase is one thread's: what the others have beside it makes its own set no larger. */
static void what_is_measured_alone_is_large_alone(void **state)
{
    (void)state;
    struct llc llc = board;
    struct set set;
    char why[SET_TEXT];
    struct set_wish wish = {.allocatable = 4 * GIB,
                            .limit = "the machine",
                            .threads = 4,
                            .slack = 6 * MIB,
                            .is_alone = true};
    llc.bytes = llc.level[1].bytes = 8 * MIB;
    assert_int_equal(set_choose(&llc, &wish, &set, why), 0);
    assert_true(set.is_dram && set.bytes == 64 * MIB);
    wish.asked = 32 * MIB; /* eight each: the cache holds the chase */
    assert_int_equal(set_choose(&llc, &wish, &set, why), 0);
    assert_true(!set.is_dram);
    assert_string_equal(set.level, "L3");
}

static void half_of_the_room_at_most(void **state)
{
    (void)state;
    struct set set;
    char why[SET_TEXT];
    assert_int_equal(choose(&board, 0, 60 * MIB, 1, &set, why), 0);
    assert_true(set.bytes == 24 * MIB && set.is_dram); /* half, less the slack */
    assert_non_null(strstr(set.text, "reduced to half"));
}

static void too_little_for_the_caches_is_refused(void **state)
{
    (void)state;
    struct set set;
    char why[SET_TEXT];
    assert_int_equal(choose(&board, 0, 16 * MIB - 8192, 1, &set, why), -ENOSPC);
    assert_non_null(strstr(why, "8 times the last-level cache"));
    assert_int_equal(choose(&board, 0, 16 * MIB, 1, &set, why), 0);
    assert_true(set.bytes == 2 * MIB);
    assert_int_equal(choose(&board, 0, 0, 1, &set, why), -ENOSPC);
}

static void asked_sizes(void **state)
{
    (void)state;
    struct set set;
    char why[SET_TEXT];
    assert_int_equal(choose(&server, MIB, GIB, 1, &set, why), 0);
    assert_true(set.bytes == MIB && !set.is_dram && !set.is_doubtful);
    assert_string_equal(set.level, "L2");
    assert_non_null(strstr(set.text, "L2, not DRAM"));
    assert_int_equal(choose(&server, 64 * MIB, GIB, 1, &set, why), 0);
    assert_string_equal(set.level, "L3");
    assert_int_equal(choose(&board, MIB, GIB, 1, &set, why), 0);
    assert_string_equal(set.level, "DRAM");
    assert_non_null(strstr(set.text, "partly cached"));
    assert_int_equal(choose(&board, 4096, GIB, 1, &set, why), 0);
    assert_int_equal(choose(&board, 4096, GIB, 2, &set, why), -EINVAL);
    assert_non_null(strstr(why, "size=8K"));
    assert_int_equal(choose(&board, GIB, GIB, 1, &set, why), -ENOSPC);
    assert_non_null(strstr(why, "at most 1018 MiB (the machine)"));
    assert_int_equal(choose(&board, 1018 * MIB, GIB, 1, &set, why), 0);
    assert_int_equal(choose(&board, UINT64_MAX, GIB, 1, &set, why), -ENOSPC);
}

static void sizes_read_well(void **state)
{
    (void)state;
    assert_string_equal(set_size(0).text, "0 B");
    assert_string_equal(set_size(1536).text, "1.5 KiB");
    assert_string_equal(set_size(512 * MIB).text, "512 MiB");
    assert_string_equal(set_size(UINT64_MAX).text, "16777215.9 TiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_takes_32_mib_a_thread),
        cmocka_unit_test(a_large_cache_asks_for_eight_times_itself),
        cmocka_unit_test(a_server_takes_512_mib_and_says_so),
        cmocka_unit_test(three_threads_share_what_three_do_not_divide),
        cmocka_unit_test(the_last_cache_holds_what_all_have_or_not),
        cmocka_unit_test(what_is_measured_alone_is_large_alone),
        cmocka_unit_test(half_of_the_room_at_most),
        cmocka_unit_test(too_little_for_the_caches_is_refused),
        cmocka_unit_test(asked_sizes),
        cmocka_unit_test(sizes_read_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
