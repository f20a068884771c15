#include "diagnose/verdict.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "diagnose/rules.h"

enum role {
    WARNS,
    EXPLAINS, /* left out where it comes second */
    PROVES    /* a warning that stands however the run ended */
};

struct rule {
    const char *code;
    enum role role;
    rule_fn find;
};

/* The first that is strong enough is the verdict; the order of the others is that of the list. */
static const struct rule rules[] = {
    {"fake-capacity", PROVES, device_fake_capacity},
    {"memory-error", WARNS, memory_error},
    {"stalled", WARNS, machine_stalled},
    {"not-dram", WARNS, memory_not_dram},
    {"over-ceiling", WARNS, memory_over_ceiling},
    {"cached", WARNS, storage_in_ram},
    {"cached", WARNS, storage_cached},
    {"cached", WARNS, table_too_quick},
    {"over-ceiling", WARNS, storage_over_ceiling},
    {"over-ceiling", WARNS, table_over_ceiling},
    {"wrong-path", WARNS, network_wrong_path},
    {"link-dropped", WARNS, network_link_dropped},
    {"kernel-errors", WARNS, machine_kernel_errors},
    {"direct-not-honoured", WARNS, storage_not_direct},
    {"wrong-path", WARNS, storage_place},
    {"cliff", WARNS, device_cliff},
    {"stalled", WARNS, device_waits},
    {"thermal", WARNS, machine_thermal},
    {"other-traffic", WARNS, storage_other_traffic},
    {"below-capability", WARNS, device_below_capability},
    {"below-claim", WARNS, claim_sequential},
    {"below-claim", WARNS, claim_random},
    {"below-capability", WARNS, memory_slow_clock},
    {"other-traffic", WARNS, memory_threads_hurt},
    {"half-duplex", WARNS, network_half_duplex},
    {"below-capability", WARNS, network_below_capability},
    {"slower-than-before", WARNS, machine_slower},
    {"bus-limited", EXPLAINS, limit_bus},
    {"bus-limited", EXPLAINS, table_bus},
    {"cpu-limited", EXPLAINS, limit_cpu},
    {"device-limited", EXPLAINS, limit_device},
    {"device-limited", EXPLAINS, table_device},
    {"bus-limited", EXPLAINS, memory_bus_limited},
    {"cpu-limited", EXPLAINS, memory_cpu_limited},
    {"device-limited", EXPLAINS, memory_device_limited},
    {"link-limited", EXPLAINS, network_line},
    {"link-limited", EXPLAINS, network_knee},
    {"paced", EXPLAINS, network_paced},
    {"receiver-limited", EXPLAINS, network_receiver},
    {"loss", EXPLAINS, network_loss},
    {"cpu-limited", EXPLAINS, network_cpu},
    {"sender-limited", EXPLAINS, network_sender},
    {"link-limited", EXPLAINS, network_path},
};

static void set_item(struct verdict_item *item, const char *code, const struct str *text)
{
    const size_t size = str_cut_size(str_text(text), text->size, sizeof(item->text) - 1);
    item->code = code;
    memcpy(item->text, str_text(text), size);
    item->text[size] = '\0';
}

/* True when the verdict stands whatever became of the run. */
static bool apply_rules(const struct evidence *evidence, struct verdict *verdict)
{
    bool is_proven = false;
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        const struct rule *rule = &rules[i];
        AUTO(str_done) struct str text = {0};
        enum strength strength = rule->find(evidence, &text);
        if (strength == SILENT)
            continue;
        if (strength == MAIN && !verdict->main.code) {
            set_item(&verdict->main, rule->code, &text);
            verdict->is_warning = rule->role != EXPLAINS;
            is_proven = rule->role == PROVES;
        } else if (rule->role != EXPLAINS && verdict->warning_count < VERDICT_WARNINGS_MAX) {
            set_item(&verdict->warnings[verdict->warning_count++], rule->code, &text);
        }
    }
    return is_proven;
}

/* What a run that did not come to its end says instead. */
static void explain_end(const struct model *model, struct verdict *verdict)
{
    static const char *const reasons[RUN_STATES] = {
        [RUN_FAILED] = "the run failed",
        [RUN_CANCELLED] = "the run was cancelled",
        [RUN_REFUSED] = "the run was refused",
        [RUN_REMOVED] = "the device was removed",
        [RUN_ABANDONED] = "the run was given up, stuck in the kernel",
        [RUN_INTERRUPTED] = "the record breaks off",
    };
    AUTO(str_done) struct str text = {0};
    const char *reason = model->state < RUN_STATES ? reasons[model->state] : NULL;
    str_addf(&text, "no verdict: %s", reason ? reason : "the run did not end");
    if (model->state == RUN_CANCELLED && model->has_start)
        str_addf(&text, " after %s", units_duration(model_seconds(model, model->end_ns)).text);
    if (model->sentence[0])
        str_addf(&text, ": %s", model->sentence);
    set_item(&verdict->main, "unknown", &text);
}

void verdict_of(const struct model *model, struct verdict *ret_verdict)
{
    struct evidence evidence;
    struct verdict verdict = {0};
    evidence_gather(model, &evidence);
    verdict.ceiling_bps = evidence.ceiling_bps;
    if (evidence.ceiling_bps > 0) {
        (void)snprintf(verdict.ceiling_source, sizeof(verdict.ceiling_source), "%s",
                       evidence.ceiling_source);
        if (evidence.has_rate)
            verdict.fraction = evidence.rate_bps / evidence.ceiling_bps;
    }
    bool is_proven = apply_rules(&evidence, &verdict);
    if (model->has_end && model->state != RUN_DONE && !is_proven) {
        if (verdict.is_warning && verdict.warning_count < VERDICT_WARNINGS_MAX)
            verdict.warnings[verdict.warning_count++] = verdict.main;
        verdict.is_warning = false;
        explain_end(model, &verdict);
    } else if (!verdict.main.code) {
        AUTO(str_done) struct str text = {0};
        evidence.is_network ? network_unknown(&evidence, &text) : limit_unknown(&evidence, &text);
        set_item(&verdict.main, "unknown", &text);
    }
    *ret_verdict = verdict;
}
