/* course: sequential ones meet each block once a round, random ones all of the area. */
#include "storage/course.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void sequential_begins_anew(void **state)
{
    (void)state;
    struct course course = {.bs = 4096, .blocks = 3};
    static const uint64_t offsets[] = {0, 4096, 8192, 0, 4096};
    for (uint64_t i = 0; i < 5; i++) {
        struct request request = course_at(&course, i);
        assert_int_equal(request.offset, offsets[i]);
        assert_int_equal(request.number, i);
        assert_false(request.is_write);
    }
}

static void random_reaches_everything_evenly(void **state)
{
    (void)state;
    unsigned hits[100] = {0};
    struct course course = {.bs = 512, .blocks = 100, .is_random = true, .seed = 7};
    for (uint64_t i = 0; i < 100000; i++) {
        struct request request = course_at(&course, i);
        assert_int_equal(request.offset % 512, 0);
        assert_true(request.offset < 51200);
        hits[request.offset / 512]++;
    }
    for (size_t i = 0; i < 100; i++)
        assert_in_range(hits[i], 800, 1200);
}

static void seeds_differ(void **state)
{
    (void)state;
    struct course a = {.bs = 1, .blocks = 1u << 30, .is_random = true, .seed = 1}, b = a;
    b.seed = 2;
    unsigned same = 0;
    for (uint64_t i = 0; i < 1000; i++)
        same += course_at(&a, i).offset == course_at(&b, i).offset;
    assert_in_range(same, 0, 3);
    assert_int_equal(course_at(&a, 5).offset, course_at(&a, 5).offset);
}

static void writes_come_in_their_share(void **state)
{
    (void)state;
    static const unsigned percents[] = {0, 1, 30, 100};
    for (size_t k = 0; k < 4; k++) {
        struct course course = {
            .bs = 4096, .blocks = 1024, .is_random = true, .seed = 3, .write_percent = percents[k]};
        unsigned writes = 0;
        for (uint64_t i = 0; i < 10000; i++)
            writes += course_at(&course, i).is_write;
        unsigned exact = percents[k] * 100;
        assert_true(writes + 200 >= exact && writes <= exact + 200);
        if (percents[k] % 100 == 0)
            assert_int_equal(writes, exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequential_begins_anew),
        cmocka_unit_test(random_reaches_everything_evenly),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(writes_come_in_their_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
