#include "widget/dialog.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "terminal/canvas.h"
#include "terminal/keys.h"
#include "terminal/theme.h"

#define BOX_ROWS_EXTRA 4 /* rule, question, blank, rule */
#define BOX_MARGIN 3

void dialog_ask(struct dialog *dialog, const char *question, const struct dialog_answer *answers)
{
    *dialog = (struct dialog){.is_open = true};
    (void)snprintf(dialog->question, sizeof dialog->question, "%s", question);
    while (dialog->count < DIALOG_ANSWERS_MAX && answers[dialog->count].label) {
        dialog->answers[dialog->count] = answers[dialog->count];
        dialog->count++;
    }
}

static int choose(struct dialog *dialog, int index)
{
    dialog->is_open = false;
    return dialog->answers[index].value;
}

int dialog_key(struct dialog *dialog, int key)
{
    if (!dialog->is_open)
        return DIALOG_LEFT;
    if (key == KEY_CODE_ESCAPE) {
        dialog->is_open = false;
        return DIALOG_LEFT;
    }
    for (int i = 0; i < dialog->count; i++)
        if (dialog->answers[i].key && dialog->answers[i].key == key)
            return choose(dialog, i);
    if (key == KEY_CODE_ENTER && dialog->count > 0)
        return choose(dialog, dialog->selected);
    if (key == KEY_CODE_UP || key == KEY_CODE_LEFT)
        dialog->selected = dialog->selected > 0 ? dialog->selected - 1 : 0;
    if ((key == KEY_CODE_DOWN || key == KEY_CODE_RIGHT || key == KEY_CODE_TAB) &&
        dialog->selected < dialog->count - 1)
        dialog->selected++;
    return DIALOG_WAITS;
}

static void draw_line(const struct dialog *dialog, struct rect area)
{
    struct str text = {0};
    for (int i = 0; i < dialog->count; i++)
        str_addf(&text, "%s ", dialog->answers[i].name);
    str_add(&text, dialog->question);
    canvas_fill(area.row, area.column, area.columns, ROLE_TEXT, 0, " ");
    canvas_text(area.row, area.column, area.columns, ROLE_WARN, str_text(&text));
    str_done(&text);
}

static int wanted_columns(const struct dialog *dialog)
{
    int widest = canvas_width(dialog->question);
    for (int i = 0; i < dialog->count; i++) {
        int width = 8 + canvas_width(dialog->answers[i].label);
        if (width > widest)
            widest = width;
    }
    return widest + 2 * BOX_MARGIN;
}

static void draw_answers(const struct dialog *dialog, struct rect box, enum glyph_tier tier)
{
    for (int i = 0; i < dialog->count; i++) {
        int row = box.row + 3 + i;
        int column = box.column + BOX_MARGIN;
        int room = box.columns - 2 * BOX_MARGIN;
        bool is_selected = i == dialog->selected;
        if (is_selected)
            canvas_text(row, column - 2, 1, ROLE_ACCENT, glyph_sign(tier, GLYPH_SELECTED));
        canvas_text(row, column, 6, ROLE_ACCENT, dialog->answers[i].name);
        canvas_text(row, column + 7, room - 7, ROLE_TEXT, dialog->answers[i].label);
        if (is_selected)
            canvas_highlight(row, box.column + 1, box.columns - 2, ROLE_SELECT);
    }
}

void dialog_draw(const struct dialog *dialog, struct rect area, enum glyph_tier tier)
{
    if (!dialog->is_open || rect_is_empty(area))
        return;
    struct rect box = {.rows = dialog->count + BOX_ROWS_EXTRA, .columns = wanted_columns(dialog)};
    if (box.rows > area.rows || area.columns < 24) {
        draw_line(dialog, area);
        return;
    }
    if (box.columns > area.columns)
        box.columns = area.columns;
    box.row = area.row + (area.rows - box.rows) / 2;
    box.column = area.column + (area.columns - box.columns) / 2;
    for (int i = 0; i < box.rows; i++)
        canvas_fill(box.row + i, box.column, box.columns, ROLE_TEXT, 0, " ");
    canvas_rule(box.row, box.column + 1, box.columns - 2);
    canvas_rule(box.row + box.rows - 1, box.column + 1, box.columns - 2);
    canvas_text(box.row + 1, box.column + BOX_MARGIN, box.columns - 2 * BOX_MARGIN, ROLE_TEXT,
                dialog->question);
    draw_answers(dialog, box, tier);
}
