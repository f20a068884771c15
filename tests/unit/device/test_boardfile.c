/* boardfile: the most exact compatible first, a person's own files, bad lines. */
#include "device/boardfile.h"

#include "../grown.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char evk[] = "renesas,smarc-evk\0renesas,r9a07g044";

static void the_shipped_file_is_read(void **state)
{
    (void)state;
    AUTO(str_done) struct str value = {0}, name = {0};
    grow_bytes("/proc/device-tree/compatible", evk, sizeof evk);
    assert_int_equal(boardfile_get(grown_root, "dram", "bus", &value, &name), 0);
    assert_string_equal(value.text, "ddr4-1600x16");
    assert_string_equal(name.text, "renesas,r9a07g044");
    assert_int_equal(boardfile_get(grown_root, "dram", "colour", &value, &name), -ENOENT);
    assert_int_equal(boardfile_get(grown_root, "gpio", "bus", &value, &name), -ENOENT);
}

/* They are for this machine: a recorded one is told of by what comes with iodyno alone. */
static void a_persons_files_are_not_for_recorded_machines(void **state)
{
    (void)state;
    AUTO(str_done) struct str value = {0}, name = {0}, config = {0};
    str_addf(&config, "%s/config", grown_root);
    assert_int_equal(setenv("XDG_CONFIG_HOME", config.text, 1), 0);
    grow("/config/iodyno/boards/renesas,smarc-evk.ini", "[dram]\nbus = ddr4-2400x32\n");
    grow_bytes("/proc/device-tree/compatible", evk, sizeof evk);
    assert_int_equal(boardfile_get(grown_root, "dram", "bus", &value, &name), 0);
    assert_string_equal(name.text, "renesas,r9a07g044");
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
}

static void no_tree_is_no_board(void **state)
{
    (void)state;
    AUTO(str_done) struct str value = {0}, name = {0};
    assert_int_equal(boardfile_get(grown_root, "dram", "bus", &value, &name), -ENOENT);
    grow("/proc/device-tree/compatible", "");
    assert_int_equal(boardfile_get(grown_root, "dram", "bus", &value, &name), -ENOENT);
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(the_shipped_file_is_read),
        GROWN(a_persons_files_are_not_for_recorded_machines),
        GROWN(no_tree_is_no_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
