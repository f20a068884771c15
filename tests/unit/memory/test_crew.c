/* crew: pinned threads that begin together, publish, stop, and tell their errors. */
#include "prelude.h"

#include "crewed.h"

#include <sched.h>

static int tell_cpu(struct worker *worker, void *context)
{
    (void)context;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_true(CPU_ISSET(worker->cpu, &set));
    worker_publish(worker, worker->index + 1);
    return 0;
}

static void each_is_pinned_to_its_own(void **state)
{
    (void)state;
    struct crew *crew = crewed(2, false);
    assert_int_equal(crew_do(crew, tell_cpu, NULL), 0);
    assert_int_equal(crew_moved(crew), 3);
    assert_true(crew->workers[0].area.base != crew->workers[1].area.base);
    crew_free(crew);
}

static int until_stopped(struct worker *worker, void *context)
{
    uint64_t moved = 0;
    atomic_fetch_add((atomic_uint *)context, 1);
    while (!worker_stops(worker))
        worker_publish(worker, ++moved);
    return worker->index == 1 ? -EIO : 0;
}

static void a_stop_reaches_all_and_an_error_comes_back(void **state)
{
    (void)state;
    struct crew *crew = crewed(2, false);
    atomic_uint begun = 0;
    for (int turn = 0; turn < 3; turn++) {
        crew_begin(crew, until_stopped, &begun);
        while (crew_moved(crew) < 1000)
            sched_yield();
        crew_stop(crew);
        assert_int_equal(crew_end(crew), -EIO);
    }
    assert_int_equal(atomic_load(&begun), 6);
    assert_int_equal(crew_do(crew, tell_cpu, NULL), 0); /* and is forgotten */
    crew_free(crew);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct cpus cpus = {.count = 1, .cpu = {{.number = 100000}}};
    struct crew *crew = NULL;
    assert_int_equal(crew_new(&cpus, 0, &crew), -EINVAL);
    assert_int_equal(crew_new(&cpus, 2, &crew), -EINVAL);
    assert_int_equal(crew_new(&cpus, 1, &crew), -EINVAL); /* no such CPU to be pinned to */
    assert_null(crew);
    assert_null(crew_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_pinned_to_its_own),
        cmocka_unit_test(a_stop_reaches_all_and_an_error_comes_back),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
