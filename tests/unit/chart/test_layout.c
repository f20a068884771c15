#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "chart/layout.h"

#define PARTS 8

static void list_of(const struct layout_run *l, struct rect list[PARTS])
{
    const struct rect all[PARTS] = {l->title,    l->rule,    l->plot,   l->readout,
                                    l->progress, l->verdict, l->footer, l->phases};

    for (int i = 0; i < PARTS; i++)
        list[i] = all[i];
}

static bool overlaps(struct rect a, struct rect b)
{
    return !rect_is_empty(a) && !rect_is_empty(b) && a.row < b.row + b.rows &&
           b.row < a.row + a.rows && a.column < b.column + b.columns &&
           b.column < a.column + a.columns;
}

static bool is_within(struct rect r, int rows, int columns)
{
    return rect_is_empty(r) || (r.row >= 0 && r.column >= 0 && r.row + r.rows <= rows &&
                                r.column + r.columns <= columns);
}

static void any_size_lies_within_and_does_not_overlap(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 300; rows++) {
        for (int columns = 1; columns <= 300; columns++) {
            struct layout_run layout;
            struct rect list[PARTS];
            layout_run(rows, columns, &layout);
            list_of(&layout, list);
            assert_int_equal(layout.title.rows, 1);
            for (int i = 0; i < PARTS; i++)
                assert_true(is_within(list[i], rows, columns));
            for (int i = 0; i < PARTS - 1; i++) {
                for (int k = i + 1; k < PARTS - 1; k++)
                    assert_false(overlaps(list[i], list[k]));
            }
            assert_int_equal(!rect_is_empty(layout.plot), rows >= 12 && columns >= 40);
            assert_true(rect_is_empty(layout.plot) || layout.plot.rows >= 6);
        }
    }
}

static void a_usual_terminal_shows_all(void **state)
{
    struct layout_run l;

    (void)state;
    layout_run(24, 80, &l);
    assert_false(rect_is_empty(l.rule) || rect_is_empty(l.phases) || rect_is_empty(l.readout));
    assert_false(rect_is_empty(l.progress) || rect_is_empty(l.verdict) || rect_is_empty(l.footer));
    assert_true(l.plot.rows >= 14);
    assert_int_equal(l.phases.row, l.plot.row + l.plot.rows - 1);
    assert_int_equal(l.footer.row, 23);
}

/* As rows get fewer, a part that is gone stays gone, and they go in the stated order. */
static void parts_fall_away_in_order(void **state)
{
    int order[6], gone = 0;
    bool is_gone[6] = {false};

    (void)state;
    for (int rows = 24; rows >= 1; rows--) {
        struct layout_run l;
        layout_run(rows, 30, &l); /* too narrow for a plot: the others show their order */
        const struct rect parts[6] = {l.verdict, l.phases, l.rule, l.footer, l.readout, l.progress};
        for (int i = 0; i < 6; i++) {
            if (rect_is_empty(parts[i]) && !is_gone[i])
                order[gone++] = i;
            is_gone[i] = rect_is_empty(parts[i]);
        }
    }
    assert_int_equal(gone, 6);
    const int expected[6] = {1 /* no plot, no phases */, 0, 2, 3, 4, 5};
    assert_memory_equal(order, expected, sizeof(order));
}

static void the_smallest_plot_loses_its_verdict_first(void **state)
{
    struct layout_run l;

    (void)state;
    layout_run(12, 40, &l);
    assert_true(rect_is_empty(l.verdict));
    assert_false(rect_is_empty(l.plot) || rect_is_empty(l.footer) || rect_is_empty(l.progress));
}

static void a_grid_fills_its_area(void **state)
{
    (void)state;
    for (int count = 1; count <= LAYOUT_GRID_MAX; count++) {
        for (int rows = 1; rows <= 300; rows += 7) {
            for (int columns = 1; columns <= 300; columns += 11) {
                struct rect cells[LAYOUT_GRID_MAX];
                struct rect area = {2, 3, rows, columns};
                int sum = 0;
                assert_int_equal(layout_grid(area, count, cells), count);
                for (int i = 0; i < count; i++) {
                    sum += cells[i].rows * cells[i].columns;
                    assert_true(cells[i].row >= 2 && cells[i].row + cells[i].rows <= 2 + rows);
                    for (int k = i + 1; k < count; k++)
                        assert_false(overlaps(cells[i], cells[k]));
                }
                assert_int_equal(sum, rows * columns);
            }
        }
    }
}

static void a_grid_suits_its_screen(void **state)
{
    struct rect cells[LAYOUT_GRID_MAX];

    (void)state;
    assert_int_equal(layout_grid((struct rect){0, 0, 24, 80}, 2, cells), 2);
    assert_int_equal(cells[1].column, 0); /* one above the other */
    assert_int_equal(layout_grid((struct rect){0, 0, 20, 200}, 2, cells), 2);
    assert_int_equal(cells[1].row, 0); /* side by side */
    assert_int_equal(layout_grid((struct rect){0, 0, 67, 240}, 4, cells), 4);
    assert_int_equal(cells[3].row, 33);
    assert_int_equal(cells[3].column, 120);
    assert_int_equal(layout_grid((struct rect){0, 0, 0, 80}, 2, cells), 0);
    assert_int_equal(layout_grid((struct rect){0, 0, 24, 80}, 0, cells), 0);
    assert_int_equal(layout_grid((struct rect){0, 0, 24, 80}, 9, cells), LAYOUT_GRID_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_lies_within_and_does_not_overlap),
        cmocka_unit_test(a_usual_terminal_shows_all),
        cmocka_unit_test(parts_fall_away_in_order),
        cmocka_unit_test(the_smallest_plot_loses_its_verdict_first),
        cmocka_unit_test(a_grid_fills_its_area),
        cmocka_unit_test(a_grid_suits_its_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
