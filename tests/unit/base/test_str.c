/* str: a growing byte string. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static void a_string_grows_and_stays_ended(void **state)
{
    AUTO(str_done) struct str s = {0};

    (void)state;
    assert_string_equal(str_text(&s), "");
    for (int i = 0; i < 1000; i++) {
        str_add(&s, "ab");
        assert_int_equal(s.size, 2 * (i + 1));
        assert_int_equal(s.text[s.size], '\0');
    }
    str_clear(&s);
    assert_string_equal(str_text(&s), "");
    str_addf(&s, "%d-%s", 42, "x");
    assert_string_equal(s.text, "42-x");
}

static void long_formats_fit(void **state)
{
    AUTO(str_done) struct str s = {0};

    (void)state;
    str_addf(&s, "%0500d", 7);
    assert_int_equal(s.size, 500);
    assert_int_equal(s.text[499], '7');
}

static void taking_hands_the_memory_on(void **state)
{
    struct str s = {0};
    AUTO_FREE char *text = NULL;
    AUTO_FREE char *empty = NULL;

    (void)state;
    str_add(&s, "abc");
    text = str_take(&s);
    assert_string_equal(text, "abc");
    assert_null(s.text);
    empty = str_take(&s);
    assert_string_equal(empty, "");
}

static void pairs_lie_one_after_the_other(void **state)
{
    AUTO(str_done) struct str s = {0};

    (void)state;
    str_add_pair(&s, "a", "b");
    str_add_pairf(&s, "n", "%d", 12);
    str_add_pair(&s, "e", "");
    assert_int_equal(s.size, 12);
    assert_memory_equal(s.text, "a\0b\0n\00012\0e\0\0", 13);
}

static void cleaned(const char *text, size_t size, const char *wanted)
{
    AUTO(str_done) struct str s = {0};

    str_add_clean(&s, text, size);
    assert_string_equal(str_text(&s), wanted);
    assert_int_equal(s.size, strlen(wanted));
}
#define CLEANED(text, wanted) cleaned(text, sizeof(text) - 1, wanted)

static void foreign_text_is_cleaned(void **state)
{
    (void)state;
    CLEANED("SN32G", "SN32G");
    CLEANED("", "");
    CLEANED("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    CLEANED("a\x1b[31mb\tc\nd\x7f", "a?[31mb?c?d?");
    CLEANED("a\0b", "a?b");
    CLEANED("\xc2\x9b"
            "x",
            "?x");                       /* C1: CSI */
    CLEANED("\xff\xfe", "??");           /* never in UTF-8 */
    CLEANED("\xc3", "?");                /* cut */
    CLEANED("\xe2\x82", "??");           /* cut */
    CLEANED("\xc0\xaf", "??");           /* overlong '/' */
    CLEANED("\xe0\x80\xaf", "???");      /* overlong */
    CLEANED("\xed\xa0\x80", "???");      /* surrogate */
    CLEANED("\xf4\x90\x80\x80", "????"); /* beyond U+10FFFF */
    CLEANED("\xe2\x80\xae"
            "gpj",
            "?gpj"); /* right-to-left override */
    CLEANED("\xe2\x81\xa6"
            "x",
            "?x");                /* isolate */
    CLEANED("\xe2\x80\xa8", "?"); /* line separator */
}

static void keys_and_ends_compare(void **state)
{
    (void)state;
    assert_true(str_equal_key("block-size", "block_size"));
    assert_false(str_equal_key("block-size", "block-siz"));
    assert_false(str_equal_key("a", "b"));
    assert_true(str_equal_key("", ""));
    assert_true(str_starts("storage.write", "storage."));
    assert_false(str_starts("sto", "storage"));
    assert_true(str_ends("a.so", ".so"));
    assert_false(str_ends("so", ".so"));
    assert_true(str_ends("a", ""));
}

static void memory_is_zeroed_and_grows(void **state)
{
    AUTO_FREE char *zero = mem_new(4, 1);
    AUTO_FREE char *none = mem_new(0, 0);
    AUTO_FREE char *copy = mem_copy_text("abc");

    (void)state;
    assert_memory_equal(zero, "\0\0\0\0", 4);
    assert_non_null(none);
    copy = mem_grow(copy, 100, 1);
    assert_string_equal(copy, "abc");
}

static void a_file_is_read_up_to_its_limit(void **state)
{
    AUTO(str_done) struct str s = {0};
    char path[] = "/tmp/iodyno-str-XXXXXX";
    const int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    str_add(&s, "before");
    assert_int_equal(file_read(path, 100, &s), 0);
    assert_string_equal(s.text, "0123456789");
    assert_int_equal(file_read(path, 4, &s), 0);
    assert_string_equal(s.text, "0123");
    assert_int_equal(file_read("/nonexistent", 4, &s), -ENOENT);
    assert_int_equal(s.size, 0);
    assert_int_equal(file_read("/", 4, &s), -EISDIR);
    (void)close(fd);
    (void)unlink(path);
    assert_int_equal(file_read("/proc/self/stat", 4096, &s), 0);
    assert_true(s.size > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_grows_and_stays_ended),
        cmocka_unit_test(long_formats_fit),
        cmocka_unit_test(taking_hands_the_memory_on),
        cmocka_unit_test(pairs_lie_one_after_the_other),
        cmocka_unit_test(foreign_text_is_cleaned),
        cmocka_unit_test(keys_and_ends_compare),
        cmocka_unit_test(memory_is_zeroed_and_grows),
        cmocka_unit_test(a_file_is_read_up_to_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
