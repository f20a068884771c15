#include "view/story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "report/traffic.h"
#include "view/quantity.h"
#include "view/shelf.h"

#define STEPS_MOST 512 /* bytes of the smallest block */

#define LATE_NS (5 * NS_PER_S)

static bool is_text(const char *text)
{
    return text && text[0];
}

void story_title(const struct model *model, struct str *into)
{
    const char *title = is_text(model->title) ? model->title : model->test;
    struct traffic traffic;
    if (traffic_of(model, &traffic) && is_text(model_option(model, "server"))) {
        traffic_add_ends(model, &traffic, into);
        return;
    }
    str_add(into, is_text(title) ? title : "starting");
    const char *method = model_option(model, "method");
    if (!is_text(method))
        method = model_option(model, "mode");
    if (is_text(method))
        str_addf(into, ", %s", method);
}

/* "1000 full · cubic" of a port. */
static void add_link(const struct model *model, struct str *into)
{
    const char *speed = model_target(model, "speed_mbps");
    const char *duplex = model_target(model, "duplex");
    const char *congestion = model_fact(model, "congestion");
    if (model->target_kind != DYNO_NET)
        return;
    if (is_text(speed))
        str_addf(into, " · %s%s%s", speed, is_text(duplex) ? " " : "", duplex ? duplex : "");
    if (is_text(congestion))
        str_addf(into, " · %s", congestion);
}

void story_target(const struct model *model, struct str *into)
{
    str_add(into, model->target_id ? model->target_id : "");
    const char *name = model_target(model, "name"), *mode = model_target(model, "mode");
    const char *width = model_target(model, "width");
    if (is_text(name))
        str_addf(into, " · %s", shelf_name(name));
    if (is_text(model_target(model, "filesystem")))
        str_addf(into, " · %s", model_target(model, "filesystem"));
    if (is_text(mode))
        str_addf(into, " · %s", mode);
    if (is_text(mode) && is_text(width))
        str_addf(into, " %s bit", width);
    add_link(model, into);
}

const char *story_word(const struct model *model, enum runner_stop stop, enum theme_role *ret_role)
{
    static const struct {
        const char *word;
        enum theme_role role;
    } words[RUN_STATES] = {
        [RUN_RUNNING] = {"RUNNING", ROLE_ACCENT},   [RUN_DONE] = {"DONE", ROLE_OK},
        [RUN_FAILED] = {"FAILED", ROLE_FAIL},       [RUN_CANCELLED] = {"CANCELLED", ROLE_WARN},
        [RUN_REFUSED] = {"REFUSED", ROLE_WARN},     [RUN_REMOVED] = {"REMOVED", ROLE_FAIL},
        [RUN_ABANDONED] = {"ABANDONED", ROLE_FAIL}, [RUN_INTERRUPTED] = {"INTERRUPTED", ROLE_WARN},
    };
    *ret_role = ROLE_WARN;
    if (!model->has_end && stop != RUNNER_GOING)
        return "STOPPING";
    if (!model->has_end && model->is_stalled)
        return "STALLED";
    if (!model->has_start && !model->has_end) {
        *ret_role = ROLE_DIM;
        return "STARTING";
    }
    unsigned state = model->has_end ? model->state : RUN_RUNNING;
    if (state >= RUN_STATES)
        return "UNKNOWN";
    *ret_role = words[state].role;
    return words[state].word;
}

struct units_text story_seconds(double seconds)
{
    struct units_text into;
    if (seconds >= 60)
        return units_duration(floor(seconds));
    (void)snprintf(into.text, sizeof into.text, "%.0f s", floor(seconds));
    return into;
}

double story_elapsed(const struct model *model)
{
    if (!model->has_start)
        return 0;
    double seconds = model_seconds(model, model->has_end ? model->end_ns : model->now_ns);
    return seconds > 0 ? seconds : 0;
}

double story_planned(const struct model *model)
{
    const char *text = model_option(model, "time");
    uint64_t time_ns;
    if (!is_text(text) || units_parse_time(text, &time_ns) < 0)
        return 0;
    return (double)time_ns / (double)NS_PER_S;
}

double story_fraction(const struct model *model)
{
    if (model->total > 0) {
        double fraction = (double)model->done / (double)model->total;
        return fraction < 1 ? fraction : 1;
    }
    double planned = story_planned(model);
    if (planned <= 0 || (model->flags & DYNO_ENDLESS))
        return -1;
    double fraction = story_elapsed(model) / planned;
    return fraction < 1 ? fraction : 1;
}

static bool counts_bytes(const struct model *model, unsigned *ret_metric)
{
    return model_headline(model, ret_metric) == 0 &&
           model->metrics[*ret_metric].about.unit == DYNO_BYTE;
}

/* Bytes a second of late: a disk whose cache took the first part in an instant goes on as it goes
 * now. 0 when nothing tells. */
static double late_rate(const struct model *model)
{
    unsigned metric = 0;
    struct series_total total;
    struct series_bucket part;
    if (!counts_bytes(model, &metric) || !model->metrics[metric].sum)
        return 0;
    series_total(model->metrics[metric].sum, &total);
    if (total.count == 0 || total.t1_ns - total.t0_ns < LATE_NS)
        return 0;
    series_columns(model->metrics[metric].sum, total.t1_ns - LATE_NS, total.t1_ns, 1, &part);
    return part.count ? part.sum * (double)NS_PER_S / (double)(part.t1_ns - part.t0_ns) : 0;
}

double story_left(const struct model *model)
{
    double fraction = story_fraction(model), elapsed = story_elapsed(model);
    if (model->has_end || fraction < 0.005 || elapsed < 1 || fraction >= 1)
        return -1;
    double rate = story_planned(model) > 0 ? 0 : late_rate(model);
    double left =
        rate > 0 ? (double)(model->total - model->done) / rate : elapsed / fraction - elapsed;
    return left < 1 ? 1 : left;
}

/* Progress has no unit of its own: a total equal to the planned time is one in nanoseconds, that of
 * a run whose headline counts bytes is in bytes, unless it is less than any block: those are steps.
 */
void story_done(const struct model *model, struct str *into)
{
    if (model->total == 0 && model->done == 0)
        return;
    double planned = story_planned(model);
    unsigned metric = 0;
    bool is_bytes = counts_bytes(model, &metric);
    double done = (double)model->done, total = (double)model->total;
    if (planned > 0 && fabs(total - planned * 1e9) < 1e9) {
        str_addf(into, "%.0f of %s", done / 1e9, story_seconds(total / 1e9).text);
        return;
    }
    if (!is_bytes || (total > 0 && total < STEPS_MOST)) {
        str_addf(into, total > 0 ? "%.0f of %.0f" : "%.0f", done, total);
        return;
    }
    struct frame_metric amount = {.unit = DYNO_BYTE, .kind = DYNO_GAUGE};
    struct quantity quantity = quantity_of(&amount, total > 0 ? total : done);
    str_add(into, quantity_number(&quantity, done).text);
    if (total > 0)
        str_addf(into, " of %s", quantity_number(&quantity, total).text);
    str_addf(into, " %s", quantity.unit);
}

const char *story_stopping(const struct model *model, enum runner_stop stop)
{
    static const struct {
        unsigned kind;
        const char *termed, *killed;
    } texts[] = {
        {DYNO_BLOCK, "the disk does not answer yet; the test was told to end; waiting",
         "the disk does not answer; waiting"},
        {DYNO_FOLDER, "the disk does not answer yet; the test was told to end; waiting",
         "the disk does not answer; waiting"},
        {DYNO_NET, "the port does not answer yet; the test was told to end; waiting",
         "the port does not answer; waiting"},
        {0, "the test does not answer yet; it was told to end; waiting",
         "the test does not answer; waiting"},
    };
    if (model->has_end || stop == RUNNER_GOING || stop == RUNNER_OVER)
        return NULL;
    if (stop == RUNNER_ASKED)
        return "stopping";
    size_t i = 0;
    while (texts[i].kind && texts[i].kind != model->target_kind)
        i++;
    return stop == RUNNER_TERMED ? texts[i].termed : texts[i].killed;
}

bool story_goes_on(const struct model *model)
{
    if ((model->flags & DYNO_ENDLESS) || story_planned(model) > STORY_LONG_S)
        return true;
    double left = story_left(model);
    return left > 0 && story_elapsed(model) + left > STORY_LONG_S;
}

static bool has_moved(const struct model *model, int metric)
{
    if (metric < 0 || !model->metrics[metric].sum)
        return false;
    struct series_total total;
    series_total(model->metrics[metric].sum, &total);
    return total.count > 0 && total.sum > 0;
}

void story_series(const struct model *model, int *ret_filled, int *ret_line)
{
    static const char *const companions[][2] = {{"written", "device_written"},
                                                {"read", "device_read"}};
    struct traffic traffic;
    *ret_filled = *ret_line = -1;
    if (traffic_of(model, &traffic)) {
        int first = traffic.has[TRAFFIC_OUT] ? TRAFFIC_OUT : TRAFFIC_IN;
        *ret_filled = traffic.moved[first];
        if (first == TRAFFIC_OUT && traffic.has[TRAFFIC_IN])
            *ret_line = traffic.moved[TRAFFIC_IN];
        return;
    }
    unsigned headline;
    if (model_headline(model, &headline) < 0)
        return;
    *ret_filled = (int)headline;
    for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
        int application = model_metric(model, companions[i][0]);
        int device = model_metric(model, companions[i][1]);
        if (application != (int)headline && device != (int)headline)
            continue;
        if (!has_moved(model, device)) {
            *ret_filled = application >= 0 ? application : device;
            return;
        }
        *ret_filled = device;
        *ret_line = application;
        if (*ret_filled < 0) {
            *ret_filled = *ret_line;
            *ret_line = -1;
        }
        return;
    }
}
