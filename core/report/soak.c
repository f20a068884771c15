#include "report/soak.h"

#include <string.h>

#include "base/str.h"
#include "report/traffic.h"

/* Told as events; a driver that counts changes of the carrier counts each pull twice. */
static unsigned link_downs(const struct model *model)
{
    unsigned told = 0;
    double changes = 0;
    for (size_t i = 0; i < model->event_count; i++)
        told += strcmp(model->events[i].code, "link-down") == 0;
    int metric = model_metric(model, "carrier_changes");
    if (metric >= 0 && model_result(model, "carrier_changes", &changes) < 0 &&
        model->metrics[metric].sum) {
        struct series_total total;
        series_total(model->metrics[metric].sum, &total);
        changes = total.sum;
    }
    unsigned counted = changes > 0 && changes < 1e6 ? ((unsigned)changes + 1) / 2 : 0;
    return counted > told ? counted : told;
}

static void take(struct soak *soak, const struct lull_found *found)
{
    if (!soak->has_worst || found->least * 8 < soak->worst_bps) {
        soak->worst_bps = found->least * 8;
        soak->worst_ns = found->least_ns;
    }
    soak->has_worst = true;
    soak->intervals += found->count;
    soak->zeros += found->zeros;
}

bool soak_of(const struct model *model, struct soak *ret_soak)
{
    struct traffic traffic;
    struct soak soak = {0};
    if (!traffic_of(model, &traffic))
        return false;
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        int metric = traffic.moved[way];
        struct lull_found found;
        if (traffic.has[way] && metric >= 0 && model->metrics[metric].lull &&
            lull_find(model->metrics[metric].lull, model->has_end, &found))
            take(&soak, &found);
    }
    soak.link_downs = link_downs(model);
    *ret_soak = soak;
    return true;
}

void soak_add_time(double seconds, struct str *into)
{
    unsigned long long whole = seconds > 0 && seconds < 1e12 ? (unsigned long long)seconds : 0;
    str_addf(into, "%02llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
}

static void add_count(uint64_t count, const char *name, struct str *into)
{
    if (count == 0)
        str_addf(into, "no %s", name);
    else
        str_addf(into, "%llu %s%s", (unsigned long long)count, name,
                 count > 1 && !str_ends(name, "down") ? "s" : "");
}

bool soak_add(const struct model *model, struct str *into)
{
    struct soak soak;
    if (!soak_of(model, &soak) || !soak.has_worst)
        return false;
    double mbps = soak.worst_bps / 1e6;
    str_add(into, "worst ");
    soak_add_time(model_seconds(model, soak.worst_ns), into);
    str_addf(into, " %.*f Mbit/s, ", mbps >= 99.95 || !(mbps > 0) ? 0 : mbps >= 0.95 ? 1 : 2, mbps);
    add_count(soak.zeros, "zero interval", into);
    str_add(into, ", ");
    add_count(soak.link_downs, "link down", into);
    return true;
}
