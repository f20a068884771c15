/* cpus: what affinity leaves, core types by each source, and what a person may ask for. */
#include "prelude.h"

#include <memory/cpus.h>

#include "../grown.h"

#include <sched.h>

static void only_what_affinity_leaves(void **state)
{
    (void)state;
    cpu_set_t all, one;
    char text[CPUS_TEXT];
    struct cpus cpus;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    unsigned last = 0;
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        last = CPU_ISSET(i, &all) ? i : last;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int error = cpus_find("", &cpus);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(error, 0);
    assert_int_equal(cpus.count, 1);
    assert_int_equal(cpus.cpu[0].number, last);
    assert_int_equal(cpus.types, 1);
    assert_string_equal(cpus_types(&cpus, text), "");
}

/* On a machine with two CPUs or more: 0 is the little one. */
static bool has_two(struct cpus *cpus)
{
    assert_int_equal(cpus_find("", cpus), 0);
    return cpus->count >= 2;
}

static void the_bigger_type_comes_first(void **state)
{
    (void)state;
    static const struct {
        const char *file, *little, *big;
    } sources[] = {
        {"cpu_capacity", "446\n", "1024\n"},
        {"cpufreq/cpuinfo_max_freq", "1200000\n", "1800000\n"},
        {"regs/identification/midr_el1", "0x00000000412fd050\n", "0x00000000414fd0b0\n"}};
    struct cpus cpus;
    char path[128], text[CPUS_TEXT];
    if (!has_two(&cpus))
        skip();
    for (size_t s = sizeof sources / sizeof sources[0]; s-- > 0;) { /* the best source comes last */
        struct cpus found;
        for (unsigned i = 0; i < cpus.count; i++) {
            (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s",
                           cpus.cpu[i].number, sources[s].file);
            grow(path, cpus.cpu[i].number == 0 ? sources[s].little : sources[s].big);
        }
        assert_int_equal(cpus_find(grown_root, &found), 0);
        assert_int_equal(found.types, 2);
        assert_int_not_equal(found.cpu[0].number, 0);
        assert_int_equal(found.cpu[found.count - 1].number, 0);
        assert_non_null(strstr(sources[s].file, found.source));
        assert_non_null(strstr(cpus_types(&found, text), ", 0 ("));
    }
}

static void turbo_bins_are_one_type(void **state)
{
    (void)state;
    struct cpus cpus, found;
    char path[128];
    if (!has_two(&cpus))
        skip();
    for (unsigned i = 0; i < cpus.count; i++) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpu_capacity",
                       cpus.cpu[i].number);
        grow(path, i ? "1000" : "1024");
    }
    assert_int_equal(cpus_find(grown_root, &found), 0);
    assert_int_equal(found.types, 1);
}

static struct cpus made(void)
{
    return (struct cpus){
        .count = 6,
        .cpu = {{4, 0, 1024}, {5, 0, 1024}, {0, 1, 446}, {1, 1, 446}, {2, 1, 446}, {7, 1, 446}},
        .types = 2,
        .source = "cpu_capacity"};
}

static void choices(void **state)
{
    (void)state;
    char text[CPUS_TEXT];
    struct cpus cpus = made();
    assert_string_equal(cpus_list(&cpus, text), "0-2,4-5,7");
    assert_string_equal(cpus_types(&cpus, text),
                        "4-5 (cpu_capacity 1024), 0-2,7 (cpu_capacity 446)");
    assert_int_equal(cpus_choose(&cpus, "all", text), 0);
    assert_int_equal(cpus.count, 6);
    assert_int_equal(cpus_choose(&cpus, "little", text), 0);
    assert_string_equal(cpus_list(&cpus, text), "0-2,7");
    assert_int_equal(cpus.types, 1);
    cpus = made();
    assert_int_equal(cpus_choose(&cpus, "big", text), 0);
    assert_string_equal(cpus_list(&cpus, text), "4-5");
    cpus = made();
    assert_int_equal(cpus_choose(&cpus, "7,4,0-1", text), 0);
    assert_string_equal(cpus_list(&cpus, text), "0-1,4,7");
    assert_int_equal(cpus.cpu[0].number, 4); /* the biggest stays first */
    assert_int_equal(cpus.types, 2);
}

static void nonsense_is_told(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "x", "1-", "-1", "3,,4", "2-1", "1 2", "0,3", "99999999999999999999", "0-4294967295"};
    char text[CPUS_TEXT];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cpus cpus = made();
        assert_int_equal(cpus_choose(&cpus, bad[i], text), -EINVAL);
        assert_non_null(strstr(text, "cpus="));
        assert_int_equal(cpus.count, 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_affinity_leaves),
        cmocka_unit_test_setup_teardown(the_bigger_type_comes_first, grown_setup, grown_teardown),
        cmocka_unit_test_setup_teardown(turbo_bins_are_one_type, grown_setup, grown_teardown),
        cmocka_unit_test(choices),
        cmocka_unit_test(nonsense_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
