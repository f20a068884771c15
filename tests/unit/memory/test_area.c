/* area: taken step by step while the room lasts, filled, aligned. */
#include "prelude.h"

#include <memory/area.h>
#include <memory/kernel.h>

#include <sys/resource.h>

static uint64_t room_left; /* what the faked machine has */
static unsigned room_reads;
static atomic_bool stop;

static int fake_room(const char *root, struct room *into)
{
    (void)root;
    room_reads++;
    *into = (struct room){.touchable = room_left, .touchable_why = "a test"};
    room_left -= room_left > AREA_STEP ? AREA_STEP : room_left; /* as if it had been touched */
    return 0;
}

static void gate_open(struct area_gate *gate, uint64_t room)
{
    *gate = (struct area_gate){.root = "", .find_room = fake_room, .stop = &stop};
    pthread_mutex_init(&gate->lock, NULL);
    room_left = room;
    room_reads = 0;
    atomic_store(&stop, false);
}

static void all_of_it(void **state)
{
    (void)state;
    struct area area;
    struct area_gate gate;
    atomic_uint_least64_t taken = 0;
    gate_open(&gate, UINT64_C(1) << 40);
    assert_int_equal(area_take(&area, AREA_STEP + 8192, &gate, &taken), 0);
    assert_int_equal(area.bytes, AREA_STEP + 8192);
    assert_int_equal(area.intact, area.bytes);
    assert_int_equal(atomic_load(&taken), area.bytes);
    assert_int_equal((uintptr_t)area.base % AREA_ALIGN, 0);
    assert_int_equal(room_reads, 2);
    assert_false(gate.is_short);
    assert_true(gate.pending == 0);
    const uint64_t *words = (const uint64_t *)(void *)area.base;
    size_t last = area.bytes / sizeof(uint64_t) - 1;
    assert_true(words[0] == kernel_fill_word(0) && words[last] == kernel_fill_word(last));
    assert_true(area_huge_bytes(&area) <= area.bytes);
    area_drop(&area);
    assert_null(area.map);
    area_drop(&area); /* harmless */
    pthread_mutex_destroy(&gate.lock);
}

static void the_room_gives_out_on_the_way(void **state)
{
    (void)state;
    struct area area;
    struct area_gate gate;
    atomic_uint_least64_t taken = 0;
    gate_open(&gate, 2 * AREA_STEP + 1000);
    assert_int_equal(area_take(&area, 4 * (size_t)AREA_STEP, &gate, &taken), 0);
    assert_int_equal(area.bytes, 2 * AREA_STEP);
    assert_true(gate.is_short);
    assert_string_equal(gate.why, "a test");
    area_drop(&area);
    pthread_mutex_destroy(&gate.lock);
}

static void what_others_were_allowed_counts(void **state)
{
    (void)state;
    struct area area;
    struct area_gate gate;
    atomic_uint_least64_t taken = 0;
    gate_open(&gate, 2 * AREA_STEP);
    gate.pending = AREA_STEP + 1; /* another thread is about to touch it */
    assert_int_equal(area_take(&area, AREA_STEP, &gate, &taken), 0);
    assert_int_equal(area.bytes, 0);
    assert_true(gate.is_short);
    area_drop(&area);
    pthread_mutex_destroy(&gate.lock);
}

/* With any `ulimit -v` the addresses that are reserved once counted as memory that may be touched:
 * the gate let everything pass. */
static void a_limit_of_addresses_lets_nothing_pass(void **state)
{
    (void)state;
    struct area area;
    struct area_gate gate;
    struct rlimit before, limit;
    atomic_uint_least64_t taken = 0;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = RLIM_INFINITY / 4; /* far away, but one */
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    gate_open(&gate, 2 * AREA_STEP + 1000);
    int code = area_take(&area, 8 * (size_t)AREA_STEP, &gate, &taken);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(code, 0);
    assert_int_equal(area.bytes, 2 * AREA_STEP);
    assert_true(gate.is_short);
    area_drop(&area);
    pthread_mutex_destroy(&gate.lock);
}

/* What cannot be had is not waited for while the others fill theirs. */
static void no_addresses_stop_all(void **state)
{
    (void)state;
    struct area area;
    struct area_gate gate;
    atomic_uint_least64_t taken = 0;
    gate_open(&gate, UINT64_C(1) << 40);
    assert_int_equal(area_take(&area, SIZE_MAX / 2, &gate, &taken), -ENOMEM);
    assert_true(atomic_load(&stop));
    area_drop(&area);
    pthread_mutex_destroy(&gate.lock);
}

static void stopped_it_keeps_what_it_has(void **state)
{
    (void)state;
    struct area area;
    struct area_gate gate;
    atomic_uint_least64_t taken = 0;
    gate_open(&gate, UINT64_C(1) << 40);
    atomic_store(&stop, true);
    assert_int_equal(area_take(&area, AREA_STEP, &gate, &taken), 0);
    assert_int_equal(area.bytes, 0);
    assert_false(gate.is_short);
    area_drop(&area);
    pthread_mutex_destroy(&gate.lock);
}

static void buffers_lie_2_kib_apart_modulo_2_mib(void **state)
{
    (void)state;
    struct area area = {.base = (char *)(uintptr_t)(64u << 20)};
    assert_int_equal(area_buffer(&area, 0, 1000) - area.base, 0);
    assert_int_equal(area_buffer(&area, 1, 1000) - area.base, AREA_ALIGN + AREA_APART);
    assert_int_equal(area_buffer(&area, 2, AREA_ALIGN) - area.base, 2 * (AREA_ALIGN + AREA_APART));
    /* three buffers of a third each end within the set and its slack */
    for (size_t set = 12288; set < (256u << 20); set = set * 3 / 2) {
        size_t third = set / 3;
        assert_true(area_buffer(&area, 2, third) + third <= area.base + set + AREA_SLACK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(the_room_gives_out_on_the_way),
        cmocka_unit_test(what_others_were_allowed_counts),
        cmocka_unit_test(a_limit_of_addresses_lets_nothing_pass),
        cmocka_unit_test(no_addresses_stop_all),
        cmocka_unit_test(stopped_it_keeps_what_it_has),
        cmocka_unit_test(buffers_lie_2_kib_apart_modulo_2_mib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
