/* ini: settings, themes, plans and board files. */
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

#include "base/ini.h"
#include "base/str.h"

static struct {
    struct str entries, faults;
    unsigned fault_count;
} t;

static int setup(void **state)
{
    (void)state;
    str_done(&t.entries);
    str_done(&t.faults);
    t.fault_count = 0;
    return 0;
}

static int on_entry(void *user, const char *section, const char *key, const char *value, char *why,
                    size_t why_size)
{
    (void)user;
    if (strcmp(value, "bad") == 0) {
        (void)snprintf(why, why_size, "%s: expected a number", key);
        return -EINVAL;
    }
    if (strcmp(value, "worse") == 0)
        return -ERANGE;
    str_addf(&t.entries, "[%s] %s=%s;", section, key, value);
    return 0;
}

static void on_fault(void *user, const char *sentence)
{
    (void)user;
    t.fault_count++;
    str_addf(&t.faults, "%s\n", sentence);
}

static void reads(const char *text, const char *entries, const char *faults)
{
    (void)setup(NULL);
    assert_int_equal(ini_read_text("f", text, strlen(text), on_entry, on_fault, NULL), 0);
    assert_string_equal(str_text(&t.entries), entries);
    assert_string_equal(str_text(&t.faults), faults);
}

static void sections_keys_and_comments(void **state)
{
    (void)state;
    reads("", "", "");
    reads("a = 1\n[s]\nb=2\n; c\n# d\n\n  c : two words  \n", "[] a=1;[s] b=2;",
          "f:7: expected a line that begins in the first column\n");
    reads("[s]\nc : two words  \n", "[s] c=two words;", "");
    reads("[step one]\nusb.2-1 = J7 top\n", "[step one] usb.2-1=J7 top;", "");
    reads("[roles]\naccent = #ff8800 | 208\n", "[roles] accent=#ff8800 | 208;", "");
    reads("[s]\r\na=1\r\n", "[s] a=1;", "");
    reads("\xef\xbb\xbf[s]\na=1", "[s] a=1;", "");
    reads("[s]\na=\n", "[s] a=;", "");
}

static void a_bad_line_is_named_and_the_rest_applies(void **state)
{
    (void)state;
    reads("[s]\na=1\nnonsense\nb=2\n", "[s] a=1;[s] b=2;", "f:3: expected \"key = value\"\n");
    reads("[s]\n= 1\nb=2\n", "[s] b=2;", "f:2: expected \"key = value\"\n");
    reads("[s]\na=bad\nb=worse\nc=3\n", "[s] c=3;",
          "f:2: a: expected a number\nf:3: b: Numerical result out of range\n");
    reads("[s]\na=1\nlast", "[s] a=1;", "f:3: expected \"key = value\"\n");
    reads("[s]\na=\x1b[2J\nb=2\n", "[s] b=2;", "f:2: expected text without control bytes\n");
}

static void continuations_are_refused(void **state)
{
    (void)state;
    reads("[s]\na=1\n  more\nb=2\n", "[s] a=1;[s] b=2;",
          "f:3: expected a line that begins in the first column\n");
    reads("[s]\na=1\n  ; a comment may be indented\nb=2\n", "[s] a=1;[s] b=2;", "");
}

static void a_section_stands_once(void **state)
{
    (void)state;
    reads("[s]\na=1\n[t]\nb=2\n[s]\nc=3\nd=4\n[u]\ne=5\n", "[s] a=1;[t] b=2;[u] e=5;",
          "f:5: section [s] stands here for the second time; this one is not used\n");
    reads("[s]\na=1\n[t\nb=2\n", "[s] a=1;",
          "f:3: expected ']' at the end of the section's name\n");
    reads("[s] x\na=1\n", "", "f:1: expected nothing behind the section's name\n");
    reads("[]\na=1\n", "", "f:1: expected a section name of 1 to 49 bytes\n");
    reads("[s] ; remark\na=1\n", "[s] a=1;", "");
}

static void lines_end_at_their_bound(void **state)
{
    struct str text = {0}, wanted = {0};

    (void)state;
    str_add(&text, "k=");
    while (text.size < INI_LINE_MAX)
        str_add(&text, "x");
    str_addf(&wanted, "[] k=%s;[] b=2;", text.text + 2);
    str_add(&text, "\nb=2\n");
    reads(text.text, wanted.text, ""); /* at the bound: whole */
    str_clear(&wanted);
    str_addf(&wanted, "y%s", text.text);
    reads(wanted.text, "[] b=2;", "f:1: expected at most 190 bytes in a line\n");
    str_done(&text);
    str_done(&wanted);
}

static void section_names_end_at_their_bound(void **state)
{
    static const char NAME49[] = "1234567890123456789012345678901234567890123456789";
    struct str text = {0}, wanted = {0};

    (void)state;
    str_addf(&text, "[%s]\na=1\n", NAME49);
    str_addf(&wanted, "[%s] a=1;", NAME49);
    reads(text.text, wanted.text, "");
    str_clear(&text);
    str_addf(&text, "[s]\nb=1\n[x%s]\na=1\n", NAME49);
    reads(text.text, "[s] b=1;", "f:3: expected a section name of 1 to 49 bytes\n");
    str_clear(&text);
    str_addf(&text, "[s]\nb=1\n[%0200d]\na=1\n", 7);
    reads(text.text, "[s] b=1;", "f:3: expected at most 190 bytes in a line\n");
    str_done(&text);
    str_done(&wanted);
}

static void faults_end_at_their_bound(void **state)
{
    struct str text = {0};

    (void)state;
    for (int i = 0; i < INI_FAULTS_MAX + 10; i++)
        str_add(&text, "nonsense\n");
    (void)setup(NULL);
    assert_int_equal(ini_read_text("f", text.text, text.size, on_entry, on_fault, NULL), 0);
    assert_int_equal(t.fault_count, INI_FAULTS_MAX);
    assert_true(str_ends(t.faults.text, "f:64: too many bad lines, further ones are not listed\n"));
    str_done(&text);
}

static void a_file_has_a_largest_size(void **state)
{
    struct str text = {0};

    (void)state;
    while (text.size < INI_FILE_MAX)
        str_add(&text, ";234567\n");
    assert_int_equal(ini_read_text("f", text.text, text.size, on_entry, on_fault, NULL), 0);
    str_add(&text, "\n");
    assert_int_equal(ini_read_text("f", text.text, text.size, on_entry, on_fault, NULL), -EFBIG);
    str_done(&text);
}

static void files_are_read_and_others_refused(void **state)
{
    char path[] = "/tmp/iodyno-ini-XXXXXX", fifo[64];
    const int fd = mkstemp(path);
    struct str wanted = {0};

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[s]\na=1\nx\n", 10), 10);
    assert_int_equal(ini_read(path, on_entry, on_fault, NULL), 0);
    assert_string_equal(str_text(&t.entries), "[s] a=1;");
    str_addf(&wanted, "%s:3: expected \"key = value\"\n", path);
    assert_string_equal(str_text(&t.faults), wanted.text);
    assert_int_equal(ini_read("/nonexistent.ini", on_entry, on_fault, NULL), -ENOENT);
    assert_int_equal(ini_read("/", on_entry, on_fault, NULL), -EISDIR);
    (void)snprintf(fifo, sizeof(fifo), "%s.fifo", path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(ini_read(fifo, on_entry, on_fault, NULL), -EINVAL);
    (void)unlink(fifo);
    (void)unlink(path);
    (void)close(fd);
    str_done(&wanted);
}

static void faults_may_go_unheard(void **state)
{
    (void)state;
    assert_int_equal(ini_read_text("f", "x\na=1\n", 6, on_entry, NULL, NULL), 0);
    assert_string_equal(str_text(&t.entries), "[] a=1;");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(sections_keys_and_comments),        CASE(a_bad_line_is_named_and_the_rest_applies),
        CASE(continuations_are_refused),         CASE(a_section_stands_once),
        CASE(lines_end_at_their_bound),          CASE(section_names_end_at_their_bound),
        CASE(faults_end_at_their_bound),         CASE(a_file_has_a_largest_size),
        CASE(files_are_read_and_others_refused), CASE(faults_may_go_unheard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
