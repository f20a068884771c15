#include "view/poster.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "chart/bigword.h"
#include "chart/gauge.h"
#include "iodyno/plugin.h"
#include "report/traffic.h"
#include "terminal/canvas.h"
#include "view/lines.h"
#include "view/picture.h"
#include "view/points.h"
#include "view/story.h"

#define BLOCKS_MOST 2
#define BLOCK_ROWS (BIGWORD_ROWS + 2) /* name, number, bar */
#define SIDE_COLUMNS 34               /* of a block, to stand beside another */
#define UNIT_CELLS 8
#define TALL_MOST 6 /* times the smallest letters */

struct block {
    const char *name; /* "send" */
    const char *unit;
    char number[QUANTITY_TEXT_MAX]; /* "" : none yet */
    double fraction;                /* of the ceiling; negative: not known */
    enum theme_role role;
};

static void set_number(struct block *block, const struct quantity *quantity, double value)
{
    (void)snprintf(block->number, sizeof block->number, "%s",
                   quantity_number(quantity, value).text);
    block->unit = quantity->unit;
}

static bool total_of(const struct model *model, int metric, struct series_total *ret_total)
{
    *ret_total = (struct series_total){0};
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, ret_total);
    return ret_total->count > 0;
}

/* --- send and receive --- */

static size_t add_ways(struct block blocks[BLOCKS_MOST], const struct model *model,
                       const struct traffic *traffic)
{
    static const char *const names[] = {"send", "receive"};
    double ceiling = traffic_ceiling(model, traffic);
    size_t count = 0;
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        struct block *block = &blocks[count];
        struct series_total total;
        struct traffic_sum sum;
        if (!traffic->has[way] || traffic->moved[way] < 0)
            continue;
        *block = (struct block){
            .name = names[way], .fraction = -1, .role = count ? ROLE_SERIES_2 : ROLE_SERIES_1};
        count++;
        traffic_sum(model, traffic, (enum traffic_way)way, &sum);
        if (!total_of(model, traffic->moved[way], &total))
            continue;
        const struct model_phase *phase =
            model->phase_count ? &model->phases[model->phase_count - 1] : NULL;
        bool is_past =
            model->has_end || (traffic->is_in_turns && phase &&
                               strcmp(phase->name, traffic_way((enum traffic_way)way)) != 0);
        double bps = !is_past ? total.last * 8 : sum.has_rate ? sum.rate_bps : sum.bps;
        struct quantity quantity =
            quantity_of(&model->metrics[traffic->moved[way]].about, total.max);
        set_number(block, &quantity, bps / quantity.factor);
        if (ceiling > 0)
            block->fraction = bps / ceiling < 1 ? bps / ceiling : 1;
    }
    return count;
}

/* --- any other run: its headline, now or as the result has it --- */

static size_t add_headline(struct block blocks[BLOCKS_MOST], const struct model *model,
                           const struct verdict *verdict)
{
    int filled, line, rate = model_metric(model, "rate");
    struct series_total total;
    double value;
    story_series(model, &filled, &line);
    blocks[0] = (struct block){.name = "", .fraction = -1, .role = ROLE_SERIES_1};
    if (model->has_end && rate >= 0 && points_value(model, rate, DYNO_LANE_ALL, &value)) {
        struct quantity quantity = quantity_of(&model->metrics[rate].about, value);
        set_number(&blocks[0], &quantity, value);
    } else if (total_of(model, filled, &total)) {
        struct quantity quantity = picture_quantity(model, filled);
        value = total.last;
        set_number(&blocks[0], &quantity, value);
    } else {
        return 1;
    }
    if (verdict && verdict->ceiling_bps > 0)
        blocks[0].fraction = value / verdict->ceiling_bps < 1 ? value / verdict->ceiling_bps : 1;
    if (filled >= 0)
        blocks[0].name = model->metrics[filled].about.label;
    return 1;
}

/* --- drawing --- */

/* How many times the smallest letters all numbers can have; 0: not even those. */
static int times_of(struct rect area, const struct block blocks[], size_t count)
{
    int times = (area.rows - 2) / BIGWORD_ROWS, room = area.columns - UNIT_CELLS;
    times = times > TALL_MOST ? TALL_MOST : times;
    for (size_t i = 0; i < count; i++) {
        int narrow = bigword_columns(blocks[i].number, 0x7fff) / 2;
        while (times > 1 && narrow * 2 * times > room)
            times--;
        if (narrow > room)
            times = 0;
    }
    return times < 0 ? 0 : times;
}

static void draw_plainly(struct rect row, const struct block *block)
{
    AUTO(str_done) struct str text = {0};
    int used = canvas_text(row.row, row.column, row.columns, ROLE_DIM, block->name);
    used += used ? 1 : 0;
    str_addf(&text, "%s %s", block->number[0] ? block->number : "-",
             block->number[0] ? block->unit : "");
    (void)canvas_text(row.row, row.column + used, row.columns - used, block->role, str_text(&text));
}

/* Name, number and bar, in the middle of the area. */
static void draw_block(struct rect area, const struct block *block, int times, enum glyph_tier tier)
{
    int letters = times * BIGWORD_ROWS, loose = area.rows - letters - 2;
    int gap = loose > 2 ? 1 : 0;
    if (rect_is_empty(area))
        return;
    if (times == 0) {
        draw_plainly(rect_take_top(&area, 1), block);
        return;
    }
    (void)rect_take_top(&area, (loose - 2 * gap) / 2);
    (void)canvas_text(area.row, area.column, area.columns, ROLE_TEXT, block->name);
    (void)rect_take_top(&area, 1 + gap);
    struct rect number = rect_take_top(&area, letters);
    number.columns -= UNIT_CELLS;
    const char *text = block->number[0] ? block->number : "-";
    int narrow = bigword_columns(text, 0x7fff) / 2;
    int columns = times > 1 ? narrow * 2 * times : bigword_columns(text, number.columns);
    bigword_draw(number, text, block->role, tier);
    (void)canvas_text(number.row + letters - 1, number.column + columns + 1, UNIT_CELLS - 1,
                      ROLE_DIM, block->number[0] ? block->unit : "");
    (void)rect_take_top(&area, gap);
    struct rect bar = rect_take_top(&area, 1);
    bar.columns -= bar.columns > 12 ? 4 : 0;
    if (block->fraction >= 0 && !rect_is_empty(bar))
        gauge_draw(bar, block->fraction, block->role, tier);
}

static void draw_blocks(struct rect area, const struct block blocks[], size_t count,
                        enum glyph_tier tier)
{
    bool is_beside = count > 1 && area.columns >= 2 * SIDE_COLUMNS;
    struct rect each = area;
    if (is_beside)
        each.columns /= (int)count;
    else
        each.rows /= (int)count;
    int times = times_of(each, blocks, count);
    for (size_t i = 0; i < count; i++) {
        struct rect part = each;
        part.column += is_beside ? (int)i * each.columns : 0;
        part.row += is_beside ? 0 : (int)i * each.rows;
        draw_block(part, &blocks[i], times, tier);
    }
}

/* In up to two rows at the foot. */
static void draw_sentence(struct rect *area, enum theme_role role, const char *sentence)
{
    AUTO(lines_done) struct lines lines = {0};
    AUTO(str_done)
    struct str first = {0}; /* its first clause: the rest is for those who come near */
    const char *rest = strstr(sentence, "; ");
    str_add_bytes(&first, sentence, rest ? (size_t)(rest - sentence) : strlen(sentence));
    lines_wrap(&lines, NULL, role, str_text(&first), area->columns);
    int rows = lines.count < 2 || area->rows < BLOCK_ROWS + 3 ? 1 : 2;
    struct rect foot = rect_take_bottom(area, rows);
    for (int i = 0; i < foot.rows; i++)
        (void)canvas_text(foot.row + i, foot.column, foot.columns, role, lines.items[i].text);
}

void poster_draw(struct rect area, const struct model *model, const struct verdict *verdict,
                 enum theme_role role, const char *sentence, enum glyph_tier tier)
{
    struct block blocks[BLOCKS_MOST] = {{0}};
    struct traffic traffic;
    AUTO(str_done) struct str target = {0};
    size_t count = traffic_of(model, &traffic) ? add_ways(blocks, model, &traffic)
                                               : add_headline(blocks, model, verdict);
    story_target(model, &target);
    if (area.rows >= BLOCK_ROWS + 3) {
        area = rect_inset(area, area.rows > 16 ? 1 : 0, area.columns > 40 ? 3 : 1);
        struct rect title = rect_take_top(&area, 1);
        (void)canvas_text(title.row, title.column, title.columns, ROLE_DIM, str_text(&target));
        (void)rect_take_top(&area, area.rows > BLOCK_ROWS + 4 ? 1 : 0);
        draw_sentence(&area, role, sentence);
        (void)rect_take_bottom(&area, area.rows > BLOCK_ROWS + 2 ? 1 : 0);
    }
    draw_blocks(area, blocks, count, tier);
}
