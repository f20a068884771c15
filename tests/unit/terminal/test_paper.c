#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "terminal/paper.h"

static void write_row(struct paper *paper, int row, const char *text)
{
    for (int i = 0; text[i]; i++)
        paper_put(paper, row, i, text[i]);
}

/* A list of four between a title and its keys. */
static void draw_list(struct paper *paper, int mark)
{
    static const char *const rows[] = {"  eMMC", "  card", "  disk", "  memory"};

    paper_clear(paper);
    write_row(paper, 0, "Devices");
    for (int i = 0; i < 4; i++)
        write_row(paper, 2 + i, rows[i]);
    paper_put(paper, 2 + mark, 0, '>');
    paper_mark(paper, 2 + mark);
    write_row(paper, paper->rows - 1, "enter tests");
}

static void assert_prints(struct paper *paper, const char *expected)
{
    struct str lines = {0};

    paper_print(paper, &lines);
    assert_string_equal(str_text(&lines), expected);
    str_done(&lines);
}

#define LIST "\nDevices\n\n> eMMC\n  card\n  disk\n  memory\n\nenter tests\n"

static void sizes_are_those_of_a_page(void **state)
{
    static const struct {
        int rows, columns, page_rows, page_columns;
    } cases[] = {
        {0, 0, 24, 79},   {1, 1, 24, 40},      {24, 80, 24, 79},
        {30, 41, 30, 40}, {100, 300, 40, 132}, {-1, -1, 24, 79},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct paper paper;
        paper_init(&paper, cases[i].rows, cases[i].columns);
        assert_int_equal(paper.rows, cases[i].page_rows);
        assert_int_equal(paper.columns, cases[i].page_columns);
        paper_done(&paper);
    }
}

static void a_page_is_printed_once(void **state)
{
    struct paper paper;

    (void)state;
    paper_init(&paper, 24, 80);
    draw_list(&paper, 0);
    assert_prints(&paper, LIST);
    draw_list(&paper, 0);
    assert_prints(&paper, "");
    paper_anew(&paper);
    assert_prints(&paper, LIST);
    paper_done(&paper);
}

static void a_moved_mark_is_one_line(void **state)
{
    struct paper paper;

    (void)state;
    paper_init(&paper, 24, 80);
    draw_list(&paper, 0);
    assert_prints(&paper, LIST);
    draw_list(&paper, 2);
    assert_prints(&paper, "> disk\n");
    draw_list(&paper, 2);
    write_row(&paper, 3, "  card 32 GB");
    assert_prints(&paper, "  card 32 GB\n");
    draw_list(&paper, 1); /* what went is not told */
    assert_prints(&paper, "> card\n");
    draw_list(&paper, 0); /* a row that lost more than its mark is */
    write_row(&paper, 3, "  lost");
    assert_prints(&paper, "> eMMC\n  lost\n");
    paper_done(&paper);
}

static void what_is_mostly_new_is_another_page(void **state)
{
    struct paper paper;

    (void)state;
    paper_init(&paper, 24, 80);
    draw_list(&paper, 0);
    assert_prints(&paper, LIST);
    draw_list(&paper, 0);
    write_row(&paper, 0, "Runs   ");
    write_row(&paper, 3, "  sine");
    write_row(&paper, 4, "  ramp");
    assert_prints(&paper, "Runs\n  sine\n  ramp\n"); /* just half */
    draw_list(&paper, 0);
    write_row(&paper, 5, "  others");
    assert_prints(&paper, "\nDevices\n\n> eMMC\n  card\n  disk\n  others\n\nenter tests\n");
    write_row(&paper, 23, "enter start");
    assert_prints(&paper, "\nDevices\n\n> eMMC\n  card\n  disk\n  others\n\nenter start\n");
    paper_done(&paper);
}

static void a_remark_leaves_the_page(void **state)
{
    struct paper paper;

    (void)state;
    paper_init(&paper, 24, 80);
    draw_list(&paper, 0);
    assert_prints(&paper, LIST);
    for (int i = 0; i < 2; i++) {
        paper_clear(&paper);
        write_row(&paper, 0, "5 MB/s RUNNING");
        assert_prints(&paper, i == 0 ? "5 MB/s RUNNING\n" : "");
    }
    draw_list(&paper, 0);
    assert_prints(&paper, "");
    paper_done(&paper);
}

/* A first page, or one to be printed anew, is one even when it has a single row. */
static void a_short_page_is_no_remark_at_first(void **state)
{
    struct paper paper;

    (void)state;
    paper_init(&paper, 24, 80);
    write_row(&paper, 0, "gone");
    assert_prints(&paper, "\ngone\n");
    paper_done(&paper);
}

static void only_ascii_within_the_page(void **state)
{
    struct paper paper;
    struct str row = {0};

    (void)state;
    paper_init(&paper, 24, 80);
    paper_clear(&paper);
    for (int c = 0; c < 256; c++)
        paper_put(&paper, 2 + c / 64, c % 64, (char)c);
    paper_put(&paper, -1, 0, 'x');
    paper_put(&paper, 0, -1, 'x');
    paper_put(&paper, 24, 0, 'x');
    paper_put(&paper, 0, 79, 'x');
    struct str lines = {0};
    paper_print(&paper, &lines);
    for (size_t i = 0; i < lines.size; i++)
        assert_true(lines.text[i] == '\n' || (lines.text[i] >= ' ' && lines.text[i] <= '~'));
    assert_ptr_equal(strchr(lines.text, 'x'), strrchr(lines.text, 'x')); /* that of the table */
    paper_row(&paper, 0, &row);
    assert_string_equal(str_text(&row), "");
    str_done(&row);
    str_done(&lines);
    paper_done(&paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_a_page),
        cmocka_unit_test(a_page_is_printed_once),
        cmocka_unit_test(a_moved_mark_is_one_line),
        cmocka_unit_test(what_is_mostly_new_is_another_page),
        cmocka_unit_test(a_remark_leaves_the_page),
        cmocka_unit_test(a_short_page_is_no_remark_at_first),
        cmocka_unit_test(only_ascii_within_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
