#include "device/watch.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mount.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define LIMIT_MS 2000

struct count {
    unsigned told;
    uint64_t last_ns, least_gap_ns;
};

static void on_change(void *user)
{
    struct count *count = user;
    uint64_t now_ns = clock_mono_ns(), gap_ns = now_ns - count->last_ns;
    if (count->told > 0 && gap_ns < count->least_gap_ns)
        count->least_gap_ns = gap_ns;
    count->told++;
    count->last_ns = now_ns;
}

static void turn_for(struct loop *loop, uint64_t ns)
{
    for (uint64_t end_ns = clock_mono_ns() + ns; clock_mono_ns() < end_ns;)
        (void)loop_turn(loop, 20);
}

/* In a mount namespace of its own: nobody else's mounts, and ours end with the process. */
static void mounts_are_told_at_once_and_then_together(void **state)
{
    (void)state;
    struct loop *loop = NULL;
    struct watch *watch = NULL;
    struct count count = {.least_gap_ns = UINT64_MAX};
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        skip(); /* needs root */
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(watch_start(loop, on_change, &count, &watch), 0);
    turn_for(loop, 2 * WATCH_GAP_NS);
    count = (struct count){.least_gap_ns = UINT64_MAX}; /* loop devices of others */
    for (int i = 0; i < 10; i++) {
        assert_int_equal(mount("iodyno-test", "/mnt", "tmpfs", 0, "size=64k"), 0);
        (void)loop_turn(loop, 0);
        assert_int_equal(umount("/mnt"), 0);
        (void)loop_turn(loop, 0);
    }
    for (int i = 0; i < LIMIT_MS / 20 && count.told == 0; i++)
        (void)loop_turn(loop, 20);
    assert_true(count.told >= 1);
    turn_for(loop, 2 * WATCH_GAP_NS);
    assert_true(count.told >= 2); /* the end of the storm is looked at as well */
    assert_true(count.least_gap_ns >= WATCH_GAP_NS - NS_PER_MS);
    assert_null(watch_stop(watch));
    loop_free(loop);
}

static void stopping_nothing_is_fine(void **state)
{
    (void)state;
    assert_null(watch_stop(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mounts_are_told_at_once_and_then_together),
        cmocka_unit_test(stopping_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
