#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/theme.h"

static int faults;

static void count_fault(void *user, const char *sentence)
{
    (void)user;
    assert_true(strlen(sentence) > 10);
    faults++;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static int make_folder(void **state)
{
    char name[] = "/tmp/iodyno-theme-XXXXXX";

    *state = mkdtemp(name) ? strdup(name) : NULL;
    faults = 0;
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.ini", "b.ini", "loop.ini"};
    char path[256];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", (char *)*state, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(*state);
    free(*state);
    return 0;
}

static int read_file(const char *folder, const char *name, struct theme *ret_theme)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return theme_read(path, ret_theme, count_fault, NULL);
}

static void an_entry_has_two_colours_and_styles(void **state)
{
    struct theme_entry entry;
    char why[160] = "";

    (void)state;
    assert_int_equal(theme_parse_entry("black on #ffb000 | 214 | yellow +bold +underline", &entry,
                                       why, sizeof(why)),
                     0);
    assert_int_equal(entry.foreground.ansi, 0);
    assert_int_equal(entry.background.rgb, 0xffb000);
    assert_int_equal(entry.style, STYLE_BOLD | STYLE_UNDERLINE);
    assert_int_equal(theme_parse_entry("red +blink", &entry, why, sizeof(why)), -EINVAL);
    assert_non_null(strstr(why, "+reverse"));
    assert_int_equal(theme_parse_entry("red on +bold", &entry, why, sizeof(why)), -EINVAL);
    assert_int_equal(theme_parse_entry("+bold", &entry, why, sizeof(why)), -EINVAL);
}

static void a_bad_line_leaves_that_role(void **state)
{
    struct theme theme, plain;

    theme_plain(&plain);
    write_file(*state, "a.ini",
               "[theme]\nname = mine\npalette = yes\n[roles]\naccent = purple\nwarn = red\n"
               "nonsense = red\n[series]\n1 = green\n9 = green\n[other]\nx = 1\n");
    assert_int_equal(read_file(*state, "a.ini", &theme), 0);
    assert_int_equal(faults, 4);
    assert_string_equal(theme.name, "mine");
    assert_true(theme.sets_palette);
    assert_memory_equal(&theme.roles[ROLE_ACCENT], &plain.roles[ROLE_ACCENT],
                        sizeof(theme.roles[0]));
    assert_int_equal(theme.roles[ROLE_WARN].foreground.ansi, 1);
    assert_int_equal(theme.roles[ROLE_SERIES_1].foreground.ansi, 2);
}

static void a_theme_inherits_from_its_folder_only(void **state)
{
    struct theme theme;

    write_file(*state, "a.ini", "[theme]\nname = a\n[roles]\nok = red\nfail = red\n");
    write_file(*state, "b.ini", "[theme]\ninherits = a\nname = b\n[roles]\nfail = green\n");
    assert_int_equal(read_file(*state, "b.ini", &theme), 0);
    assert_int_equal(faults, 0);
    assert_string_equal(theme.name, "b");
    assert_int_equal(theme.roles[ROLE_OK].foreground.ansi, 1);
    assert_int_equal(theme.roles[ROLE_FAIL].foreground.ansi, 2);
    write_file(*state, "b.ini", "[theme]\ninherits = ../../etc/x\n");
    assert_int_equal(read_file(*state, "b.ini", &theme), 0);
    assert_int_equal(faults, 1);
}

static void a_circle_of_themes_ends(void **state)
{
    struct theme theme;

    write_file(*state, "loop.ini", "[theme]\ninherits = loop\n[roles]\nok = red\n");
    assert_int_equal(read_file(*state, "loop.ini", &theme), 0);
    assert_true(faults >= 1);
    assert_int_equal(theme.roles[ROLE_OK].foreground.ansi, 1);
}

static void a_missing_file_leaves_the_theme(void **state)
{
    struct theme theme = {.name = "before"};

    assert_int_equal(read_file(*state, "none.ini", &theme), -ENOENT);
    assert_string_equal(theme.name, "before");
}

/* Found beside this source: the themes that are shipped have no fault, and their own name. */
static void shipped_themes_are_sound(void **state)
{
    static const char *const names[] = {"default",      "light",   "mono", "high-contrast",
                                        "colour-blind", "console", "amber"};
    struct theme theme, plain;
    char path[512];
    const char *end = strstr(__FILE__, "tests/unit/");

    (void)state;
    assert_non_null(end);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%.*sthemes/%s.ini", (int)(end - __FILE__), __FILE__,
                       names[i]);
        assert_int_equal(theme_read(path, &theme, count_fault, NULL), 0);
        assert_string_equal(theme.name, names[i]);
        /* no plain blue words on black (an old complaint about every such program) */
        bool is_dark = strcmp(names[i], "light") != 0;
        for (int role = ROLE_TEXT; role <= ROLE_FAIL && is_dark; role++)
            assert_int_not_equal(theme.roles[role].foreground.ansi, 4);
    }
    assert_int_equal(faults, 0);
    (void)snprintf(path, sizeof(path), "%.*sthemes/default.ini", (int)(end - __FILE__), __FILE__);
    theme_plain(&plain);
    assert_int_equal(theme_read(path, &theme, count_fault, NULL), 0);
    for (int role = 0; role < ROLE_COUNT; role++)
        assert_memory_equal(&theme.roles[role], &plain.roles[role], sizeof(plain.roles[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_has_two_colours_and_styles),
        cmocka_unit_test_setup_teardown(a_bad_line_leaves_that_role, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_theme_inherits_from_its_folder_only, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_circle_of_themes_ends, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_missing_file_leaves_the_theme, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(shipped_themes_are_sound, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
