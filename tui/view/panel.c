#include "view/panel.h"

#include <string.h>

#include "base/cleanup.h"

/* A test's panels stand one after the other, from top to bottom. */
static const struct panel panels[] = {
    {.kind = PANEL_PHASES, .needs = "one_rate", .y = "rate", .has_ceiling = true, .is_main = true},
    {.kind = PANEL_CURVE,
     .needs = "stair_size",
     .x = "stair_size",
     .y = "stair_rate",
     .name = "bandwidth",
     .x_kind = TICKS_BINARY,
     .y_kind = TICKS_LOG,
     .role = ROLE_SERIES_1,
     .is_filled = true,
     .has_edges = true,
     .has_ceiling = true,
     .is_main = true},
    {.kind = PANEL_CURVE,
     .needs = "stair_size",
     .x = "stair_size",
     .y = "stair_latency",
     .name = "latency",
     .x_kind = TICKS_BINARY,
     .y_kind = TICKS_LOG,
     .role = ROLE_SERIES_2,
     .is_filled = true,
     .has_edges = true},
    {.kind = PANEL_LANES, .needs = "chain_latency", .y = "chain_latency", .name = "chain"},
    {.kind = PANEL_CURVE,
     .needs = "loaded_rate",
     .x = "loaded_rate",
     .y = "loaded_latency",
     .name = "latency under load",
     .x_name = "load",
     .absent = "loaded",
     .role = ROLE_SERIES_2,
     .is_main = true},
};

int panel_metric(const struct model *model, const char *key)
{
    int metric = key ? model_metric(model, key) : -1;
    return metric < 0 ? -1 : metric;
}

static bool applies(const struct panel *panel, const struct model *model)
{
    return panel_metric(model, panel->needs) >= 0 && panel_metric(model, panel->y) >= 0;
}

size_t panel_list(const struct model *model, const struct panel *into[PANEL_LIST_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(panels); i++)
        if (count < PANEL_LIST_MOST && applies(&panels[i], model))
            into[count++] = &panels[i];
    return count;
}

void panel_gather(struct panel_data *data, const struct model *model, const struct panel *panel)
{
    memset(&data->bars, 0, sizeof data->bars);
    data->bars.cursor = -1;
    data->points.count = 0;
    if (panel->kind == PANEL_PHASES)
        points_phases(&data->bars, model);
    else if (panel->kind == PANEL_LANES)
        points_lanes(&data->bars, model, panel_metric(model, panel->y), panel->name);
    else
        points_gather(&data->points, model, panel_metric(model, panel->x),
                      panel_metric(model, panel->y));
}

static bool has_data(const struct panel_data *data)
{
    return data->bars.row_count || data->points.count;
}

int panel_stops(const struct panel_data *data)
{
    return (int)(data->bars.row_count + data->points.count);
}

const struct panel *panel_main(const struct panel *const own[], size_t count,
                               const struct model *model, struct panel_data *data)
{
    const struct panel *best = NULL;
    for (size_t i = 0; i < count; i++) {
        panel_gather(data, model, own[i]);
        if (has_data(data) && (!best || own[i]->is_main))
            best = own[i];
        if (has_data(data) && own[i]->is_main)
            break;
    }
    return best ? best : own[0];
}
