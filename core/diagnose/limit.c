#include "diagnose/rules.h"

#include <string.h>

#include "base/units.h"
#include "iodyno/plugin.h"

#define CACHED_LITTLE 0.10
#define SYNC_SHARE 0.5   /* of the time, for a write that the disk held up */
#define CPU_BUSY 0.90    /* of the time, when nothing else can run meanwhile */
#define CPU_SERIAL 0.50  /* one request at a time: the larger part of it is the limit */
#define KERNEL_BUSY 0.90 /* of one core */

static struct units_text share_text(double share)
{
    return units_value(share, DYNO_RATIO);
}

static const char *verb(const struct evidence *evidence)
{
    return evidence->is_read ? "read" : "written";
}

enum strength limit_bus(const struct evidence *evidence, struct str *text)
{
    if (evidence->is_memory || evidence->is_network || !evidence->has_rate ||
        evidence->ceiling_bps <= 0 ||
        evidence->rate_bps < evidence->ceiling_bps * evidence->bus_share)
        return SILENT;
    str_add(text, "the bus is the limit: ");
    rules_add_rate(evidence, text);
    str_add(text, ", as ");
    rules_add_source(evidence, text);
    str_add(text, " allows; only a faster mode of the bus gives more");
    return MAIN;
}

static const char *machine_of(const struct model *model, const char *key)
{
    for (size_t i = 0; i < model->machine_count; i++)
        if (strcmp(model->machine[i].key, key) == 0)
            return model->machine[i].value;
    return NULL;
}

static void add_cpu_advice(const struct evidence *evidence, struct str *text)
{
    const char *governor = machine_of(evidence->model, "governor");
    str_add(text, evidence->is_serial ? "; larger blocks, or more in flight (method=queue, depth), "
                                        "give more"
                                      : "; larger blocks give more");
    if (governor && strcmp(governor, "performance") != 0)
        str_addf(text, ", as may the governor performance instead of %s", governor);
}

enum strength limit_cpu(const struct evidence *evidence, struct str *text)
{
    bool is_busy =
        evidence->cpu >= CPU_BUSY || (evidence->is_serial && evidence->cpu >= CPU_SERIAL);
    bool is_kernel = evidence->kernel >= KERNEL_BUSY;
    if (!evidence->is_storage || !evidence->has_rate || (!is_busy && !is_kernel))
        return SILENT;
    str_add(text, "the CPU is the limit: ");
    rules_add_rate(evidence, text);
    if (is_busy) {
        str_addf(text, " took %s of the time in CPU work", share_text(evidence->cpu).text);
        if (evidence->cpu < CPU_BUSY)
            str_addf(text, ", %s waiting, one request at a time",
                     share_text(1 - evidence->cpu).text);
    } else {
        str_addf(text,
                 " kept one core %s of the time in the kernel (drivers, interrupts, "
                 "encryption)",
                 share_text(evidence->kernel).text);
        if (evidence->cpu >= 0)
            str_addf(text, ", the test itself %s", share_text(evidence->cpu).text);
    }
    rules_add_clock(evidence, text);
    add_cpu_advice(evidence, text);
    return MAIN;
}

static bool is_from_device(const struct evidence *evidence)
{
    return evidence->is_read && evidence->has_cached && evidence->cached < CACHED_LITTLE;
}

/* What is neither CPU work nor sync is waiting in read() or write(), and that for the disk: a write
 * is only held up there when the disk cannot take what RAM holds already. */
static bool is_waiting(const struct evidence *evidence)
{
    return evidence->model->has_end && evidence->cpu >= 0 && evidence->cpu < CPU_SERIAL &&
           (evidence->is_read || evidence->sync_s > 0);
}

enum strength limit_device(const struct evidence *evidence, struct str *text)
{
    if (!evidence->is_storage || !evidence->has_rate)
        return SILENT;
    double share = evidence->seconds > 0 ? evidence->sync_s / evidence->seconds : 0;
    bool is_synced = !evidence->is_read && share >= SYNC_SHARE;
    bool is_direct = model_is_direct(evidence->model);
    if (!is_synced && !is_direct && !is_from_device(evidence) && !is_waiting(evidence))
        return SILENT;
    str_add(text, "the disk is the limit: ");
    rules_add_rate(evidence, text);
    if (is_synced)
        str_addf(text, ", with %s of the time spent in sync",
                 share_text(share > 1 ? 1 : share).text);
    else if (is_direct)
        str_addf(text, ", %s without the page cache", verb(evidence));
    else if (is_from_device(evidence))
        str_addf(text, ", %s came from RAM", share_text(evidence->cached).text);
    else
        str_addf(text, ", %s of the time waiting for it", share_text(1 - evidence->cpu).text);
    if (evidence->cpu >= 0)
        str_addf(text, ", CPU %s", share_text(evidence->cpu).text);
    return MAIN;
}

/* ---- when no rule speaks */

static void add_seen(const struct evidence *evidence, struct str *text)
{
    if (evidence->sync_s > 0) {
        str_addf(text, "%s of ", units_duration(evidence->sync_s).text);
        str_addf(text, "%s were sync, ", units_duration(evidence->seconds).text);
    }
    if (evidence->cpu >= 0)
        str_addf(text, "%s of the time was CPU work, ", share_text(evidence->cpu).text);
    else
        str_add(text, "no CPU time is known, ");
    if (evidence->ceiling_bps > 0) {
        str_addf(text, "the bus was at %s of ",
                 share_text(evidence->rate_bps / evidence->ceiling_bps).text);
        str_addf(text, "%s, ", units_byte_rate(evidence->ceiling_bps).text);
    } else {
        str_add(text, "no ceiling of the bus is known, ");
    }
    if (evidence->is_read && evidence->has_cached)
        str_addf(text, "%s came from RAM", share_text(evidence->cached).text);
    else if (evidence->is_read)
        str_add(text, "nothing tells how much came from RAM");
    else
        str_add(text, "RAM took the rest of the writes");
}

void limit_unknown(const struct evidence *evidence, struct str *text)
{
    const struct model *model = evidence->model;
    bool is_running = !model->has_end;
    if (is_running && strcmp(model->test, "storage.table") == 0)
        str_add(text, "its cells are being measured; what they show is told at the end");
    else if (is_running && !evidence->has_rate)
        str_add(text, "nothing has been measured yet");
    else if (is_running && evidence->is_storage)
        str_add(text, evidence->is_read
                          ? "how much of this comes from RAM is known only at the end"
                          : "how much of this is still in RAM is known only after the sync");
    else if (evidence->is_storage && evidence->has_rate) {
        str_add(text, "unknown limit: ");
        add_seen(evidence, text);
        if (model_option(model, "method"))
            str_addf(text, "; method=dd-direct %s past RAM and tells",
                     evidence->is_read ? "reads" : "writes");
    } else if (evidence->is_storage)
        str_add(text, "unknown limit: the run ended without a rate");
    else
        str_add(text,
                evidence->ceiling_bps <= 0 && strcmp(model->test, "memory.bandwidth") == 0
                    ? "unknown limit: nothing tells the peak of this memory (dram-peak names it)"
                    : "unknown limit: no figure of this run tells what held it back");
}
