/* walk: any number of chains ends where it must, and a bent pointer is found and named. */
#include "prelude.h"

#include "crewed.h"

#include <memory/walk.h>

#include <sched.h>

static uint64_t walk_once(struct crew *crew, unsigned chains, bool flips_bit, uint64_t *ret_moved)
{
    struct wrong wrong;
    wrong_init(&wrong);
    struct walk walk = {
        .bytes = 200 << 10, .chains = chains, .flips_bit = flips_bit, .wrong = &wrong};
    assert_int_equal(crew_do(crew, walk_lay, &walk), 0);
    crew_begin(crew, walk_go, &walk);
    while (crew_moved(crew) < (1u << 20)) /* five times around */
        sched_yield();
    crew_stop(crew);
    assert_int_equal(crew_end(crew), 0);
    *ret_moved = crew_moved(crew);
    uint64_t count = wrong.count;
    if (flips_bit)
        assert_int_equal(wrong.kept, 1);
    wrong_done(&wrong);
    return count;
}

static void chains_end_where_they_must(void **state)
{
    (void)state;
    struct crew *crew = crewed(2, false); /* the second one does nothing */
    uint64_t moved;
    for (unsigned chains = 1; chains <= 8; chains *= 2) {
        assert_int_equal(walk_once(crew, chains, false, &moved), 0);
        assert_int_equal(moved % (CHASE_LINE * chains), 0);
    }
    assert_int_equal(atomic_load(&crew->workers[1].moved), 0);
    assert_int_equal(crew->workers[0].area.intact, 0);
    crew_free(crew);
}

static void a_bent_pointer_is_found(void **state)
{
    (void)state;
    struct crew *crew = crewed(1, false);
    uint64_t moved;
    assert_int_equal(walk_once(crew, 1, true, &moved), 1);
    assert_int_equal(walk_once(crew, 8, true, &moved), 1);
    crew_free(crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_end_where_they_must),
        cmocka_unit_test(a_bent_pointer_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
