/* A run of network.udp with `sweep`: a test of a few seconds for each rate, until the highest one
 * that arrives is known. */
#include "client.h"

#include "network.h"
#include "sweep.h"

#include <errno.h>
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
static int step(const struct plan *plan, struct sweep *sweep, uint64_t bps)
{
    struct tell_sums sums = {0};
    int error = client_test(plan, plan->direction == PLAN_IN, false, true, &sums);
    if (error < 0)
        return error;
    double lost = share_of(sums.lost, sums.packets);
    double arrived = plan->direction == PLAN_IN ? sums.rate_in : sums.rate_out;
    sweep_take(sweep, bps, lost < 1 ? arrived / (1 - lost) : 0, lost);
    tell_step(plan, bps, lost);
    return 0;
}

static void tell_knee(const struct plan *plan, const struct sweep *sweep)
{
    double knee = (double)sweep->good_bps;
    plan->host->result(plan->run, METRIC_KNEE, DYNO_LANE_ALL, knee);
    plan->host->result(plan->run, METRIC_RATE, DYNO_LANE_ALL, knee);
}

int client_sweep(struct plan *plan)
{
    struct sweep sweep = {.start_bps =
                              plan->params.bps > PARAMS_UDP_BPS ? plan->params.bps : START_BPS};
    uint64_t bps;
    int error = 0;
    if (plan->direction != PLAN_OUT && plan->direction != PLAN_IN)
        return plan_explain(plan, -EINVAL, "a sweep finds the rate of one direction: out or in");
    if (plan->params.bytes)
        return plan_explain(plan, -EINVAL, "a sweep has steps of a time, not of bytes");
    if (plan->time_ns > STEP_NS)
        plan->time_ns = STEP_NS;
    plan->params.time_s = (uint32_t)((plan->time_ns + CONTROL_NS_PER_S - 1) / CONTROL_NS_PER_S);
    while (error == 0 && sweep_next(&sweep, &bps)) {
        plan->params.bps = bps / plan->params.parallel;
        error = step(plan, &sweep, bps);
        plan->was_there = true;
    }
    if (error == 0 || (error == -ECANCELED && sweep.good_bps))
        tell_knee(plan, &sweep);
    return error;
}
