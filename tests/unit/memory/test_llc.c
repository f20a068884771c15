/* llc: sysfs with shared and split caches, offline CPUs, device trees, machines that tell nothing.
 */
#include "memory/llc.h"

#include "../grown.h"

#include <unistd.h>

static void grow_cache(unsigned cpu, unsigned index, const char *level, const char *type,
                       const char *size, const char *shared)
{
    static const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    const char *const texts[] = {level, type, size, shared};
    for (size_t i = 0; i < 4; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu,
                       index, names[i]);
        if (texts[i])
            grow(path, texts[i]);
    }
}

/* Big and little cores with an L2 each cluster and no L3. */
static void distinct_caches_of_the_last_level_are_summed(void **state)
{
    (void)state;
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        const char *own[] = {"0\n", "1\n", "2\n", "3\n"};
        grow_cache(cpu, 0, "1\n", "Data\n", cpu < 2 ? "32K\n" : "64K\n", own[cpu]);
        grow_cache(cpu, 1, "1\n", "Instruction\n", "128K\n", own[cpu]);
        grow_cache(cpu, 2, "2\n", "Unified\n", cpu < 2 ? "256K\n" : "1M\n",
                   cpu < 2 ? "0-1\n" : "2-3\n");
    }
    struct llc llc;
    assert_int_equal(llc_find(grown_root, &llc), 0);
    assert_string_equal(llc.source, "sysfs");
    assert_int_equal(llc.levels, 2);
    assert_int_equal(llc.level[0].level, 1);
    assert_int_equal(llc.level[0].bytes, 64 << 10);
    assert_int_equal(llc.level[1].level, 2);
    assert_int_equal(llc.level[1].bytes, 1 << 20);
    assert_int_equal(llc.bytes, (1 << 20) + (256 << 10));
}

/* An offline CPU has no cache folder; its partner still names the list that is left. */
static void offline_cpus_are_not_counted(void **state)
{
    (void)state;
    grow("/sys/devices/system/cpu/cpu0/online", "0\n");
    grow_cache(1, 0, "1\n", "Data\n", "32K\n", "1\n");
    grow_cache(1, 1, "3\n", "Unified\n", "2048K\n", "1,3\n");
    grow_cache(3, 1, "3\n", "Unified\n", "2048K\n", "1,3\n");
    struct llc llc;
    assert_int_equal(llc_find(grown_root, &llc), 0);
    assert_int_equal(llc.bytes, 2 << 20);
    assert_int_equal(llc.level[1].level, 3);
}

static void a_list_that_is_missing_makes_a_cache_its_cpus_own(void **state)
{
    (void)state;
    grow_cache(0, 0, "2", "Unified", "512K", NULL);
    grow_cache(1, 0, "2", "Unified", "512K", NULL);
    struct llc llc;
    assert_int_equal(llc_find(grown_root, &llc), 0);
    assert_int_equal(llc.bytes, 1 << 20);
}

/* Renesas RZ/G2L: no cacheinfo; a 256 KiB L3 right behind the L1. */
static void the_device_tree_stands_in(void **state)
{
    (void)state;
    grow("/sys/devices/system/cpu/cpu0/online", "1");
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        char path[96];
        const unsigned reg = cpu * 0x100;
        (void)snprintf(path, sizeof path, "/proc/device-tree/cpus/cpu@%x/d-cache-size", reg);
        grow_cell(path, 32 << 10);
        (void)snprintf(path, sizeof path, "/proc/device-tree/cpus/cpu@%x/next-level-cache", reg);
        grow_cell(path, 7);
    }
    grow_cell("/proc/device-tree/cpus/cache-controller-0/phandle", 7);
    grow_cell("/proc/device-tree/cpus/cache-controller-0/cache-size", 0x40000);
    grow_cell("/proc/device-tree/cpus/cache-controller-0/cache-level", 3);
    struct llc llc;
    assert_int_equal(llc_find(grown_root, &llc), 0);
    assert_string_equal(llc.source, "device tree");
    assert_int_equal(llc.levels, 2);
    assert_int_equal(llc.level[0].bytes, 32 << 10);
    assert_int_equal(llc.level[1].level, 3);
    assert_int_equal(llc.bytes, 0x40000);
}

/* A chain of its own CPU, a common one, and one that leads back. */
static void a_chain_of_caches_is_followed_and_ends(void **state)
{
    (void)state;
    grow_cell("/proc/device-tree/cpus/cpu@0/l2-cache-0/phandle", 1);
    grow_cell("/proc/device-tree/cpus/cpu@0/l2-cache-0/cache-size", 128 << 10);
    grow_cell("/proc/device-tree/cpus/cpu@0/l2-cache-0/next-level-cache", 3);
    grow_cell("/proc/device-tree/cpus/cpu@0/next-level-cache", 1);
    grow_cell("/proc/device-tree/cpus/cpu@1/l2-cache-1/phandle", 2);
    grow_cell("/proc/device-tree/cpus/cpu@1/l2-cache-1/cache-size", 128 << 10);
    grow_cell("/proc/device-tree/cpus/cpu@1/l2-cache-1/next-level-cache", 3);
    grow_cell("/proc/device-tree/cpus/cpu@1/next-level-cache", 2);
    grow_cell("/proc/device-tree/cpus/l3-cache/phandle", 3);
    grow_cell("/proc/device-tree/cpus/l3-cache/cache-size", 3 << 20);
    grow_cell("/proc/device-tree/cpus/l3-cache/next-level-cache", 3);
    struct llc llc;
    assert_int_equal(llc_find(grown_root, &llc), 0);
    assert_string_equal(llc.source, "device tree");
    assert_int_equal(llc.level[0].level, 2);
    assert_int_equal(llc.level[0].bytes, 128 << 10);
    assert_int_equal(llc.level[1].level, 3);
    assert_int_equal(llc.level[1].bytes, 3 << 20);
}

static void nothing_told_is_a_guess(void **state)
{
    (void)state;
    struct llc llc;
    grow_cache(0, 0, "x", "Data", "32K", "0");
    grow_cache(0, 1, "2", "Unified", "huge", "0");
    grow_cache(0, 2, "9", "Unified", "32K", "0");
    grow_cache(0, 3, "3", "Unified", "99999999999G", "0");
    grow("/proc/device-tree/cpus/cpu@0/d-cache-size", "abc");
    assert_int_equal(llc_find(grown_root, &llc), 0);
    assert_string_equal(llc.source, "guess");
    assert_int_equal(llc.levels, 0);
    assert_int_equal(llc.bytes, 1 << 20);
}

static void this_machine_has_some(void **state)
{
    (void)state;
    struct llc empty, slash;
    assert_int_equal(llc_find("", &empty), 0);
    assert_int_equal(llc_find("/", &slash), 0);
    assert_true(empty.bytes >= 4096);
    assert_int_equal(empty.bytes, slash.bytes);
    assert_string_equal(empty.source, slash.source);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(distinct_caches_of_the_last_level_are_summed),
        GROWN(offline_cpus_are_not_counted),
        GROWN(a_list_that_is_missing_makes_a_cache_its_cpus_own),
        GROWN(the_device_tree_stands_in),
        GROWN(a_chain_of_caches_is_followed_and_ends),
        GROWN(nothing_told_is_a_guess),
        cmocka_unit_test(this_machine_has_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
