/* probe: what the worker's program answers on its line. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/places.h"
#include "base/str.h"
#include "base/units.h"
#include "loop/process.h"
#include "wire/channel.h"

#define LIMIT_MS 10000

static struct packet packet; /* of the last answer */

/* Asks; fills *ret_row (pointing into `packet`) when one row came. Returns the exit status. */
static int ask(const char *kind, const char *argument, struct frame *ret_row)
{
    AUTO(str_done) struct str path = {0};
    const char *const argv[] = {"iodyno-worker", "--probe", kind, argument, NULL};
    int line[2], status = 0;
    pid_t child = -1;
    assert_int_equal(places_program("iodyno-worker", &path), 0);
    assert_int_equal(channel_pair(line), 0);
    const struct process_plan plan = {
        .path = path.text, .argv = argv, .line_fd = line[1], .output_fd = -1, .own_group = true};
    assert_int_equal(process_start(&plan, &child), 0);
    (void)close(line[1]);
    struct pollfd wait = {.fd = line[0], .events = POLLIN};
    size_t offset = 0;
    *ret_row = (struct frame){.type = 0};
    if (poll(&wait, 1, LIMIT_MS) == 1 && channel_receive(line[0], &packet) == 1)
        assert_int_equal(frame_next(packet.bytes, packet.size, &offset, ret_row), 1);
    (void)close(line[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static uint64_t number(const struct frame *row, const char *key)
{
    uint64_t value = 0;
    const char *text = frame_pair(row, key);
    if (!text || units_parse_u64(text, &value) < 0)
        fail_msg("%s is no number: %s", key, text ? text : "(absent)");
    return value;
}

static void room_tells_what_fits(void **state)
{
    (void)state;
    struct frame row;
    assert_int_equal(ask("room", "/tmp", &row), 0);
    assert_int_equal(row.type, FRAME_ROW);
    assert_string_equal(frame_pair(&row, "folder"), "/tmp");
    assert_true(strlen(frame_pair(&row, "filesystem")) > 0);
    assert_true(number(&row, "total_bytes") > 0 || number(&row, "free_bytes") > 0);
    assert_true(number(&row, "largest_bytes") <= number(&row, "free_bytes"));
    assert_string_equal(frame_pair(&row, "read_only"), "false");
    assert_non_null(frame_pair(&row, "tmpfile"));
}

static void a_folder_that_is_absent_is_told(void **state)
{
    (void)state;
    struct frame row;
    assert_int_equal(ask("room", "/nonexistent", &row), 1);
    assert_string_equal(frame_pair(&row, "error"), "ENOENT");
    assert_true(strlen(frame_pair(&row, "why")) > 0);
    assert_null(frame_pair(&row, "free_bytes"));
}

static void mmc_answers_for_cards_only(void **state)
{
    (void)state;
    struct frame row;
    assert_int_equal(ask("mmc", "no-such-device", &row), 1);
    assert_string_equal(frame_pair(&row, "error"), "ENOENT");
    assert_int_equal(ask("mmc", "../../../etc", &row), 1);
    assert_string_equal(frame_pair(&row, "error"), "EINVAL");
}

/* The program sees a recorded machine's sysfs, in a mount namespace that ends with this process. */
static void mmc_reads_the_negotiated_mode(void **state)
{
    (void)state;
    struct frame row;
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount(IODYNO_SYSROOTS "/f5-rzg1e/sys", "/sys", NULL, MS_BIND, NULL) < 0)
        skip(); /* needs root */
    int status = ask("mmc", "mmcblk0p1", &row);
    assert_int_equal(umount2("/sys", MNT_DETACH), 0);
    assert_int_equal(status, 0);
    assert_string_equal(frame_pair(&row, "host"), "mmc0");
    assert_int_equal(number(&row, "clock_hz"), 52000000);
    assert_int_equal(number(&row, "actual_hz"), 48750000);
    assert_int_equal(number(&row, "width"), 8);
    assert_int_equal(number(&row, "timing"), 8);
    assert_string_equal(frame_pair(&row, "mode"), "DDR52");
    assert_int_equal(number(&row, "ceiling"), 97500000);
    assert_string_equal(frame_pair(&row, "source"), "debugfs");
}

static void unknown_kinds_are_usage_errors(void **state)
{
    (void)state;
    struct frame row;
    assert_int_equal(ask("weather", "/", &row), 2);
    assert_int_equal(row.type, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_tells_what_fits),
        cmocka_unit_test(a_folder_that_is_absent_is_told),
        cmocka_unit_test(mmc_answers_for_cards_only),
        cmocka_unit_test(mmc_reads_the_negotiated_mode),
        cmocka_unit_test(unknown_kinds_are_usage_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
