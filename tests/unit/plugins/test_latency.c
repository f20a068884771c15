/* latency: buckets, percentiles, the bounds. */
#include "storage/latency.h"

#include <pthread.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct latency latency;

static void clear(void)
{
    memset(&latency, 0, sizeof latency);
}

static void buckets_are_narrow_and_in_order(void **state)
{
    (void)state;
    unsigned before = 0;
    for (uint64_t ns = 0; ns < UINT64_C(1) << 41; ns = ns < 1000 ? ns + 1 : ns + ns / 97) {
        unsigned bucket = latency_bucket(ns);
        assert_true(bucket >= before && bucket < LATENCY_BUCKETS);
        before = bucket;
        if (ns >> LATENCY_TOP)
            continue;
        uint64_t middle = latency_middle(bucket), apart = middle > ns ? middle - ns : ns - middle;
        assert_true(apart * 64 <= ns || ns == 0);
        assert_int_equal(latency_bucket(middle), bucket);
    }
    assert_int_equal(latency_bucket(UINT64_MAX), LATENCY_BUCKETS - 1);
}

static void percentiles_of_a_known_row(void **state)
{
    (void)state;
    clear();
    for (uint64_t i = 1; i <= 1000; i++)
        latency_add(&latency, i * 1000);
    assert_int_equal(latency_count(&latency), 1000);
    assert_in_range(latency_at(&latency, 0.5), 492000, 508000);
    assert_in_range(latency_at(&latency, 0.99), 974000, 1000000);
    assert_int_equal(atomic_load(&latency.most_ns), 1000000);
    assert_true(latency_at(&latency, 1.0) <= 1000000);
    clear();
    assert_int_equal(latency_at(&latency, 0.5), 0);
    latency_add(&latency, 7);
    assert_int_equal(latency_at(&latency, 0.001), 7);
    assert_int_equal(latency_at(&latency, 0.999), 7);
}

static void stalls_are_what_is_longer(void **state)
{
    (void)state;
    clear();
    latency_add(&latency, LATENCY_STALL_NS);
    assert_int_equal(atomic_load(&latency.stalls), 0);
    latency_add(&latency, LATENCY_STALL_NS + 1);
    latency_add(&latency, UINT64_MAX);
    assert_int_equal(atomic_load(&latency.stalls), 2);
}

static void *add_many(void *argument)
{
    for (uint64_t i = 0; i < 20000; i++)
        latency_add(&latency, i * (1 + (uint64_t)(uintptr_t)argument));
    return NULL;
}

static void threads_lose_nothing(void **state)
{
    (void)state;
    pthread_t threads[4];
    clear();
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, (void *)i), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(latency_count(&latency), 80000);
    assert_int_equal(atomic_load(&latency.most_ns), 19999 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_narrow_and_in_order),
        cmocka_unit_test(percentiles_of_a_known_row),
        cmocka_unit_test(stalls_are_what_is_longer),
        cmocka_unit_test(threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
