#include "run/lull.h"

#include <math.h>

#include "base/clock.h"

void lull_begin(struct lull *lull, uint64_t zero_ns, uint64_t step_ns)
{
    *lull = (struct lull){.zero_ns = zero_ns, .step_ns = step_ns};
}

static struct lull_open *slot_of(struct lull *lull, uint64_t number)
{
    return &lull->open[number % LULL_OPEN];
}

static uint64_t begin_of(const struct lull *lull, uint64_t number)
{
    return lull->zero_ns + (number - 1) * lull->step_ns;
}

static void close_one(struct lull *lull, uint64_t number)
{
    struct lull_open open = *slot_of(lull, number);
    *slot_of(lull, number) = (struct lull_open){0};
    if (open.t1_ns <= open.t0_ns ||
        (double)(open.t1_ns - open.t0_ns) < LULL_SHARE * (double)lull->step_ns)
        return;
    double rate = open.amount * (double)NS_PER_S / (double)(open.t1_ns - open.t0_ns);
    if (lull->count == 0 || rate < lull->least) {
        lull->least = rate;
        lull->least_ns = begin_of(lull, number);
    }
    lull->count++;
    lull->zeros += !(open.amount > 0);
}

static uint64_t oldest_with(uint64_t newest)
{
    return newest > LULL_OPEN ? newest - LULL_OPEN + 1 : 1;
}

/* Intervals nobody told of are passed over: silence that was measured is told as zero. */
static void open_up_to(struct lull *lull, uint64_t number)
{
    if (number <= lull->newest)
        return;
    uint64_t kept = oldest_with(number);
    for (uint64_t i = oldest_with(lull->newest); i <= lull->newest && i < kept; i++)
        close_one(lull, i);
    lull->newest = number;
}

static void add(struct lull *lull, uint64_t number, uint64_t t0_ns, uint64_t t1_ns, double amount)
{
    open_up_to(lull, number);
    if (number < oldest_with(lull->newest))
        return;
    struct lull_open *open = slot_of(lull, number);
    if (open->t1_ns == 0 || t0_ns < open->t0_ns)
        open->t0_ns = t0_ns;
    if (t1_ns > open->t1_ns)
        open->t1_ns = t1_ns;
    open->amount += amount;
}

void lull_push(struct lull *lull, uint64_t t0_ns, uint64_t t1_ns, double amount)
{
    if (lull->step_ns == 0 || t1_ns <= t0_ns || !isfinite(amount) || amount < 0)
        return;
    if (t0_ns < lull->zero_ns)
        t0_ns = lull->zero_ns;
    double span = (double)(t1_ns - t0_ns);
    for (unsigned steps = 0; t0_ns < t1_ns && steps < LULL_STEPS; steps++) {
        uint64_t number = (t0_ns - lull->zero_ns) / lull->step_ns + 1;
        uint64_t until_ns = begin_of(lull, number) + lull->step_ns;
        if (until_ns > t1_ns)
            until_ns = t1_ns;
        add(lull, number, t0_ns, until_ns, amount * (double)(until_ns - t0_ns) / span);
        t0_ns = until_ns;
    }
}

bool lull_find(const struct lull *lull, bool is_over, struct lull_found *ret_found)
{
    struct lull copy = *lull;
    for (uint64_t i = oldest_with(copy.newest); is_over && i <= copy.newest; i++)
        close_one(&copy, i);
    if (copy.count == 0)
        return false;
    *ret_found = (struct lull_found){copy.count, copy.zeros, copy.least, copy.least_ns};
    return true;
}
