/* A run of network.udp with `sweep`: a test of a few seconds for each rate, until the highest one
 * that arrives is known. */
#include "client.h"

#include "network.h"
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define STEP_NS (2 * CONTROL_NS_PER_S) /* a shorter `time` is that of each step */
#define START_BPS 10000000u

static void tell_step(const struct plan *plan, uint64_t bps, double lost)
{
    char text[PLAN_SENTENCE_MAX];
    (void)snprintf(text, sizeof text, "%.1f Mbit/s: %.3g %% lost", (double)bps / 1e6, lost * 100);
    plan->host->event(plan->run, "step", text);
}

static double share_of(double lost, double packets)
{
    return packets > 0 ? lost / packets : 1;
}

/* One rate. The shares of what was sent are those of what arrived and what was lost together. */
static int step(const struct plan *plan, bool is_in, struct sweep *sweep, uint64_t bps)
{
    struct tell_sums sums = {0};
    int error = client_test(plan, is_in, false, true, &sums);
    if (error < 0)
        return error;
    double lost = share_of(sums.lost, sums.packets);
    double arrived = is_in ? sums.rate_in : sums.rate_out;
    sweep_take(sweep, bps, lost < 1 ? arrived / (1 - lost) : 0, lost);
    tell_step(plan, bps, lost);
    return 0;
}

/* One direction; *ret_knee stands as far as the sweep came. */
static int sweep_way(struct plan *plan, bool is_in, uint64_t start_bps, double *ret_knee)
{
    struct sweep sweep = {.start_bps = start_bps};
    uint64_t bps;
    int error = 0;
    while (error == 0 && sweep_next(&sweep, &bps)) {
        plan->params.bps = bps / plan->params.parallel;
        error = step(plan, is_in, &sweep, bps);
        plan->was_there = true;
    }
    *ret_knee = (double)sweep.good_bps;
    if (error == 0 || (error == -ECANCELED && sweep.good_bps))
        plan->host->result(plan->run, is_in ? METRIC_RATE_IN : METRIC_RATE_OUT, DYNO_LANE_ALL,
                           *ret_knee);
    return error;
}

static void tell_knee(const struct plan *plan, double knee)
{
    plan->host->result(plan->run, METRIC_KNEE, DYNO_LANE_ALL, knee);
    plan->host->result(plan->run, METRIC_RATE, DYNO_LANE_ALL, knee);
}

int client_sweep(struct plan *plan)
{
    const uint64_t start_bps = plan->params.bps > PARAMS_UDP_BPS ? plan->params.bps : START_BPS;
    double out = 0, in = 0;
    int error = 0;
    if (plan->direction == PLAN_BOTH)
        return plan_explain(plan, -EINVAL,
                            "a sweep finds the rate of one direction: out, in, or turns");
    if (plan->params.bytes)
        return plan_explain(plan, -EINVAL, "a sweep has steps of a time, not of bytes");
    if (plan->time_ns > STEP_NS)
        plan->time_ns = STEP_NS;
    plan->params.time_s = (uint32_t)((plan->time_ns + CONTROL_NS_PER_S - 1) / CONTROL_NS_PER_S);
    if (plan->direction != PLAN_IN)
        error = sweep_way(plan, false, start_bps, &out);
    if (error == 0 && plan->direction != PLAN_OUT)
        error = sweep_way(plan, true, start_bps, &in);
    if (error == 0)
        tell_knee(plan, plan->direction == PLAN_OUT  ? out
                        : plan->direction == PLAN_IN ? in
                                                     : fmin(out, in));
    else if (error == -ECANCELED && plan->direction != PLAN_TURNS && out + in > 0)
        tell_knee(plan, out + in);
    return error;
}
