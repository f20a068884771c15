#include "rig.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define LAYOUT_BS (1u << 20)
#define NO_MEMORY "not enough memory for that many blocks: choose a smaller bs or depth"

void rig_begin(struct rig *rig, const struct dyno_host *host, struct dyno_run *run)
{
    rig->report = (struct report){.host = host, .run = run, .job = &rig->job};
    report_place(&rig->report);
    meter_open(&rig->meter, rig->job.target);
}

void rig_end(struct rig *rig)
{
    (void)parts_close(&rig->file);
    meter_close(&rig->meter);
    pattern_done(&rig->source);
}

static int explain(const struct rig *rig, int error, const char *why)
{
    rig->report.host->explain(rig->report.run, why);
    return error;
}

static int fault(struct rig *rig, const char *doing, int error, uint64_t done, uint64_t total)
{
    parts_discard(&rig->file);
    return report_fault(&rig->report, doing, error, done, total, &rig->meter.leaf);
}

int rig_choose_engine(struct rig *rig)
{
    const struct report *report = &rig->report;
    char why[ENGINE_WHY_MAX];
    int error =
        engine_choose(rig->job.engine, rig->job.depth, rig->file.files[0].fd, &rig->engine, why);
    if (error < 0)
        return explain(rig, error, why);
    report->host->fact(report->run, "engine", engine_name(rig->engine));
    if (why[0])
        report->host->fact(report->run, "engine-why", why);
    return 0;
}

int rig_create(struct rig *rig)
{
    char why[SCRATCH_WHY_MAX];
    struct scratch_request request = job_scratch(&rig->job);
    request.is_direct = true;
    report_sweep(&rig->report);
    int error = parts_create(&rig->file, &request, why);
    if (error < 0)
        return explain(rig, error, why);
    return rig_choose_engine(rig);
}

static int write_all(struct rig *rig, struct pattern *source)
{
    const struct report *report = &rig->report;
    struct meter *meter = &rig->meter;
    struct stream writing = {.file = &rig->file,
                             .pattern = source,
                             .meter = meter,
                             .bs = LAYOUT_BS,
                             .total = rig->job.total};
    bool was_direct = parts_is_direct(&rig->file);
    int error =
        meter_start(meter, report->host, report->run, METRIC_PREPARED, false, rig->job.total);
    if (error < 0)
        return error;
    error = stream_write(&writing); /* may end buffered, as dd does */
    atomic_store_explicit(&meter->is_flushing, true, memory_order_relaxed);
    if (error == 0)
        error = parts_drop(&rig->file);
    meter_stop(meter);
    if (error == 0 && was_direct && !parts_is_direct(&rig->file))
        error = parts_set_direct(&rig->file, true);
    return error < 0 ? fault(rig, "write of the test's file", error, writing.done, rig->job.total)
                     : 0;
}

int rig_lay_out(struct rig *rig)
{
    struct pattern source = {.bytes = NULL};
    if (pattern_make_large(&source, LAYOUT_BS, rig->job.is_random) < 0)
        return explain(rig, -ENOMEM, NO_MEMORY);
    rig->report.host->phase(rig->report.run, "prepare");
    int error = write_all(rig, &source);
    pattern_done(&source);
    return error;
}

/* Everything that has a clock. */
static int run_timed(struct rig *rig, struct queue *queue, bool is_write)
{
    const struct report *report = &rig->report;
    lap_begin(&rig->lap);
    bool is_forced = strcmp(rig->job.engine, "io_uring") == 0;
    int error = queue_run(queue, queue->depth == 1 && !is_forced ? ENGINE_PLAIN : rig->engine);
    if (error == 0 && is_write) {
        atomic_store_explicit(&rig->meter.is_flushing, true, memory_order_relaxed);
        report->host->phase(report->run, "fsync");
        uint64_t t0 = lap_now_ns();
        error = parts_fsync(&rig->file);
        rig->sync_ns = lap_now_ns() - t0;
    }
    lap_end(&rig->lap);
    return error;
}

static uint64_t seed(void)
{
    uint64_t value = 0;
    return getrandom(&value, sizeof value, GRND_NONBLOCK) == sizeof value ? value : lap_now_ns();
}

/* The source of writes has the load's block size. */
static int make_source(struct rig *rig, const struct rig_load *load)
{
    if (load->write_percent == 0 || (rig->source.bytes && rig->source.block == load->bs))
        return 0;
    pattern_done(&rig->source);
    return pattern_make_large(&rig->source, load->bs, rig->job.is_random);
}

static int start_meter(struct rig *rig, const struct rig_load *load)
{
    const struct report *report = &rig->report;
    bool is_write = load->write_percent >= 100;
    /* Where a test both reads and writes, METRIC_MOVED is what it read. */
    bool moves_both = rig->meter.counts_writes;
    return meter_start(&rig->meter, report->host, report->run, METRIC_MOVED,
                       moves_both || !is_write, load->has_progress ? load->limit_bytes : 0);
}

int rig_go(struct rig *rig, const struct rig_load *load)
{
    const struct report *report = &rig->report;
    bool is_write = load->write_percent > 0;
    rig->bytes = rig->sync_ns = 0;
    memset(&rig->latency, 0, sizeof rig->latency);
    if (make_source(rig, load) < 0)
        return explain(rig, -ENOMEM, NO_MEMORY);
    struct queue queue = {.fd = rig->file.files[0].fd,
                          .parts = &rig->file,
                          .depth = load->depth,
                          .course = {.bs = load->bs,
                                     .blocks = rig->job.total / load->bs,
                                     .is_random = load->is_random,
                                     .write_percent = load->write_percent,
                                     .seed = seed()},
                          .limit = load->limit_bytes ? load->limit_bytes / load->bs : UINT64_MAX,
                          .time_ns = load->time_ns,
                          .source = is_write ? &rig->source : NULL,
                          .meter = &rig->meter,
                          .latency = &rig->latency};
    int error = queue_open(&queue);
    if (error == 0) {
        report->host->phase(report->run, load->phase);
        error = start_meter(rig, load);
    }
    if (error == 0)
        error = run_timed(rig, &queue, is_write);
    meter_stop(&rig->meter);
    queue_close(&queue);
    rig->bytes = meter_moved(&rig->meter);
    if (error == -ENOMEM)
        return explain(rig, error, NO_MEMORY);
    if (error == -EAGAIN && rig->bytes == 0)
        return explain(rig, error, "too few threads are allowed here for that depth");
    if (error < 0 && error != -ECANCELED)
        return fault(rig, load->phase, error, rig->bytes, load->limit_bytes);
    return error;
}

double rig_rate(const struct rig *rig)
{
    return rig->lap.wall_ns ? (double)rig->bytes / lap_seconds(rig->lap.wall_ns) : 0.0;
}

double rig_iops(const struct rig *rig)
{
    double requests = (double)latency_count(&rig->latency);
    return rig->lap.wall_ns ? requests / lap_seconds(rig->lap.wall_ns) : 0.0;
}

void rig_report_direct(struct rig *rig, struct parts *file, bool is_write)
{
    uint64_t size = parts_bytes(file);
    uint32_t align;
    struct stream probe = {
        .file = file, .bs = 1, .done = size < DIRECT_PROBE_AT ? size : DIRECT_PROBE_AT};
    if (rig->job.raw_fd < 0)
        stream_probe(&probe);
    report_direct(&rig->report, file, &probe, direct_alignment(file->files[0].fd, &align),
                  is_write);
}
