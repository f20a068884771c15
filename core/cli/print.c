#include "cli/print.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "iodyno/plugin.h"

void print_start(const struct model *model)
{
    const char *name = model_target(model, "name");
    const char *folder = model->target_path ? model->target_path : "";
    printf("%s%s%s: %s%s%s", model->test, model->label ? ", " : "",
           model->label ? model->label : "", model->target_id, name ? " " : "", name ? name : "");
    if (folder[0] && strcmp(folder, model->target_id) != 0)
        printf(" at %s", folder);
    printf("\n");
    for (size_t i = 0; i < model->option_count; i++)
        if (model->options[i].value[0])
            printf("%s%s=%s", i ? " " : "  ", model->options[i].key, model->options[i].value);
    printf("%s", model->option_count ? "\n" : "");
}

static struct units_text rate_text(unsigned unit, double per_s)
{
    if (unit == DYNO_BYTE)
        return units_byte_rate(per_s);
    if (unit == DYNO_BIT)
        return units_bit_rate(per_s);
    return units_value(per_s, DYNO_PER_S);
}

void print_row_flush(struct print_row *row, const struct model *model)
{
    if (row->cell_count == 0)
        return;
    printf("%9.2f - %.2f s", model_seconds(model, row->t0_ns), model_seconds(model, row->t1_ns));
    double seconds = (double)(row->t1_ns - row->t0_ns) / 1e9;
    for (size_t i = 0; i < row->cell_count; i++) {
        const struct print_cell *cell = &row->cells[i];
        const struct frame_metric *about = &model->metrics[cell->metric].about;
        struct units_text text = cell->is_sum ? rate_text(about->unit, cell->value / seconds)
                                              : units_value(cell->value, about->unit);
        printf("   %s %s", about->label[0] ? about->label : about->key, text.text);
    }
    printf("\n");
    *row = (struct print_row){0};
}

void print_interval(struct print_row *row, const struct model *model,
                    const struct interval *interval)
{
    if (row->cell_count && (row->t0_ns != interval->t0_ns || row->t1_ns != interval->t1_ns))
        print_row_flush(row, model);
    row->t0_ns = interval->t0_ns;
    row->t1_ns = interval->t1_ns;
    bool is_sum = model->metrics[interval->metric].about.kind == DYNO_DELTA;
    for (size_t i = 0; i < row->cell_count; i++) {
        if (row->cells[i].metric == interval->metric) {
            row->cells[i].value = is_sum ? row->cells[i].value + interval->value : interval->value;
            return;
        }
    }
    if (row->cell_count == PRINT_CELLS)
        return;
    row->cells[row->cell_count++] = (struct print_cell){
        .is_sum = is_sum,
        .metric = interval->metric,
        .value = interval->value,
    };
}

void print_event(const struct model *model)
{
    if (model->event_count == 0)
        return;
    const struct model_event *event = &model->events[model->event_count - 1];
    printf("%9.2f s  %s: %s\n", model_seconds(model, event->t_ns), event->code, event->text);
}
