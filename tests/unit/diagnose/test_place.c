/* place: where the files lie, and what that does to a figure. */
#include "figures.h"

static void test_places(void **state)
{
    static const struct {
        const char *filesystem, *main, *warning, *part;
        bool has_ceiling;
    } cases[] = {
        {"tmpfs", "cached", NULL, "this is RAM", false},
        {"nfs4", "wrong-path", NULL, "this is NFS", false},
        {"cifs", "wrong-path", NULL, "this is SMB", false},
        {"fuse.sshfs", "device-limited", "wrong-path", "this is FUSE", false},
        {"fuseblk", "device-limited", "wrong-path", "this is FUSE", true},
        {"overlay", "device-limited", "wrong-path", "this is an overlay", false},
        {"ext4", "device-limited", NULL, "the disk is the limit", true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict verdict =
            judge((struct figures){.method = "dd-direct",
                                   .written = 100 * MIB,
                                   .rate = 10e6,
                                   .ceiling = "100000000",
                                   .facts = {{"file-system", cases[i].filesystem}}});
        assert_string_equal(verdict.main.code, cases[i].main);
        const char *text =
            cases[i].warning ? warning(&verdict, cases[i].warning) : verdict.main.text;
        assert_non_null(strstr(text, cases[i].part));
        assert_int_equal(verdict.ceiling_bps > 0, cases[i].has_ceiling);
        assert_int_equal(verdict.warning_count, cases[i].warning ? 1 : 0);
    }
    struct verdict verdict = judge((struct figures){.method = "dd-direct",
                                                    .written = 100 * MIB,
                                                    .rate = 10e6,
                                                    .pairs = {{"target.disk", "zram"}}});
    assert_string_equal(verdict.main.code, "cached");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
