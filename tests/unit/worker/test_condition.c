/* condition: what cards and hosts say of themselves, before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "worker/condition.h"

static void test_life(void **state)
{
    static const struct {
        const char *text, *said; /* NULL: nothing */
    } cases[] = {
        {"0x01 0x02", "up to 10 % used (second kind of memory: up to 20 % used)"},
        {"0x01 0x01", "up to 10 % used"},
        {"0x03 0x00", "up to 30 % used"},
        {"0x0b 0x0b", "past its estimated life"},
        {"0x00 0x00", NULL},
        {"0x0c 0x01", NULL},
        {"", NULL},
        {"new", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(str_done) struct str text = {0};
        assert_int_equal(condition_life(cases[i].text, &text), cases[i].said != NULL);
        assert_string_equal(str_text(&text), cases[i].said ? cases[i].said : "");
    }
}

static void test_counters(void **state)
{
    struct condition_counter counters[3];
    (void)state;
    assert_int_equal(condition_counters("# Command Timeout Occurred:\t 2\n"
                                        "no colon\n"
                                        "# Data CRC\x1b Errors Occurred:\t 18446744073709551615\n"
                                        "# Empty:\n"
                                        "# Last: 7",
                                        counters, ARRAY_SIZE(counters)),
                     3);
    assert_string_equal(counters[0].name, "Command Timeout Occurred");
    assert_int_equal(counters[0].value, 2);
    assert_string_equal(counters[1].name, "Data CRC? Errors Occurred");
    assert_true(counters[1].value == UINT64_MAX);
    assert_int_equal(counters[2].value, 7);
    assert_int_equal(condition_counters("a:1\nb:2\nc:3", counters, 2), 2);
    assert_int_equal(condition_counters("", counters, 2), 0);
}

/* --- a small tree of a card --- */

static void put(const char *root, const char *path, const char *text)
{
    AUTO(str_done) struct str full = {0};
    str_addf(&full, "%s%s", root, path);
    for (char *slash = strchr(full.text + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(full.text, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full.text, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void take_fact(void *user, const char *key, const char *text)
{
    str_addf(user, "%s=%s\n", key, text);
}

#define CARD "/sys/devices/soc/mmc_host/mmc1/mmc1:0001/block/mmcblk1"
#define STATS "/sys/kernel/debug/mmc1/err_stats"

static void test_before_and_after(void **state)
{
    char root[] = "/tmp/iodyno-condition-XXXXXX";
    AUTO(str_done) struct str stat = {0}, facts = {0}, clean = {0};
    struct condition condition;
    (void)state;
    assert_non_null(mkdtemp(root));
    put(root, CARD "/stat", "0 0 0\n");
    put(root, CARD "/size", "15269888\n");
    put(root, CARD "/queue/discard_max_bytes", "1024\n");
    put(root, CARD "/device/life_time", "0x01 0x01\n");
    put(root, STATS, "# Data CRC:\t 3\n# Old:\t 4\n");
    str_addf(&stat, "%s" CARD "/stat", root);
    const char *const leaves[] = {stat.text, NULL};
    const struct condition_plan plan = {
        .root = root, .leaf_stat = leaves, .dirfd = -1, .planned_bytes = 7818182656};
    condition_before(&plan, take_fact, &facts, &condition);
    put(root, CARD "/device/life_time", "0x02 0x01\n");
    put(root, STATS, "# Data CRC:\t 5\n# Old:\t 4\n# New:\t 1\n");
    condition_after(&condition, take_fact, &facts);
    condition_done(&condition);
    str_addf(&clean, "rm -r %s", root);
    assert_int_equal(system(clean.text), 0);
    assert_string_equal(facts.text,
                        "discard=mmcblk1 takes discard\n"
                        "wear=7.8 GB to write to 7.8 GB: 0.03 % of a nominal 3000 drive writes\n"
                        "life-before=mmcblk1: up to 10 % used\n"
                        "mmc-errors=2 × Data CRC, 1 × New\n"
                        "life-after=mmcblk1: up to 20 % used (second kind of memory: up to 10 % "
                        "used)\n");
}

static void test_memory(void **state)
{
    char root[] = "/tmp/iodyno-condition-XXXXXX";
    AUTO(str_done) struct str facts = {0}, clean = {0};
    struct condition condition;
    (void)state;
    assert_non_null(mkdtemp(root));
    const struct condition_plan plan = {.root = root, .dirfd = -1, .is_memory = true};
    condition_before(&plan, take_fact, &facts, &condition);
    condition_after(&condition, take_fact, &facts);
    condition_done(&condition);
    assert_string_equal(facts.text, "edac=no EDAC: nobody counts the errors of this memory\n");
    put(root, "/sys/devices/system/edac/mc/mc0/ce_count", "3\n");
    put(root, "/sys/devices/system/edac/mc/mc0/ue_count", "0\n");
    put(root, "/sys/class/devfreq/dmc/max_freq", "2112000000\n");
    put(root, "/sys/class/devfreq/dmc/governor", "dmc_ondemand\n");
    str_clear(&facts);
    condition_before(&plan, take_fact, &facts, &condition);
    put(root, "/sys/devices/system/edac/mc/mc0/ce_count", "5\n");
    condition_after(&condition, take_fact, &facts);
    condition_done(&condition);
    assert_string_equal(facts.text, "dram-clock=at most 2112000000 Hz, governor dmc_ondemand\n"
                                    "edac=3 corrected and 0 uncorrected errors before\n"
                                    "edac-errors=2 corrected, 0 uncorrected\n");
    str_addf(&clean, "rm -r %s", root);
    assert_int_equal(system(clean.text), 0);
}

static void test_no_disk_says_nothing(void **state)
{
    AUTO(str_done) struct str facts = {0};
    struct condition condition;
    const struct condition_plan plan = {.root = "", .dirfd = -1, .planned_bytes = 1};
    (void)state;
    condition_before(&plan, take_fact, &facts, &condition);
    condition_after(&condition, take_fact, &facts);
    condition_done(&condition);
    assert_int_equal(facts.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_before_and_after),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_disk_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
