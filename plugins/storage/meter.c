#include "meter.h"

#include "latency.h"

#include <string.h>

void meter_open(struct meter *meter, const struct dyno_target *target)
{
    memset(meter, 0, sizeof *meter);
    leafstat_open(&meter->leaf, target->leaf_stat);
}

void meter_close(struct meter *meter)
{
    meter_stop(meter);
    leafstat_close(&meter->leaf);
}

static void send_device(struct meter *meter, uint64_t t0_ns, uint64_t t1_ns)
{
    const struct dyno_host *host = meter->sampler.host;
    struct dyno_run *run = meter->sampler.run;
    struct leaf_counts now = leafstat_read(&meter->leaf), *last = &meter->last;
    uint64_t requests = meter->counts_reads ? now.read_requests - last->read_requests
                                            : now.write_requests - last->write_requests;
    host->sample(run, METRIC_DEVICE_WRITTEN, 0, t0_ns, t1_ns,
                 (double)(now.written_bytes - last->written_bytes));
    host->sample(run, METRIC_DEVICE_READ, 0, t0_ns, t1_ns,
                 (double)(now.read_bytes - last->read_bytes));
    if (!meter->counts_steps)
        host->sample(run, METRIC_REQUESTS, 0, t0_ns, t1_ns, (double)requests);
    *last = now;
}

static void meter_tick(void *context, uint64_t t0_ns, uint64_t t1_ns)
{
    struct meter *meter = context;
    const struct dyno_host *host = meter->sampler.host;
    struct dyno_run *run = meter->sampler.run;
    uint64_t moved = atomic_load_explicit(&meter->moved, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&meter->written, memory_order_relaxed);
    uint64_t steps = atomic_load_explicit(&meter->steps, memory_order_relaxed);
    host->sample(run, meter->metric, 0, t0_ns, t1_ns, (double)(moved - meter->last_moved));
    if (meter->counts_writes)
        host->sample(run, METRIC_WRITTEN, 0, t0_ns, t1_ns, (double)(written - meter->last_written));
    if (meter->leaf.count)
        send_device(meter, t0_ns, t1_ns);
    /* no disk to ask: the steps of the loop are the requests we know of */
    if (meter->counts_steps || !meter->leaf.count)
        host->sample(run, METRIC_REQUESTS, 0, t0_ns, t1_ns, (double)(steps - meter->last_steps));
    meter->last_moved = moved;
    meter->last_written = written;
    meter->last_steps = steps;
    if (meter->total == 0)
        return;
    uint64_t done = moved + written;
    if (meter->leaf.count && atomic_load_explicit(&meter->is_flushing, memory_order_relaxed))
        done = meter->last.written_bytes - meter->base.written_bytes;
    host->progress(run, done < meter->total ? done : meter->total, meter->total);
}

/* A request that takes longer than 0.5 s, seen from outside, to 0.1 s. */
static void meter_glance(void *context, uint64_t now_ns)
{
    struct meter *meter = context;
    uint64_t steps = atomic_load_explicit(&meter->steps, memory_order_relaxed);
    if (atomic_load_explicit(&meter->is_flushing, memory_order_relaxed))
        return;
    if (steps != meter->watch.steps || meter->watch.since_ns == 0) {
        meter->watch.steps = steps;
        meter->watch.since_ns = now_ns;
        meter->watch.is_counted = false;
        return;
    }
    uint64_t gap = now_ns - meter->watch.since_ns;
    if (gap > meter->watch.longest_ns)
        meter->watch.longest_ns = gap;
    if (gap > LATENCY_STALL_NS && !meter->watch.is_counted) {
        meter->watch.is_counted = true;
        meter->watch.stalls++;
    }
}

int meter_start(struct meter *meter, const struct dyno_host *host, struct dyno_run *run,
                unsigned metric, bool counts_reads, uint64_t total)
{
    meter->metric = metric;
    meter->counts_reads = counts_reads;
    meter->total = total;
    atomic_store(&meter->is_flushing, false);
    meter_publish(meter, 0, 0);
    atomic_store(&meter->written, 0);
    meter->last_moved = meter->last_written = meter->last_steps = 0;
    memset(&meter->watch, 0, sizeof meter->watch);
    meter->sampler.glance = meter->watches_stalls ? meter_glance : NULL;
    meter->after.count = 0;
    cores_read(&meter->before);
    meter->base = meter->last = leafstat_read(&meter->leaf);
    return sampler_start(&meter->sampler, host, run, meter_tick, meter);
}

void meter_stop(struct meter *meter)
{
    sampler_stop(&meter->sampler);
    cores_read(&meter->after);
}

double meter_kernel_share(const struct meter *meter)
{
    return cores_kernel_share(&meter->before, &meter->after);
}

struct leaf_counts meter_device(const struct meter *meter)
{
    struct leaf_counts moved = {
        .read_requests = meter->last.read_requests - meter->base.read_requests,
        .write_requests = meter->last.write_requests - meter->base.write_requests,
        .read_bytes = meter->last.read_bytes - meter->base.read_bytes,
        .written_bytes = meter->last.written_bytes - meter->base.written_bytes};
    return moved;
}
