/* exercise: patterns go through all of it; a flipped bit is found in the first. */
#include "prelude.h"

#include "crewed.h"

#include <memory/exercise.h>

#include <sched.h>

static void patterns_go_through(void **state)
{
    (void)state;
    struct crew *crew = crewed(2, false);
    struct wrong wrong;
    wrong_init(&wrong);
    struct exercise exercise = {.wrong = &wrong};
    crew_begin(crew, exercise_run, &exercise);
    while (exercise_passes(&exercise, 2) < 7) /* every pattern once, by both */
        sched_yield();
    crew_stop(crew);
    assert_int_equal(crew_end(crew), 0);
    assert_int_equal(wrong.count, 0);
    assert_true(crew_moved(crew) > 14 * 9 * (128u << 10) / 2);
    wrong_done(&wrong);
    crew_free(crew);
}

static void a_flipped_bit_is_found(void **state)
{
    (void)state;
    struct crew *crew = crewed(2, false);
    struct wrong wrong;
    wrong_init(&wrong);
    struct exercise exercise = {.wrong = &wrong, .flips_bit = true};
    crew_begin(crew, exercise_run, &exercise);
    while (exercise_passes(&exercise, 2) < 3)
        sched_yield();
    crew_stop(crew);
    assert_int_equal(crew_end(crew), 0);
    assert_int_equal(wrong.count, 1);
    assert_true((wrong.words[0].expected ^ wrong.words[0].got) == UINT64_C(1) << 21);
    wrong_done(&wrong);
    crew_free(crew);
}

/* Big cores that went through theirs twice once made up for little ones that had not: "stable" was
 * said of memory nobody had read. */
static void the_slowest_worker_tells_the_passes(void **state)
{
    (void)state;
    static struct exercise exercise;
    atomic_store(&exercise.done[0], 9);
    atomic_store(&exercise.done[1], 0);
    assert_int_equal(exercise_passes(&exercise, 2), 0);
    atomic_store(&exercise.done[1], 4);
    assert_int_equal(exercise_passes(&exercise, 2), 4);
    assert_int_equal(exercise_passes(&exercise, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_go_through),
        cmocka_unit_test(a_flipped_bit_is_found),
        cmocka_unit_test(the_slowest_worker_tells_the_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
