/* watch: statistics on one grid, live samples on the other, all bytes in either. */
#include "prelude.h"

#include "crewed.h"
#include "fake_host.h"

#include <memory/watch.h>

#include <time.h>

#define MS UINT64_C(1000000)

static int count_up(struct worker *worker, void *context)
{
    (void)context;
    uint64_t moved = 0;
    while (!worker_stops(worker)) {
        for (volatile int i = 0; i < 20000; i = i + 1)
            continue;
        worker_publish(worker, moved += 1000);
    }
    return 0;
}

static int end_at_once(struct worker *worker, void *context)
{
    (void)context;
    worker_publish(worker, 77);
    return 0;
}

static void steps(void **state)
{
    (void)state;
    assert_true(watch_step(10000 * MS) == 100 * MS);
    assert_true(watch_step(550 * MS) == 50 * MS);
    assert_true(watch_step(100 * MS) == 25 * MS);
    assert_true(watch_step(0) == 25 * MS);
}

static void all_bytes_are_in_the_samples(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(2, false);
    struct watch watch;
    struct spread spread = {0};
    struct watch_view views[2] = {{.metric = 3, .lane = 4, .count = 1, .spread = &spread},
                                  {.metric = 3,
                                   .lane = 5,
                                   .first = 1,
                                   .count = 1,
                                   .has_gauge = true,
                                   .gauge = 6,
                                   .gauge_bytes = 1000}};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 1000 * MS);
    struct watch_task task = {count_up, NULL, 330 * MS};
    assert_int_equal(watch_crew(&watch, crew, &task, views, 2), 0);
    assert_true(run.lane_sums[3][4] == (double)views[0].bytes);
    assert_true(run.lane_sums[3][5] == (double)views[1].bytes);
    assert_true(views[0].bytes + views[1].bytes == crew_moved(crew));
    assert_true(views[0].ns >= 330 * MS);
    assert_in_range(run.samples[3], 2, 10); /* four ticks or so of each */
    assert_true(run.samples[6] >= 1 && run.sums[6] > 0);
    struct spread_figures figures = spread_figures(&spread);
    assert_in_range(figures.samples, 1, 11);
    assert_true(figures.median > 0 && figures.p5 <= figures.median);
    assert_true(run.total == 1000 * MS && run.done <= run.total);
    spread_done(&spread);
    crew_free(crew);
    fake_close(&run);
}

/* Ten steps of 30 ms, told with their times: the rate is that of whole steps, not of the looks. */
static int slow_steps(struct worker *worker, void *context)
{
    const struct timespec *pause = context;
    uint64_t moved = 0;
    while (!worker_stops(worker)) {
        (void)nanosleep(pause, NULL);
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        atomic_store(&worker->moved_ns, WORKER_WRITES);
        worker_publish(worker, moved += 3000000);
        atomic_store(&worker->moved_ns, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    }
    return 0;
}

static void slow_steps_are_measured_by_their_own_clock(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(2, false);
    struct watch watch;
    struct spread spread = {0};
    struct watch_view view = {.metric = 1, .spread = &spread};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 0);
    struct timespec pause = {.tv_nsec = 30 * (long)MS};
    struct watch_task task = {slow_steps, &pause, 400 * MS};
    assert_int_equal(watch_crew(&watch, crew, &task, &view, 1), 0);
    struct spread_figures figures = spread_figures(&spread);
    assert_in_range(figures.samples, 4, 14);
    assert_true(figures.best <= 2 * 1e8 * 1.001); /* never above 3 MB each 30 ms and worker */
    assert_true(figures.median > 2 * 1e8 * 0.5);
    spread_done(&spread);
    crew_free(crew);
    fake_close(&run);
}

/* The libc's memset of 512 MiB takes longer than a look: its row once read 0.0 MB/s. */
static void no_rate_of_nothing_comes_before_the_first_step(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(2, false);
    struct watch watch;
    struct spread spread = {0};
    struct watch_view view = {.metric = 1, .spread = &spread};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 0);
    struct timespec pause = {.tv_nsec = 150 * (long)MS};
    struct watch_task task = {slow_steps, &pause, 400 * MS};
    assert_int_equal(watch_crew(&watch, crew, &task, &view, 1), 0);
    struct spread_figures figures = spread_figures(&spread);
    assert_in_range(figures.samples, 1, 3);
    assert_true(figures.p5 > 0 && figures.best <= 2 * 3000000 / 0.15 * 1.001);
    spread_done(&spread);
    crew_free(crew);
    fake_close(&run);
}

/* What was moved before the first look was once left out, on a busy machine. */
static void what_is_done_before_the_first_look_counts(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(1, false);
    struct watch watch;
    struct watch_view view = {.metric = 1};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 0);
    struct watch_task task = {end_at_once, NULL, 0};
    assert_int_equal(watch_crew(&watch, crew, &task, &view, 1), 0);
    assert_true(run.sums[1] == 77);
    assert_true(run.total == 0); /* no progress to tell */
    crew_free(crew);
    fake_close(&run);
}

static int take_a_nap(struct worker *worker, void *context)
{
    (void)worker;
    (void)nanosleep(context, NULL);
    return 0;
}

/* Each wait for a duty that ends by itself once lasted to the next look, 25 ms later. */
static void who_has_done_is_not_waited_for(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(1, false);
    struct watch watch;
    struct timespec nap = {.tv_nsec = (long)MS};
    struct watch_task task = {take_a_nap, &nap, 0};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 0);
    for (int i = 0; i < 40; i++) {
        struct watch_view view = {.metric = 1, .is_silent = true};
        assert_int_equal(watch_crew(&watch, crew, &task, &view, 1), 0);
    }
    assert_true(fake_host.now_ns(&run) - watch.start_ns < 700 * MS); /* it would be a second */
    crew_free(crew);
    fake_close(&run);
}

/* A run that takes longer than it was meant to once told nothing left for all that time. */
static void what_is_left_is_told(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(1, false);
    struct watch watch;
    struct watch_view view = {.metric = 1, .is_silent = true};
    struct watch_task task = {count_up, NULL, 60 * MS};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 50 * MS);
    watch_expect(&watch, 10 * MS); /* less than planned: nothing to say */
    assert_true(watch.total_ns == 50 * MS);
    watch_expect(&watch, 3600 * 1000 * MS);
    assert_int_equal(watch_crew(&watch, crew, &task, &view, 1), 0);
    assert_true(run.total == 50 * MS && run.done < MS); /* as a part of what was planned */
    crew_free(crew);
    fake_close(&run);
}

static void a_cancel_ends_it(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct crew *crew = crewed(1, false);
    struct watch watch;
    struct watch_view view = {.metric = 1, .is_silent = true};
    fake_open(&run, NULL, NULL);
    watch_begin(&watch, &fake_host, &run, 0);
    fake_cancel(&run);
    struct watch_task task = {count_up, NULL, 3600 * 1000 * MS};
    assert_int_equal(watch_crew(&watch, crew, &task, &view, 1), -ECANCELED);
    assert_int_equal(run.samples[1], 0);
    crew_free(crew);
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(all_bytes_are_in_the_samples),
        cmocka_unit_test(slow_steps_are_measured_by_their_own_clock),
        cmocka_unit_test(no_rate_of_nothing_comes_before_the_first_step),
        cmocka_unit_test(what_is_done_before_the_first_look_counts),
        cmocka_unit_test(who_has_done_is_not_waited_for),
        cmocka_unit_test(what_is_left_is_told),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
