/* claim: what an SD card promises by its marks, and when that is tried fairly. */
#include "figures.h"

static void test_below_claim(void **state)
{
    struct figures figures = {.written = 100 * MIB,
                              .rate = 29.9e6,
                              .real_s = 5,
                              .sync_s = 4,
                              .pairs = {{"target.claim.speed_class", "10"},
                                        {"target.claim.uhs", "3"},
                                        {"target.claim.video", "30"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(
        warning(&verdict, "below-claim"),
        "29.9 MB/s is below the 30.0 MB/s that its mark U3 promises for writing: try it "
        "freshly formatted and empty; if it stays below, it is worn or false");
    figures.rate = 30e6;
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.rate = 8e6;
    figures.pairs[1] = (struct pair){"target.none", "0"};
    figures.pairs[2] = (struct pair){"target.none", "0"};
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "below-claim"), "10.0 MB/s that its mark Class 10"));
    figures.real_s = 4.9; /* too short to blame a card */
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.real_s = 5;
    figures.sync_s = 0; /* nobody knows what reached it */
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
}

static struct figures write_of(double mbps, const char *key, const char *value)
{
    return (struct figures){
        .written = 1000e6, .rate = mbps * 1e6, .real_s = 10, .sync_s = 8, .pairs = {{key, value}}};
}

static void test_every_mark_at_its_bound(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *mark;
        double mbps;
    } rows[] = {
        {"target.claim.speed_class", "2", "Class 2 ", 2},
        {"target.claim.speed_class", "4", "Class 4 ", 4},
        {"target.claim.speed_class", "6", "Class 6 ", 6},
        {"target.claim.speed_class", "10", "Class 10 ", 10},
        {"target.claim.uhs", "1", "U1 ", 10},
        {"target.claim.uhs", "3", "U3 ", 30},
        {"target.claim.video", "6", "V6 ", 6},
        {"target.claim.video", "10", "V10 ", 10},
        {"target.claim.video", "30", "V30 ", 30},
        {"target.claim.video", "60", "V60 ", 60},
        {"target.claim.application", "1", "A1 ", 10},
        {"target.claim.application", "2", "A2 ", 10},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct verdict verdict = judge(write_of(rows[i].mbps, rows[i].key, rows[i].value));
        assert_false(warns(&verdict, "below-claim"));
        verdict = judge(write_of(rows[i].mbps * 0.99, rows[i].key, rows[i].value));
        assert_non_null(strstr(warning(&verdict, "below-claim"), rows[i].mark));
    }
    struct verdict verdict = judge(write_of(0.1, "target.claim.uhs", "many"));
    assert_false(warns(&verdict, "below-claim"));
    verdict = judge(write_of(0.1, "target.claim.uhs", "0"));
    assert_false(warns(&verdict, "below-claim"));
}

static void test_a_promise_that_the_bus_cannot_carry_is_not_tried(void **state)
{
    (void)state;
    struct figures figures = write_of(18, "target.claim.uhs", "3");
    figures.pairs[1] = (struct pair){"target.mode", "high speed"};
    figures.ceiling = "25000000";
    struct verdict verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.pairs[2] = (struct pair){"target.claim.speed_class", "10"};
    figures.rate = 8e6;
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "below-claim"),
                           "8.0 MB/s is below the 10.0 MB/s that its mark Class 10 promises for "
                           "writing (its mark U3, 30.0 MB/s, needs more than high speed, 4 bit)"));
}

static void test_only_what_the_rule_measures_is_held_against_it(void **state)
{
    (void)state;
    struct figures figures = write_of(8, "target.claim.speed_class", "10");
    figures.pairs[1] = (struct pair){"option.bs", "512K"};
    struct verdict verdict = judge(figures);
    assert_true(warns(&verdict, "below-claim"));
    figures.pairs[1].value = "256K"; /* a recording unit is written in parts */
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.pairs[1].value = "1M";
    figures.test = "storage.random"; /* not in sequence */
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
}

static void test_reasons_that_stand_nearby_are_named(void **state)
{
    (void)state;
    struct figures figures = write_of(8, "target.claim.speed_class", "10");
    figures.pairs[1] = (struct pair){"target.misaligned", "starts 1.0 MiB into an allocation unit"};
    figures.facts[0] = (struct pair){"fill", "93 % of the file system's 29.1 GB in use before"};
    figures.facts[1] = (struct pair){"discard", "mmcblk1 takes no discard"};
    struct verdict verdict = judge(figures);
    assert_non_null(
        strstr(warning(&verdict, "below-claim"),
               "; its partition starts 1.0 MiB into an allocation unit; the file system "
               "was 93 % full and the disk takes no discard: try it"));
    figures.facts[0].value = "79 % of the file system's 29.1 GB in use before";
    verdict = judge(figures);
    assert_non_null(
        strstr(warning(&verdict, "below-claim"), "unit; the disk takes no discard: try it"));
    figures.facts[0].value = "much of it";
    figures.facts[1].value = "mmcblk1 takes discard";
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "below-claim"), "allocation unit: try it"));
}

static struct figures random_of(const char *mode, double iops, const char *class)
{
    return (struct figures){.test = "storage.random",
                            .has_no_method = true,
                            .read = 100 * MIB,
                            .rate = iops * 4096,
                            .results = {{"iops", iops}},
                            .pairs = {{"option.mode", mode},
                                      {"option.depth", "32"},
                                      {"option.bs", "4K"},
                                      {"target.claim.application", class}}};
}

static void test_application_classes_at_their_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *mode, *class;
        double least;
        const char *text;
    } rows[] = {
        {"read", "1", 1500, "1499 random reads a second (of at least 1500) of 4 KiB"},
        {"write", "1", 500, "499 random writes a second (of at least 500) of 4 KiB"},
        {"read", "2", 4000, "3999 random reads a second (of at least 4000) of 4 KiB"},
        {"write", "2", 2000, "1999 random writes a second (of at least 2000) of 4 KiB"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct verdict verdict = judge(random_of(rows[i].mode, rows[i].least, rows[i].class));
        assert_false(warns(&verdict, "below-claim"));
        verdict = judge(random_of(rows[i].mode, rows[i].least - 1, rows[i].class));
        assert_true(str_starts(warning(&verdict, "below-claim"), rows[i].text));
    }
}

static void test_a2_without_the_cards_queue_is_a1(void **state)
{
    (void)state;
    struct verdict verdict = judge(random_of("read", 1600, "2"));
    assert_string_equal(warning(&verdict, "below-claim"),
                        "1600 random reads a second (of at least 4000) of 4 KiB are below what its "
                        "mark A2 promises; A2 counts on the card's own command queue, which few "
                        "hosts use: without it expect A1, 1500 reads and 500 writes a second");
    verdict = judge(random_of("read", 1400, "2"));
    assert_non_null(strstr(warning(&verdict, "below-claim"), "it is worn or false"));
    verdict = judge(random_of("read", 1400, "0"));
    assert_false(warns(&verdict, "below-claim"));
    verdict = judge(random_of("read", 1400, "3"));
    assert_false(warns(&verdict, "below-claim"));
}

static void test_a_class_is_tried_with_a_queue(void **state)
{
    (void)state;
    struct figures figures = random_of("read", 10, "1");
    figures.pairs[1].value = "31"; /* the host's way to the card may be what is slow */
    struct verdict verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.pairs[1].value = "32";
    figures.pairs[2].value = "8K";
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.pairs[2].value = "4096";
    verdict = judge(figures);
    assert_true(warns(&verdict, "below-claim"));
    figures.pairs[0].value = "mix";
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
}

static void test_a_table_tries_both(void **state)
{
    (void)state;
    struct figures figures = {.test = "storage.table",
                              .has_no_method = true,
                              .read = 100 * MIB,
                              .results = {{"rnd4k_q32_read_iops", 1400},
                                          {"rnd4k_q1_read_iops", 1500},
                                          {"rnd4k_q32_write_iops", 499},
                                          {"rnd4k_q1_write_iops", 300}},
                              .pairs = {{"target.claim.application", "1"}}};
    struct verdict verdict = judge(figures);
    assert_true(str_starts(warning(&verdict, "below-claim"),
                           "499 random writes a second (of at least 500) of 4 KiB are below"));
    figures.results[1].value = 1499;
    verdict = judge(figures);
    assert_true(str_starts(warning(&verdict, "below-claim"),
                           "1499 random reads a second (of at least 1500) and 499 random writes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_below_claim),
        cmocka_unit_test(test_every_mark_at_its_bound),
        cmocka_unit_test(test_a_promise_that_the_bus_cannot_carry_is_not_tried),
        cmocka_unit_test(test_only_what_the_rule_measures_is_held_against_it),
        cmocka_unit_test(test_reasons_that_stand_nearby_are_named),
        cmocka_unit_test(test_application_classes_at_their_bounds),
        cmocka_unit_test(test_a2_without_the_cards_queue_is_a1),
        cmocka_unit_test(test_a_class_is_tried_with_a_queue),
        cmocka_unit_test(test_a_table_tries_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
