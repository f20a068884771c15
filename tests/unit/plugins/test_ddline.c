/* ddline prints what dd and time print; the lines are dd 9.1's own, or published ones. */
#include "storage/ddline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

static void published_lines(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes, ns;
        const char *line;
    } cases[] = {
        {524288000, 7815320000, "524288000 bytes (524 MB, 500 MiB) copied, 7.81532 s, 67.1 MB/s"},
        {524288000, 107154000000, "524288000 bytes (524 MB, 500 MiB) copied, 107.154 s, 4.9 MB/s"},
        {52428800, 8815930000, "52428800 bytes (52 MB, 50 MiB) copied, 8.81593 s, 5.9 MB/s"},
        {671088640, 494305000000, "671088640 bytes (671 MB, 640 MiB) copied, 494.305 s, 1.4 MB/s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(ddline_make(cases[i].bytes, cases[i].ns).text, cases[i].line);
}

static void small_and_odd_amounts(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes, ns;
        const char *line;
    } cases[] = {
        {0, 53145, "0 bytes copied, 5.3145e-05 s, 0.0 kB/s"},
        {1, 53145, "1 byte copied, 5.3145e-05 s, 18.8 kB/s"},
        {999, 68002, "999 bytes copied, 6.8002e-05 s, 14.7 MB/s"},
        {1000, 67993, "1000 bytes (1.0 kB) copied, 6.7993e-05 s, 14.7 MB/s"},
        {1023, 67993, "1023 bytes (1.0 kB) copied, 6.7993e-05 s, 15.0 MB/s"},
        {1024, 67993, "1024 bytes (1.0 kB, 1.0 KiB) copied, 6.7993e-05 s, 15.1 MB/s"},
        {1500000, 735209, "1500000 bytes (1.5 MB, 1.4 MiB) copied, 0.000735209 s, 2.0 GB/s"},
        {2500000, 2868500, "2500000 bytes (2.5 MB, 2.4 MiB) copied, 0.0028685 s, 872 MB/s"},
        /* the tenth rounds up to ten units, the whole to the next prefix; ties go to even */
        {9960000, 3 * S / 2, "9960000 bytes (10 MB, 9.5 MiB) copied, 1.5 s, 6.6 MB/s"},
        {999999, 3 * S / 2, "999999 bytes (1.0 MB, 977 KiB) copied, 1.5 s, 667 kB/s"},
        {2500, 3 * S / 2, "2500 bytes (2.5 kB, 2.4 KiB) copied, 1.5 s, 1.7 kB/s"},
        {12500, 3 * S / 2, "12500 bytes (12 kB, 12 KiB) copied, 1.5 s, 8.3 kB/s"},
        {13500, 3 * S / 2, "13500 bytes (14 kB, 13 KiB) copied, 1.5 s, 9.0 kB/s"},
        {UINT64_C(4) << 40, 3600 * S,
         "4398046511104 bytes (4.4 TB, 4.0 TiB) copied, 3600 s, 1.2 GB/s"},
        {INT64_MAX, 3600 * S,
         "9223372036854775807 bytes (9.2 EB, 8.0 EiB) copied, 3600 s, 2.6 PB/s"},
        {4096, 0, "4096 bytes (4.1 kB, 4.0 KiB) copied, 0 s, Infinity B/s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(ddline_make(cases[i].bytes, cases[i].ns).text, cases[i].line);
}

static void real_line_reads_like_time(void **state)
{
    (void)state;
    assert_string_equal(ddline_real(98751 * S / 1000, 130 * S / 1000, 14290 * S / 1000).text,
                        "real 1m38.751s, user 0m0.130s, sys 0m14.290s");
    assert_string_equal(ddline_real(59 * S + 999600000, 0, 0).text,
                        "real 1m0.000s, user 0m0.000s, sys 0m0.000s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_lines),
        cmocka_unit_test(small_and_odd_amounts),
        cmocka_unit_test(real_line_reads_like_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
