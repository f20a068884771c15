/* places: where the programs find each other and their data. The test program lies in tests/unit
 * of the build tree, so that tree is the PREFIX. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/places.h"
#include "base/str.h"

static struct str place, wanted;
static char prefix[4096], folder[64];

static int setup(void **state)
{
    ssize_t size = readlink("/proc/self/exe", prefix, sizeof(prefix) - 1);

    (void)state;
    if (size < 0)
        return -1;
    prefix[size] = '\0';
    for (int i = 0; i < 3; i++)
        *strrchr(prefix, '/') = '\0';
    (void)snprintf(folder, sizeof(folder), "/tmp/iodyno-places-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    str_done(&place);
    str_done(&wanted);
    (void)rmdir(folder);
    return 0;
}

static void is_place(const char *below)
{
    str_clear(&wanted);
    str_addf(&wanted, "%s%s", prefix, below);
    assert_string_equal(str_text(&place), wanted.text);
}

static void programs_and_data_lie_below_the_prefix(void **state)
{
    (void)state;
    assert_int_equal(places_program("iodyno-worker", &place), 0);
    is_place("/libexec/iodyno/iodyno-worker");
    assert_int_equal(places_program("iodyno", &place), 0);
    is_place("/bin/iodyno");
    assert_int_equal(places_data("themes/default.ini", &place), 0);
    is_place("/share/iodyno/themes/default.ini");
}

static void plugins_come_from_the_given_folders_first(void **state)
{
    const char *at;

    (void)state;
    assert_int_equal(setenv("IODYNO_PLUGIN_PATH", "/one:relative::/two", 1), 0);
    assert_int_equal(places_plugins(&place), 0);
    assert_int_equal(unsetenv("IODYNO_PLUGIN_PATH"), 0);
    at = str_text(&place);
    assert_string_equal(at, "/one");
    at += strlen(at) + 1;
    assert_string_equal(at, "/two");
    at += strlen(at) + 1;
    str_addf(&wanted, "%s/lib/iodyno/plugins", prefix);
    assert_string_equal(at, wanted.text);
    at += strlen(at) + 1;
    assert_string_equal(at, "");
    assert_ptr_equal(at, place.text + place.size);
}

static void results_follow_the_words_then_xdg_then_home(void **state)
{
    (void)state;
    assert_int_equal(setenv("HOME", "/h", 1), 0);
    assert_int_equal(setenv("XDG_DATA_HOME", "/x", 1), 0);
    assert_int_equal(places_results("own.db", &place), 0);
    assert_string_equal(str_text(&place), "./own.db"); /* never taken for an option */
    assert_int_equal(places_results(NULL, &place), 0);
    assert_string_equal(str_text(&place), "/x/iodyno/results.db");
    assert_int_equal(setenv("XDG_DATA_HOME", "relative", 1), 0);
    assert_int_equal(places_results("", &place), 0);
    assert_string_equal(str_text(&place), "/h/.local/share/iodyno/results.db");
    assert_int_equal(unsetenv("HOME"), 0);
    assert_int_equal(places_results(NULL, &place), 0);
    assert_string_equal(str_text(&place), "/var/lib/iodyno/results.db");
}

static void a_persons_board_files_come_first(void **state)
{
    (void)state;
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/somewhere", 1), 0);
    assert_int_equal(places_boards(true, &place), 0);
    const char *at = str_text(&place);
    assert_string_equal(at, "/somewhere/iodyno/boards");
    at += strlen(at) + 1;
    assert_string_equal(at, "/etc/iodyno/boards");
    at += strlen(at) + 1;
    assert_true(str_ends(at, "/share/iodyno/boards"));
    assert_int_equal(places_boards(false, &place), 0);
    assert_true(str_ends(str_text(&place), "/share/iodyno/boards"));
    assert_int_equal(place.size, strlen(place.text) + 1);
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
    assert_int_equal(places_boards(true, &place), 0);
    assert_string_equal(str_text(&place), "/home/me/.config/iodyno/boards");
}

/* As a plain user: root's folder is the machine's. */
static void the_runtime_folder_is_ours_alone(void **state)
{
    const uid_t user = getuid() ? getuid() : 65534;
    struct stat st;

    (void)state;
    assert_int_equal(chown(folder, user, (gid_t)-1), 0);
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
    assert_int_equal(places_runtime(&place), 0);
    assert_int_equal(lstat(str_text(&place), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(st.st_uid, geteuid());
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(chmod(str_text(&place), 0777), 0);
    assert_int_equal(places_runtime(&place), -EPERM);
    assert_int_equal(rmdir(str_text(&place)), 0);
    assert_int_equal(symlink("/tmp", str_text(&place)), 0);
    assert_int_equal(places_runtime(&place), -EPERM);
    assert_int_equal(unlink(str_text(&place)), 0);
    assert_int_equal(seteuid(getuid()), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(programs_and_data_lie_below_the_prefix),
        CASE(plugins_come_from_the_given_folders_first),
        CASE(results_follow_the_words_then_xdg_then_home),
        CASE(a_persons_board_files_come_first),
        CASE(the_runtime_folder_is_ours_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
