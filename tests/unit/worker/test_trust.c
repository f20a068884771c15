/* trust: which file is loaded, and which is not. */
#include <errno.h>
#include <fcntl.h>
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

#include "base/cleanup.h"
#include "base/str.h"
#include "worker/trust.h"

static struct {
    char folder[64], file[96], link[96];
} t;

static int setup(void **state)
{
    (void)state;
    (void)snprintf(t.folder, sizeof(t.folder), "/tmp/iodyno-trust-XXXXXX");
    if (!mkdtemp(t.folder))
        return -1;
    (void)snprintf(t.file, sizeof(t.file), "%s/file.so", t.folder);
    (void)snprintf(t.link, sizeof(t.link), "%s/link.so", t.folder);
    AUTO_CLOSE int fd = open(t.file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0 ? symlink("file.so", t.link) : -1;
}

static int teardown(void **state)
{
    (void)state;
    (void)unlink(t.link);
    (void)unlink(t.file);
    return rmdir(t.folder);
}

/* A link that is turned after the look must not matter: what was judged is what is opened. */
static void behind_a_link_the_file_itself_is_named(void **state)
{
    AUTO(str_done) struct str why = {0};
    AUTO_FREE char *real = NULL;
    (void)state;
    assert_int_equal(trust_check(t.link, &real, &why), 0);
    assert_string_equal(real, t.file);
}

static void what_others_may_write_is_refused(void **state)
{
    AUTO(str_done) struct str why = {0};
    char *real = NULL;
    (void)state;
    assert_int_equal(chmod(t.file, 0620), 0);
    assert_int_equal(trust_check(t.link, &real, &why), -EACCES);
    assert_non_null(strstr(str_text(&why), "other users may write to it"));
    assert_int_equal(chmod(t.file, 0600), 0);
    assert_int_equal(chmod(t.folder, 0777), 0);
    str_clear(&why);
    assert_int_equal(trust_check(t.file, &real, &why), -EACCES);
    assert_non_null(strstr(str_text(&why), "its folder"));
    assert_null(real);
}

static void what_is_not_there_cannot_be_trusted(void **state)
{
    AUTO(str_done) struct str why = {0};
    char *real = NULL;
    (void)state;
    assert_int_equal(trust_check("/nonexistent/x.so", &real, &why), -ENOENT);
    assert_null(real);
    assert_true(why.size > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(behind_a_link_the_file_itself_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(what_others_may_write_is_refused, setup, teardown),
        cmocka_unit_test(what_is_not_there_cannot_be_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
