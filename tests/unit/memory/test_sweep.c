/* sweep: every kernel over a crew's areas leaves nothing wrong; a bit flipped, a loop that does
 * nothing and one that does half are found. */
#include "prelude.h"

#include "crewed.h"

#include <memory/isa.h>
#include <memory/sweep.h>

#include <sched.h>

static const size_t sizes[] = {8192, 192 << 10};

static uint64_t sweep_once(struct crew *crew, enum kernel kernel, kernel_fn *fn, size_t bytes,
                           bool flips_bit)
{
    static struct sweep sweep;
    struct wrong wrong;
    wrong_init(&wrong);
    sweep = (struct sweep){.kernel = kernel,
                           .fn = fn,
                           .bytes = bytes,
                           .word = UINT64_C(0x0102030405060708),
                           .flips_bit = flips_bit,
                           .wrong = &wrong};
    assert_int_equal(crew_do(crew, sweep_prepare, &sweep), 0);
    crew_begin(crew, sweep_run, &sweep);
    while (crew_moved(crew) < 3 * CREW_BLOCK)
        sched_yield();
    crew_stop(crew);
    assert_int_equal(crew_end(crew), 0);
    for (unsigned i = 0; i < crew->count; i++) { /* the counter is passes times the set */
        size_t each = sweep_buffer_bytes(kernel, bytes);
        uint64_t moved = atomic_load(&crew->workers[i].moved);
        assert_true(moved == (sweep.trace[i].passes * each + sweep.trace[i].rest) *
                                 kernel_about[kernel].counted);
    }
    assert_int_equal(crew_do(crew, sweep_check, &sweep), 0);
    uint64_t count = wrong.count;
    wrong_done(&wrong);
    return count;
}

static void nothing_is_wrong_in_any_order(void **state)
{
    (void)state;
    struct crew *crew = crewed(2, true);
    struct isa_choice choices[ISA_CANDIDATES];
    for (unsigned k = 0; k < KERNEL_COUNT; k++)
        for (size_t s = 0; s < 2; s++) {
            unsigned count = isa_candidates((enum kernel)k, NULL, choices);
            for (unsigned i = 0; i < count; i++)
                assert_int_equal(sweep_once(crew, (enum kernel)k, choices[i].fn, sizes[s], false),
                                 0);
        }
    /* a read after all that wrote: the fill is put back */
    (void)isa_candidates(KERNEL_READ, NULL, choices);
    assert_int_equal(sweep_once(crew, KERNEL_READ, choices[0].fn, 192 << 10, false), 0);
    crew_free(crew);
}

static void a_flipped_bit_is_found_by_every_kernel(void **state)
{
    (void)state;
    struct crew *crew = crewed(1, true);
    struct isa_choice choices[ISA_CANDIDATES];
    for (unsigned k = 0; k < KERNEL_COUNT; k++)
        if (isa_candidates((enum kernel)k, NULL, choices) > 0)
            assert_int_equal(sweep_once(crew, (enum kernel)k, choices[0].fn, 192 << 10, true), 1);
    crew_free(crew);
}

static uint64_t does_nothing(const struct kernel_work *work)
{
    (void)work;
    return 0;
}

static uint64_t does_half(const struct kernel_work *work)
{
    struct kernel_work half = *work;
    struct isa_choice choices[ISA_CANDIDATES];
    (void)isa_candidates(KERNEL_COPY, NULL, choices);
    half.bytes = work->bytes / 2 / KERNEL_GRAIN * KERNEL_GRAIN;
    return choices[0].fn(&half);
}

static void a_loop_that_does_nothing_is_found(void **state)
{
    (void)state;
    struct crew *crew = crewed(1, true);
    for (unsigned k = 0; k < KERNEL_COUNT; k++)
        assert_true(sweep_once(crew, (enum kernel)k, does_nothing, 64 << 10, false) > 0);
    assert_true(sweep_once(crew, KERNEL_COPY, does_half, 64 << 10, false) > 0);
    crew_free(crew);
}

/* Of a set of many GiB the preparation and the check once went on after a cancel, for seconds. */
static void a_stop_ends_the_preparation_and_the_check(void **state)
{
    (void)state;
    struct crew *crew = crewed(1, true);
    struct worker *worker = &crew->workers[0];
    static struct sweep sweep;
    struct wrong wrong;
    wrong_init(&wrong);
    sweep = (struct sweep){.kernel = KERNEL_READ, .bytes = 64 << 10, .wrong = &wrong};
    worker->area.intact = 0;
    crew_stop(crew);
    assert_int_equal(sweep_prepare(worker, &sweep), 0);
    assert_int_equal(worker->area.intact, 0); /* nothing was filled, and that is known */
    sweep.kernel = KERNEL_TRIAD;
    assert_int_equal(sweep_prepare(worker, &sweep), 0);
    assert_int_equal(worker->area.intact, 0);
    sweep.kernel = KERNEL_BZERO; /* what is there is no zero */
    sweep.trace[0].passes = 1;
    assert_int_equal(sweep_check(worker, &sweep), 0);
    assert_true(wrong.count == 0);
    atomic_store(&crew->stop, false);
    assert_int_equal(sweep_check(worker, &sweep), 0);
    assert_true(wrong.count > 0);
    wrong_done(&wrong);
    crew_free(crew);
}

static void in_haste_both_ends_are_looked_at(void **state)
{
    (void)state;
    enum { BYTES = 8 << 20 };
    static struct crew alone;
    static struct sweep sweep;
    struct worker worker = {.crew = &alone};
    struct wrong wrong;
    wrong_init(&wrong);
    worker.area.base = aligned_alloc(64, BYTES);
    worker.area.bytes = BYTES;
    memset(worker.area.base, 0, BYTES);
    sweep =
        (struct sweep){.kernel = KERNEL_BZERO, .bytes = BYTES, .is_hasty = true, .wrong = &wrong};
    sweep.trace[0].passes = 1;
    worker.area.base[BYTES / 2] = 1;
    assert_int_equal(sweep_check(&worker, &sweep), 0);
    assert_true(wrong.count == 0);
    worker.area.base[0] = worker.area.base[BYTES - 1] = 1;
    assert_int_equal(sweep_check(&worker, &sweep), 0);
    assert_true(wrong.count == 2);
    sweep.is_hasty = false;
    assert_int_equal(sweep_check(&worker, &sweep), 0);
    assert_true(wrong.count == 5);
    free(worker.area.base);
    wrong_done(&wrong);
}

static void buffers_are_whole_grains(void **state)
{
    (void)state;
    assert_int_equal(sweep_buffer_bytes(KERNEL_READ, 4096), 4096);
    assert_int_equal(sweep_buffer_bytes(KERNEL_COPY, 4096), 2048);
    assert_int_equal(sweep_buffer_bytes(KERNEL_TRIAD, 4096), 1024); /* 1365 rounded down */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_wrong_in_any_order),
        cmocka_unit_test(a_flipped_bit_is_found_by_every_kernel),
        cmocka_unit_test(a_loop_that_does_nothing_is_found),
        cmocka_unit_test(a_stop_ends_the_preparation_and_the_check),
        cmocka_unit_test(in_haste_both_ends_are_looked_at),
        cmocka_unit_test(buffers_are_whole_grains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
