/* outlet: samples never wait and never lose an amount. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "wire/channel.h"
#include "worker/outlet.h"

enum { MOVED, LEVEL, RATE, METRICS };

static const struct frame_metric metrics[METRICS] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "moved", "Moved"},
    {DYNO_RATIO, DYNO_GAUGE, DYNO_NONE, 0, "level", "Level"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
};

struct line {
    int ours, theirs;
    struct outlet *outlet;
    struct packet packet;
};

static int setup(void **state)
{
    static struct line line;
    int fds[2];
    line = (struct line){0};
    if (channel_pair(fds) < 0 || outlet_new(fds[0], &line.outlet) < 0)
        return -1;
    outlet_set_metrics(line.outlet, metrics, METRICS);
    line.ours = fds[0];
    line.theirs = fds[1];
    *state = &line;
    return 0;
}

static int teardown(void **state)
{
    struct line *line = *state;
    (void)outlet_free(line->outlet);
    (void)close(line->ours);
    if (line->theirs >= 0)
        (void)close(line->theirs);
    return 0;
}

static void sample(struct line *line, unsigned metric, unsigned lane, uint64_t t0_ns,
                   uint64_t t1_ns, double value)
{
    AUTO(str_done) struct str why = {0};
    if (outlet_sample(line->outlet, metric, lane, t0_ns, t1_ns, value, &why) < 0)
        fail_msg("%s", str_text(&why));
}

/* Calls `fn` for each frame that is there; returns their number. */
static size_t receive(struct line *line, void (*fn)(void *, const struct frame *), void *user)
{
    size_t count = 0;
    while (channel_receive(line->theirs, &line->packet) == 1) {
        struct frame frame;
        size_t offset = 0;
        int code;
        while ((code = frame_next(line->packet.bytes, line->packet.size, &offset, &frame)) == 1) {
            fn(user, &frame);
            count++;
        }
        assert_int_equal(code, 0);
    }
    return count;
}

static void flush(struct line *line)
{
    struct pollfd timer = {.fd = outlet_timer_fd(line->outlet), .events = POLLIN};
    while (poll(&timer, 1, 50) > 0)
        outlet_on_timer(line->outlet);
}

struct seen {
    double moved, level;
    uint64_t t0_ns, t1_ns, merged, samples;
    bool is_broken; /* a gap or an overlap */
    unsigned last_type;
};

static void see(void *user, const struct frame *frame)
{
    struct seen *seen = user;
    seen->last_type = frame->type;
    if (frame->type != FRAME_SAMPLE)
        return;
    const struct frame_sample *one = &frame->sample;
    seen->samples++;
    seen->merged += one->merged;
    if (one->metric == LEVEL) {
        seen->level = one->value;
        return;
    }
    seen->is_broken |= seen->t1_ns != 0 && one->t0_ns != seen->t1_ns;
    seen->t0_ns = seen->t0_ns ? seen->t0_ns : one->t0_ns;
    seen->t1_ns = one->t1_ns;
    seen->moved += one->value;
}

static void a_lone_sample_goes_at_once(void **state)
{
    struct line *line = *state;
    struct seen seen = {0};
    sample(line, MOVED, 3, 100, 200, 4096);
    assert_int_equal(receive(line, see, &seen), 1);
    assert_true(seen.moved == 4096 && seen.t0_ns == 100 && seen.t1_ns == 200 && !seen.merged);
}

static void a_burst_shares_packets(void **state)
{
    struct line *line = *state;
    struct seen seen = {0};
    size_t packets = 0;
    for (unsigned lane = 0; lane < 256; lane++)
        sample(line, MOVED, lane, 100, 200, 1);
    flush(line);
    while (channel_receive(line->theirs, &line->packet) == 1) {
        struct frame frame;
        size_t offset = 0;
        packets++;
        while (frame_next(line->packet.bytes, line->packet.size, &offset, &frame) == 1)
            see(&seen, &frame);
    }
    assert_true(seen.moved == 256 && seen.merged == 0);
    assert_true(packets <= 8); /* five when nothing interrupts the burst */
}

static void a_full_line_merges_and_keeps_sums(void **state)
{
    struct line *line = *state;
    struct seen seen = {0};
    const unsigned made = 200000;
    for (unsigned i = 0; i < made; i++) {
        sample(line, MOVED, 0, 100 + i, 101 + i, 1 + i % 7);
        sample(line, LEVEL, 0, 100 + i, 101 + i, i);
    }
    double sum = 0;
    for (unsigned i = 0; i < made; i++)
        sum += 1 + i % 7;
    size_t frames = receive(line, see, &seen);
    assert_true(frames < made); /* or the line was never full */
    flush(line);
    (void)receive(line, see, &seen);
    assert_true(seen.moved == sum);
    assert_true(seen.level == made - 1);
    assert_true(seen.samples + seen.merged == 2 * (uint64_t)made);
    assert_true(seen.t0_ns == 100 && seen.t1_ns == 100 + made && !seen.is_broken);
}

static void a_frame_comes_behind_all_samples(void **state)
{
    struct line *line = *state;
    struct seen seen = {0};
    struct frame frame = {.type = FRAME_RESULT,
                          .result = {.metric = RATE, .lane = DYNO_LANE_ALL, .value = 1}};
    for (unsigned lane = 0; lane < 10; lane++)
        sample(line, MOVED, lane, 100, 200, 1);
    assert_int_equal(outlet_send(line->outlet, &frame), 0);
    assert_int_equal(receive(line, see, &seen), 11);
    assert_int_equal(seen.last_type, FRAME_RESULT);
    frame.result.value = (double)INFINITY;
    assert_int_equal(outlet_send(line->outlet, &frame), -EINVAL);
}

static void *send_results(void *argument)
{
    struct line *line = argument;
    struct frame frame = {.type = FRAME_RESULT,
                          .result = {.metric = RATE, .lane = DYNO_LANE_ALL, .value = 1}};
    for (int i = 0; i < 2000; i++) {
        if (outlet_send(line->outlet, &frame) < 0)
            return argument;
    }
    return NULL;
}

static void a_frame_waits_for_room(void **state)
{
    struct line *line = *state;
    struct seen seen = {0};
    pthread_t thread;
    void *failed = NULL;
    size_t frames = 0;
    assert_int_equal(pthread_create(&thread, NULL, send_results, line), 0);
    for (int i = 0; i < 1000 && frames < 2000; i++) {
        struct pollfd wait = {.fd = line->theirs, .events = POLLIN};
        (void)poll(&wait, 1, 100);
        frames += receive(line, see, &seen);
    }
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_int_equal(frames, 2000);
    assert_null(failed);
}

static void a_dead_line_ends_the_waiting(void **state)
{
    struct line *line = *state;
    struct frame frame = {.type = FRAME_RESULT,
                          .result = {.metric = RATE, .lane = DYNO_LANE_ALL, .value = 1}};
    (void)close(line->theirs);
    line->theirs = -1;
    sample(line, MOVED, 0, 100, 200, 1);
    assert_int_equal(outlet_send(line->outlet, &frame), -EPIPE);
    sample(line, MOVED, 0, 200, 300, 1); /* goes nowhere, harms nothing */
    flush(line);
}

static void see_value(void *user, const struct frame *frame)
{
    double *value = user;
    assert_int_equal(frame->type, FRAME_SAMPLE);
    *value = fmax(*value, frame->sample.value);
}

/* A sum beyond all numbers can be carried by no frame: it must not take the line down with it. */
static void amounts_too_large_to_sum_do_not_break_the_line(void **state)
{
    struct line *line = *state;
    struct frame frame = {.type = FRAME_RESULT,
                          .result = {.metric = RATE, .lane = DYNO_LANE_ALL, .value = 1}};
    double most = 0;
    uint64_t t_ns = 100;
    for (; t_ns < 3000; t_ns++) /* more than the line holds */
        sample(line, MOVED, 0, t_ns, t_ns + 1, 1.7e308);
    while (channel_receive(line->theirs, &line->packet) == 1)
        ;
    flush(line);
    (void)receive(line, see_value, &most);
    assert_true(isfinite(most) && most > 1.7e308);
    assert_int_equal(outlet_send(line->outlet, &frame), 0);
}

static void progress_keeps_the_newest(void **state)
{
    struct line *line = *state;
    uint64_t done = 0;
    for (uint64_t i = 1; i <= 100000; i++)
        outlet_progress(line->outlet, i, 100000);
    flush(line);
    while (channel_receive(line->theirs, &line->packet) == 1) {
        struct frame frame;
        size_t offset = 0;
        while (frame_next(line->packet.bytes, line->packet.size, &offset, &frame) == 1)
            done = frame.progress.done;
    }
    assert_int_equal(done, 100000);
}

static void what_breaks_the_contract_is_not_taken(void **state)
{
    static const struct {
        unsigned metric, lane;
        uint64_t t0_ns, t1_ns;
        double value;
        const char *why;
    } cases[] = {
        {METRICS, 0, 300, 400, 1, "a sample of metric 3, there are 3"},
        {RATE, 0, 300, 400, 1, "a sample of rate, which is a result"},
        {MOVED, 256, 300, 400, 1, "a sample of lane 256, the last one is 255"},
        {MOVED, 0, 300, 400, (double)NAN, "a sample of moved, lane 0, that is no number"},
        {MOVED, 0, 300, 300, 1, "a sample of moved, lane 0, that ends before it begins"},
        {MOVED, 0, 199, 300, 1, "a sample of moved, lane 0, that begins before the last one ended"},
    };
    struct line *line = *state;
    struct seen seen = {0};
    sample(line, MOVED, 0, 100, 200, 1);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(str_done) struct str why = {0};
        assert_int_equal(outlet_sample(line->outlet, cases[i].metric, cases[i].lane, cases[i].t0_ns,
                                       cases[i].t1_ns, cases[i].value, &why),
                         -EINVAL);
        assert_string_equal(str_text(&why), cases[i].why);
    }
    sample(line, MOVED, 255, 300, 400, 1); /* the bound itself */
    sample(line, MOVED, 0, 200, 201, 1);
    flush(line);
    assert_int_equal(receive(line, see, &seen), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lone_sample_goes_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_burst_shares_packets, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_line_merges_and_keeps_sums, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_comes_behind_all_samples, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_waits_for_room, setup, teardown),
        cmocka_unit_test_setup_teardown(a_dead_line_ends_the_waiting, setup, teardown),
        cmocka_unit_test_setup_teardown(amounts_too_large_to_sum_do_not_break_the_line, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(progress_keeps_the_newest, setup, teardown),
        cmocka_unit_test_setup_teardown(what_breaks_the_contract_is_not_taken, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
