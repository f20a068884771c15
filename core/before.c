#include "before.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "device/device.h"
#include "history/history.h"
#include "report/emit.h"
#include "run/likeness.h"

#define ROWS "200" /* looked at */

struct before {
    struct loop *loop;
    struct runner *runner;
    struct history_query *query;
    struct loop_timer *limit; /* from the end on */
    bool is_told;
    struct str likeness;
    char *kind, *label; /* of the disk, NULL unknown; of the run */
    char unit[16];
    double rates[BEFORE_RUNS];
    size_t count;
};

double before_median(double *rates, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double rate = rates[i];
        size_t k = i;
        for (; k > 0 && rates[k - 1] > rate; k--)
            rates[k] = rates[k - 1];
        rates[k] = rate;
    }
    if (count == 0)
        return 0;
    return count % 2 ? rates[count / 2] : (rates[count / 2 - 1] + rates[count / 2]) / 2;
}

static bool is(const struct frame *row, const char *key, const char *value)
{
    const char *text = frame_pair(row, key);
    return text && strcmp(text, value) == 0;
}

bool before_is_same_unit(const char *kind, const char *label, const struct frame *row)
{
    const char *stored = frame_pair(row, "label");
    bool is_shared = kind && strcmp(kind, device_kind_name(DEVICE_USB)) == 0;
    return !is_shared || strcmp(stored ? stored : "", label ? label : "") == 0;
}

/* Of the rest the rate is that of something else, or of RAM. */
static bool is_like(const struct before *before, const struct frame *row)
{
    const char *cached = frame_pair(row, "cached");
    double share = 0;
    return before_is_same_unit(before->kind, before->label, row) && is(row, "state", "done") &&
           is(row, "partial", "0") && is(row, "settings", str_text(&before->likeness)) &&
           is(row, "unit", before->unit) &&
           (!cached || (units_parse_double(cached, &share) == 0 && share < 0.1));
}

static void note(struct before *before, const char *text)
{
    AUTO(str_done) struct str pair = {0};
    str_add_pair(&pair, "before", text);
    struct frame fact = {.type = FRAME_FACT, .pairs = pair.text, .pairs_size = pair.size};
    (void)runner_note(before->runner, &fact); /* too late for a run that was broken off */
    before->is_told = true;
    runner_release(before->runner);
}

/* A store that has nothing yet is one without earlier runs. */
static void tell(struct before *before, const char *problem)
{
    AUTO(str_done) struct str text = {0};
    size_t count = before->count;
    if (before->is_told)
        return;
    if (count == 0 && problem)
        str_addf(&text, "unknown: %s", problem);
    else if (count == 0)
        str_add(&text, "no earlier run like this one on this device");
    else
        str_addf(&text, "%s %s, the median of %zu run%s",
                 number_text(before_median(before->rates, count)).text, before->unit, count,
                 count == 1 ? "" : "s");
    note(before, text.text);
}

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct before *before = user;
    if (!row) {
        tell(before, problem);
        return;
    }
    const char *text = frame_pair(row, "rate");
    double rate;
    if (before->count < BEFORE_RUNS && text && units_parse_double(text, &rate) == 0 && rate > 0 &&
        is_like(before, row))
        before->rates[before->count++] = rate;
}

static void on_late(void *user)
{
    struct before *before = user;
    before->query = history_free(before->query); /* half of an answer is none */
    before->count = 0;
    tell(before, "the store did not answer in time");
}

void before_hurry(struct before *before)
{
    if (!before->is_told && !before->limit &&
        loop_add_timer(before->loop, BEFORE_LIMIT_NS, 0, on_late, before, &before->limit) < 0)
        on_late(before);
}

struct before *before_ask(struct loop *loop, const char *database, struct runner *runner)
{
    const struct model *model = runner_model(runner);
    const char *identity = model_target(model, "identity");
    const char *device = identity ? identity : model_target(model, "cid");
    int rate = model_metric(model, "rate");
    if (!device)
        device = model->target_id;
    if (rate < 0 || !device || !device[0])
        return NULL;
    struct before *before = mem_new(1, sizeof *before);
    const char *symbol = units_symbol(model->metrics[rate].about.unit);
    before->loop = loop;
    before->runner = runner;
    size_t size = strnlen(symbol, sizeof before->unit - 1);
    memcpy(before->unit, symbol, size);
    likeness_add(model, &before->likeness);
    const char *kind = model_target(model, "device");
    before->kind = kind ? mem_copy_text(kind) : NULL;
    before->label = mem_copy_text(model->label ? model->label : "");
    const char *const arguments[] = {"query",  "list",      database,   "--limit", ROWS,
                                     "--test", model->test, "--device", device,    NULL};
    runner_hold(runner);
    int code = history_ask(loop, arguments, on_row, before, &before->query);
    if (code < 0)
        tell(before, err_text(code));
    return before;
}

struct before *before_free(struct before *before)
{
    if (!before)
        return NULL;
    history_free(before->query);
    loop_timer_remove(before->limit);
    str_done(&before->likeness);
    free(before->kind);
    free(before->label);
    free(before);
    return NULL;
}
