#include "device/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

/* The value of a pair, NULL when absent. */
static const char *pair(const struct str *pairs, const char *key)
{
    for (size_t at = 0; at < pairs->size;) {
        const char *name = pairs->text + at, *value = name + strlen(name) + 1;
        if (strcmp(name, key) == 0)
            return value;
        at = (size_t)(value + strlen(value) + 1 - pairs->text);
    }
    return NULL;
}

static void a_board_is_named_by_its_device_tree(void **state)
{
    (void)state;
    AUTO(board_done) struct board board;
    assert_int_equal(board_read(IODYNO_SYSROOTS "/f5-rzg1e", &board), 0);
    assert_string_equal(board.name, "iWave Systems RZ/G1E SODIMM board");
    assert_string_equal(board.compatible, "iwave,g22m"); /* the first of the list */
    assert_string_equal(board.kernel, "4.4.6-cip3");
    assert_string_equal(board.governor, "performance");
    assert_string_equal(board.boot_id, "00000000-0000-4000-8000-000000000001");
    assert_int_equal(board.cpus, 2);
    assert_true(board.memory_bytes == 1025536ull * 1024);
    assert_int_equal(board.clock_set, -1);
    AUTO(str_done) struct str pairs = {0};
    board_add_pairs(&board, &pairs);
    assert_string_equal(pair(&pairs, "machine.board"), board.name);
    assert_string_equal(pair(&pairs, "machine.kernel"), "4.4.6-cip3");
    assert_string_equal(pair(&pairs, "machine.cpus"), "2");
    assert_string_equal(pair(&pairs, "machine.memory_bytes"), "1050148864");
    assert_string_equal(pair(&pairs, "machine.iodyno"), IODYNO_VERSION);
    assert_null(pair(&pairs, "machine.clock_set"));
}

static void a_pc_is_named_by_dmi(void **state)
{
    (void)state;
    AUTO(board_done) struct board board;
    assert_int_equal(board_read(IODYNO_SYSROOTS "/vm-x86", &board), 0);
    assert_string_equal(board.name, "Standard PC (Q35 + ICH9, 2009)");
    assert_null(board.compatible);
    assert_null(board.governor);
}

static void cpu_lists_are_counted(void **state)
{
    (void)state;
    AUTO(board_done) struct board board;
    assert_int_equal(board_read(IODYNO_SYSROOTS "/nvme", &board), 0);
    assert_int_equal(board.cpus, 12); /* 0-7,16-19 */
}

static void foreign_names_are_cleaned(void **state)
{
    (void)state;
    AUTO(board_done) struct board board;
    assert_int_equal(board_read(IODYNO_SYSROOTS "/cid-control", &board), 0);
    assert_string_equal(board.name, "bad?]0;model");
}

static void an_empty_tree_is_all_unknown(void **state)
{
    (void)state;
    AUTO(board_done) struct board board;
    assert_int_equal(board_read("/nonexistent", &board), 0);
    assert_null(board.name);
    assert_null(board.kernel);
    assert_int_equal(board.cpus, 0);
    assert_true(board.memory_bytes == 0);
    AUTO(str_done) struct str pairs = {0};
    board_add_pairs(&board, &pairs);
    assert_null(pair(&pairs, "machine.board"));
}

static void this_machine_answers(void **state)
{
    (void)state;
    AUTO(board_done) struct board board;
    assert_int_equal(board_read("", &board), 0);
    assert_non_null(board.kernel);
    assert_non_null(board.boot_id);
    assert_true(board.memory_bytes > 0);
    assert_true(board.cpus > 0);
    assert_in_range(board.clock_set, 0, 1);
    assert_in_range(board_memory_available(""), 1, board.memory_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_is_named_by_its_device_tree),
        cmocka_unit_test(a_pc_is_named_by_dmi),
        cmocka_unit_test(cpu_lists_are_counted),
        cmocka_unit_test(foreign_names_are_cleaned),
        cmocka_unit_test(an_empty_tree_is_all_unknown),
        cmocka_unit_test(this_machine_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
