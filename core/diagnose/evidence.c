#include "diagnose/evidence.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "device/dram.h"
#include "diagnose/ceiling.h"
#include "iodyno/plugin.h"

static struct series_total total_of(const struct model *model, const char *key)
{
    struct series_total total = {0};
    int metric = model_metric(model, key);
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    return total;
}

/* The result, or the mean of what is drawn. */
static void find_rate(const struct model *model, struct evidence *evidence)
{
    int metric = model_metric(model, "rate");
    const unsigned unit = evidence->is_network ? DYNO_BIT_PER_S : DYNO_BYTE_PER_S;
    if (metric >= 0 && model->metrics[metric].about.unit == unit &&
        model_result(model, "rate", &evidence->rate_bps) == 0) {
        evidence->has_rate = true;
        return;
    }
    unsigned headline;
    struct series_total total = {0};
    bool is_table = strcmp(model->test, "storage.table") == 0; /* a mean of unlike things */
    if (model->has_end || is_table || model_headline(model, &headline) < 0 ||
        model->metrics[headline].about.unit != DYNO_BYTE || !model->metrics[headline].sum)
        return;
    series_total(model->metrics[headline].sum, &total);
    if (total.sum > 0) {
        evidence->has_rate = true;
        evidence->rate_bps = total.sum * (double)NS_PER_S / (double)(total.t1_ns - total.t0_ns);
        if (evidence->is_network)
            evidence->rate_bps *= 8;
    }
}

static double phases_of_sync(const struct model *model)
{
    double seconds = 0;
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        uint64_t end_ns = phase->t1_ns ? phase->t1_ns : model->now_ns;
        if (strstr(phase->name, "sync") && end_ns > phase->t0_ns)
            seconds += (double)(end_ns - phase->t0_ns) / (double)NS_PER_S;
    }
    return seconds;
}

static void find_times(const struct model *model, struct evidence *evidence)
{
    uint64_t end_ns = model->has_end ? model->end_ns : model->now_ns;
    if (model_result(model, "real_time", &evidence->seconds) < 0)
        evidence->seconds = model_seconds(model, end_ns);
    if (model_result(model, "sync_time", &evidence->sync_s) < 0)
        evidence->sync_s = phases_of_sync(model);
}

/* What sets the ceiling, as a person names it: the mode before the file it was read from. */
static void find_source(const struct model *model, struct evidence *evidence)
{
    const char *mode = model_target(model, "mode"), *width = model_target(model, "width");
    const char *source = mode ? mode : model_target(model, "ceiling_source");
    const char *unit = mode && str_starts(mode, "PCIe") ? " lanes" : " bit";
    if (source)
        (void)snprintf(evidence->ceiling_source, sizeof(evidence->ceiling_source), "%s%s%s%s",
                       source, mode && width ? ", " : "", mode && width ? width : "",
                       mode && width ? unit : "");
}

static double number_of(const char *text, double otherwise)
{
    double value;
    return text && units_parse_double(text, &value) == 0 && value > 0 ? value : otherwise;
}

static double target_number(const struct model *model, const char *key)
{
    const char *text = model_target(model, key);
    return number_of(text, 0);
}

/* As the order says it; else from the mode alone, of which a record may tell no more. */
static void find_ceiling(const struct model *model, struct evidence *evidence)
{
    const char *device = model_target(model, "device");
    double width = target_number(model, "width"), clock = target_number(model, "clock_hz");
    const struct ceiling_link link = {
        .mode = model_target(model, "mode"),
        .width = width <= UINT16_MAX ? (unsigned)width : 0,
        .clock_hz = clock <= UINT32_MAX ? (uint64_t)clock : 0,
        .is_emmc = device && strcmp(device, "emmc") == 0,
    };
    evidence->bus_share = ceiling_reach(link.mode);
    if (evidence->place && !evidence->place->has_bus)
        return;
    evidence->capable_bps = target_number(model, "capable");
    evidence->ceiling_bps =
        model_target(model, "ceiling") ? target_number(model, "ceiling") : ceiling_of(&link);
}

/* What a line carries of a test's bytes: 1448 of the 1538 of a full frame with its gap (TCP with
 * timestamps; a datagram carries hardly more). */
static void find_line(const struct model *model, struct evidence *evidence)
{
    const char *speed = model_target(model, "speed_mbps");
    evidence->ceiling_bps = ceiling_tcp(number_of(speed, 0) * 1e6);
    evidence->ceiling_source[0] = '\0';
    if (evidence->ceiling_bps > 0)
        (void)snprintf(evidence->ceiling_source, sizeof evidence->ceiling_source,
                       "%s Mbit/s line, 1448 of 1538 bytes", speed);
}

/* What a person says of the memory rules over what the board does. Of a cache the peak of the
 * memory is no ceiling. */
static void find_peak(const struct model *model, struct evidence *evidence)
{
    const char *option = model_option(model, "dram-peak"), *level = model_fact(model, "set-level");
    const char *source = model_target(model, "ceiling_source");
    const size_t size = strlen(evidence->ceiling_source);
    if (level && strcmp(level, "DRAM") != 0) {
        (void)snprintf(evidence->cache_level, sizeof evidence->cache_level, "%s", level);
        evidence->ceiling_bps = 0;
    } else if (option && dram_option(option) > 0) {
        evidence->ceiling_bps = dram_option(option);
        (void)snprintf(evidence->ceiling_source, sizeof evidence->ceiling_source, "option %s",
                       option);
    } else if (source && model_target(model, "mode")) {
        (void)snprintf(evidence->ceiling_source + size, sizeof evidence->ceiling_source - size,
                       ", %s", source);
    }
}

/* Cores that the test can keep busy at once: a thread a request, or one for all of them. */
static double cores_of(const struct model *model, double depth)
{
    const char *engine = model_fact(model, "engine");
    double cpus = 1;
    for (size_t i = 0; i < model->machine_count; i++)
        if (strcmp(model->machine[i].key, "cpus") == 0)
            cpus = number_of(model->machine[i].value, 1);
    if (!engine || strcmp(engine, "threads") != 0)
        return 1;
    return depth < cpus ? depth : cpus;
}

/* Of the timed part; a test that does not tell it is known by the times of its whole process. */
static void find_cpu(const struct model *model, struct evidence *evidence)
{
    const char *method = model_option(model, "method");
    bool is_table = strcmp(model->test, "storage.table") == 0;
    double depth = is_table ? 32 : number_of(model_option(model, "depth"), 1);
    double share, user, kernel, seconds = model_seconds(model, model->end_ns);
    evidence->cpu = evidence->kernel = -1;
    evidence->is_serial = !is_table && (depth < 2 || (method && strcmp(method, "queue") != 0));
    if (evidence->is_serial)
        depth = 1;
    if (model_result(model, "cpu_share", &share) == 0)
        evidence->cpu = share / cores_of(model, depth);
    else if (model->has_end && seconds > 0 && model_result(model, "cpu_user", &user) == 0 &&
             model_result(model, "cpu_sys", &kernel) == 0)
        evidence->cpu = (user + kernel) / seconds / cores_of(model, depth);
    if (evidence->cpu > 1)
        evidence->cpu = 1;
    (void)model_result(model, "kernel_share", &evidence->kernel);
}

void evidence_gather(const struct model *model, struct evidence *ret_evidence)
{
    struct evidence evidence = {
        .model = model,
        .is_storage = str_starts(model->test, "storage."),
        .is_memory = str_starts(model->test, "memory."),
        .is_network = str_starts(model->test, "network."),
        .written = total_of(model, "written").sum,
        .read = total_of(model, "read").sum,
        .prepared = total_of(model, "prepared").sum,
        .device_written = total_of(model, "device_written").sum,
        .device_read = total_of(model, "device_read").sum,
    };
    evidence.is_read = evidence.read > 0;
    evidence.has_cached = model_result(model, "cached", &evidence.cached) == 0;
    if (evidence.is_storage)
        evidence.place = place_of(model);
    find_ceiling(model, &evidence);
    find_source(model, &evidence);
    if (evidence.is_memory)
        find_peak(model, &evidence);
    if (evidence.is_network)
        find_line(model, &evidence);
    find_cpu(model, &evidence);
    find_rate(model, &evidence);
    find_times(model, &evidence);
    *ret_evidence = evidence;
}
