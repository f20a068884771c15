/* room: the machine's memory, control groups old and new up their tree, the address-space limit. */
#include "memory/room.h"

#include "../grown.h"

#include <errno.h>

#define MIB (UINT64_C(1) << 20)

/* A board of 512 MiB with 380 available: 15 % are 76.8 MiB. */
static void grow_board(void)
{
    grow("/proc/meminfo", "MemTotal:         524288 kB\nMemFree:           20000 kB\n"
                          "MemAvailable:     389120 kB\nBuffers:            1000 kB\n");
}

static void assert_near(uint64_t bytes, uint64_t mib)
{
    if (bytes / MIB + 1 < mib || bytes / MIB > mib + 1)
        fail_msg("%llu bytes are not about %llu MiB", (unsigned long long)bytes,
                 (unsigned long long)mib);
}

static void a_small_board_keeps_its_reserve(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 380 - 77);
    assert_non_null(strstr(room.why, "the machine may hold 512 MiB, 132 MiB are in use"));
}

static void the_reserve_is_64_mib_at_least(void **state)
{
    (void)state;
    struct room room;
    grow("/proc/meminfo", "MemTotal:         131072 kB\nMemAvailable:     102400 kB\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 36);
    grow("/proc/meminfo", "MemTotal:         131072 kB\nMemAvailable:      40960 kB\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_int_equal(room.allocatable, 0);
    assert_true(room.why[0]);
}

/* Kernels before 3.14 do not know MemAvailable. */
static void free_memory_stands_in(void **state)
{
    (void)state;
    struct room room;
    grow("/proc/meminfo", "MemTotal:         524288 kB\nMemFree:          204800 kB\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 200 - 77);
}

static void a_group_above_may_be_the_limit(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    grow("/proc/self/cgroup", "0::/user.slice/session.scope\n");
    grow("/sys/fs/cgroup/memory.stat", "anon 1\n");
    grow("/sys/fs/cgroup/user.slice/memory.max", "268435456\n");
    grow("/sys/fs/cgroup/user.slice/memory.high", "max\n");
    grow("/sys/fs/cgroup/user.slice/memory.current", "104857600\n");
    grow("/sys/fs/cgroup/user.slice/memory.stat", "anon 1\ninactive_file 10485760\n");
    grow("/sys/fs/cgroup/user.slice/session.scope/memory.max", "max\n");
    grow("/sys/fs/cgroup/user.slice/session.scope/memory.current", "52428800\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 256 - 90 - 64);
    assert_non_null(strstr(room.why, "control group /user.slice may hold 256 MiB"));
    grow("/sys/fs/cgroup/user.slice/memory.high", "209715200\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 200 - 90 - 64);
}

/* In a container the path may lead to nothing; the top is the container's own group. */
static void the_top_of_a_container_counts(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    grow("/proc/self/cgroup", "0::/../../elsewhere\n");
    grow("/sys/fs/cgroup/memory.max", "157286400\n");
    grow("/sys/fs/cgroup/memory.current", "0\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 150 - 64);
    assert_non_null(strstr(room.why, "control group / may hold 150 MiB"));
}

static void groups_of_the_first_version_count(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    grow("/proc/self/cgroup", "12:cpuset:/x\n5:cpu,memory:/docker/abc\n1:name=systemd:/y\n0::/z\n");
    grow("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    grow("/sys/fs/cgroup/memory/memory.usage_in_bytes", "400000000\n");
    grow("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "134217728\n");
    grow("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "20971520\n");
    grow("/sys/fs/cgroup/memory/docker/abc/memory.stat",
         "inactive_file 1\ntotal_inactive_file 10485760\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 128 - 10 - 64);
    assert_non_null(strstr(room.why, "/docker/abc"));
}

static void the_address_space_counts(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    grow("/proc/self/limits",
         "Limit                     Soft Limit           Hard Limit           Units     \n"
         "Max address space         209715200            unlimited            bytes     \n");
    grow("/proc/self/status", "Name:\tx\nVmSize:\t   20480 kB\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 200 - 20 - 64);
    assert_non_null(strstr(room.why, "ulimit -v"));
    grow("/proc/self/limits",
         "Max address space         unlimited            unlimited    bytes\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 380 - 77);
}

/* What is reserved is refused there before it is touched: a default set ended in a sentence where a
 * smaller one would have done. */
static void a_machine_that_forbids_overcommit_counts(void **state)
{
    (void)state;
    struct room room;
    grow("/proc/meminfo", "MemTotal:         524288 kB\nMemAvailable:     389120 kB\n"
                          "CommitLimit:      262144 kB\nCommitted_AS:     102400 kB\n");
    grow("/proc/sys/vm/overcommit_memory", "1\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 380 - 77);
    grow("/proc/sys/vm/overcommit_memory", "2\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 256 - 100 - 64);
    assert_non_null(strstr(room.why, "overcommit is forbidden"));
}

/* A process that has its addresses is not held against their limit once more. */
static void the_address_space_is_not_what_is_touched(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    grow("/proc/self/limits",
         "Max address space         209715200            unlimited    bytes\n");
    grow("/proc/self/status", "Name:\tx\nVmSize:\t   20480 kB\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 200 - 20 - 64);
    assert_near(room.touchable, 380 - 77);
    assert_non_null(strstr(room.touchable_why, "the machine may hold 512 MiB"));
}

static void nonsense_limits_nothing_and_overflows_nothing(void **state)
{
    (void)state;
    struct room room;
    grow_board();
    grow("/proc/self/cgroup", "no colon\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    grow("/proc/self/cgroup", "0::/a\n");
    grow("/sys/fs/cgroup/a/memory.max", "99999999999999999999999\n");
    grow("/sys/fs/cgroup/a/memory.current", "18446744073709551615\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_near(room.allocatable, 380 - 77);
    grow("/sys/fs/cgroup/a/memory.max", "1048576\n");
    assert_int_equal(room_find(grown_root, &room), 0);
    assert_int_equal(room.allocatable, 0);
}

static void no_meminfo_is_said(void **state)
{
    (void)state;
    struct room room;
    assert_int_equal(room_find(grown_root, &room), -ENOENT);
    assert_int_equal(room.allocatable, 0);
    assert_non_null(strstr(room.why, "nothing tells"));
    grow("/proc/meminfo", "MemTotal:   99999999999999999 kB\n");
    assert_int_equal(room_find(grown_root, &room), -ENOENT);
}

static void this_machine_has_some(void **state)
{
    (void)state;
    struct room room;
    assert_int_equal(room_find("", &room), 0);
    assert_true(room.why[0]);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(a_small_board_keeps_its_reserve),
        GROWN(the_reserve_is_64_mib_at_least),
        GROWN(free_memory_stands_in),
        GROWN(a_group_above_may_be_the_limit),
        GROWN(the_top_of_a_container_counts),
        GROWN(groups_of_the_first_version_count),
        GROWN(the_address_space_counts),
        GROWN(a_machine_that_forbids_overcommit_counts),
        GROWN(the_address_space_is_not_what_is_touched),
        GROWN(nonsense_limits_nothing_and_overflows_nothing),
        GROWN(no_meminfo_is_said),
        cmocka_unit_test(this_machine_has_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
