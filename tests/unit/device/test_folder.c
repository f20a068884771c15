#include "device/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char card_path[] =
    IODYNO_SYSROOTS "/f1-allwinner/sys/devices/soc/1c0f000.mmc/mmc_host/mmc0/mmc0:0007";

static void texts_below_an_open_folder(void **state)
{
    (void)state;
    AUTO(folder_close) struct folder card = {.fd = -1};
    AUTO(str_done) struct str text = {0};
    uint64_t value = 7;
    assert_int_equal(folder_open(card_path, &card), 0);
    unsigned long before = folder_opened();
    assert_int_equal(folder_text(&card, "type", &text), 0);
    assert_int_equal(folder_text(&card, "type", &text), 0); /* adds */
    assert_string_equal(text.text, "SDSD");
    assert_int_equal(folder_opened() - before, 2);
    AUTO_FREE char *name = folder_label(&card, "name");
    assert_string_equal(name, "SD16G");
    assert_int_equal(folder_number(&card, "name", &value), -EINVAL);
    assert_int_equal(value, 7);
    assert_int_equal(folder_number(&card, "preferred_erase_size", &value), 0);
    assert_int_equal(value, 4194304);
    assert_int_equal(folder_text(&card, "absent", &text), -ENOENT);
    assert_true(folder_has(&card, "block"));
    assert_true(folder_has_folder(&card, "block"));
    assert_false(folder_has_folder(&card, "type"));
    assert_false(folder_has(&card, "absent"));
    assert_int_equal(folder_text(&card, "block", &text), -EINVAL);
    assert_string_equal(text.text, "SDSD");
}

static void nothing_is_found_in_a_closed_one(void **state)
{
    (void)state;
    AUTO(folder_close) struct folder none = {.fd = -1};
    AUTO(str_done) struct str text = {0};
    assert_int_equal(folder_open("/nonexistent", &none), -ENOENT);
    assert_int_equal(none.fd, -1);
    assert_int_equal(folder_text(&none, "type", &text), -EBADF);
    assert_null(folder_label(&none, "type"));
    assert_false(folder_has(&none, "."));
}

static void the_kernels_folders_hold_no_device(void **state)
{
    (void)state;
    AUTO(folder_close) struct folder sys = {.fd = -1};
    if (folder_open("/sys/class", &sys) < 0)
        skip();
    assert_false(sys.has_nodes);
    const struct folder none = folder_none("/sys/class");
    assert_true(none.has_nodes);
    AUTO(str_done) struct str whole = {0};
    assert_int_equal(folder_text(&none, "/proc/sys/kernel/ostype", &whole), 0);
    assert_string_equal(whole.text, "Linux");
}

/* Each nature of a folder, over the same odd things. */
static void what_is_no_text_is_never_read(void **state)
{
    (void)state;
    char path[] = "/tmp/iodyno-folder-XXXXXX";
    AUTO(folder_close) struct folder folder = {.fd = -1};
    AUTO(str_done) struct str text = {0};
    assert_non_null(mkdtemp(path));
    assert_int_equal(folder_open(path, &folder), 0);
    assert_int_equal(mkfifoat(folder.fd, "pipe", 0600), 0);
    assert_int_equal(symlinkat("/proc/self/stat", folder.fd, "link"), 0);
    assert_int_equal(symlinkat("loop", folder.fd, "loop"), 0);
    assert_int_equal(mkdirat(folder.fd, "folder", 0700), 0);
    AUTO_CLOSE int full = openat(folder.fd, "pipe", O_RDWR | O_CLOEXEC);
    assert_int_equal(write(full, "bytes", 5), 5);
    static const char *const names[] = {"pipe", "link", "loop", "folder"};
    int rc[2][ARRAY_SIZE(names)];
    for (size_t k = 0; k < 2; k++) {
        folder.has_nodes = k == 1;
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
            rc[k][i] = folder_text(&folder, names[i], &text);
    }
    char left[8];
    ssize_t taken = read(full, left, sizeof left); /* what waits in a pipe stays there */
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        (void)unlinkat(folder.fd, names[i], strcmp(names[i], "folder") == 0 ? AT_REMOVEDIR : 0);
    (void)rmdir(path);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
            assert_int_equal(rc[k][i], -EINVAL);
    assert_int_equal(taken, 5);
    assert_int_equal(text.size, 0);
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    char path[] = "/tmp/iodyno-folder-XXXXXX";
    static char bytes[3 * FOLDER_TEXT_MAX];
    AUTO(folder_close) struct folder folder = {.fd = -1};
    AUTO(str_done) struct str text = {0}, file = {0};
    memset(bytes, 'x', sizeof bytes);
    assert_non_null(mkdtemp(path));
    assert_int_equal(folder_open(path, &folder), 0);
    int fd = openat(folder.fd, "long", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, bytes, sizeof bytes), (ssize_t)sizeof bytes);
    (void)close(fd);
    int as_text = folder_text(&folder, "long", &text);
    int as_file = folder_file(&folder, "long", 2 * FOLDER_TEXT_MAX + 1, &file);
    (void)unlinkat(folder.fd, "long", 0);
    (void)rmdir(path);
    assert_int_equal(as_text, 0);
    assert_int_equal(text.size, FOLDER_TEXT_MAX);
    assert_int_equal(as_file, 0);
    assert_int_equal(file.size, 2 * FOLDER_TEXT_MAX + 1);
}

static void links_are_entered_within_the_base(void **state)
{
    (void)state;
    AUTO(folder_close) struct folder card = {.fd = -1}, disk = {.fd = -1};
    AUTO_FREE char *path = NULL;
    assert_int_equal(folder_open(card_path, &card), 0);
    assert_int_equal(folder_enter(&card, "", "block/mmcblk0/device", &disk, &path), 0);
    assert_string_equal(path, disk.path);
    assert_true(str_ends(path, "/mmc0:0007"));
    folder_close(&disk);
    AUTO_FREE char *again = NULL;
    assert_int_equal(folder_enter(&card, "/usr", "block/mmcblk0/device", &disk, &again), -EXDEV);
    assert_int_equal(folder_enter(&card, "", "type", &disk, &again), -ENOTDIR);
    assert_null(again);
    assert_int_equal(disk.fd, -1);
}

static void base_holds_whole_names_only(void **state)
{
    (void)state;
    assert_true(folder_is_within("/a/b", "/a"));
    assert_true(folder_is_within("/a", "/a"));
    assert_false(folder_is_within("/ab", "/a"));
    assert_true(folder_is_within("/ab", "/"));
    assert_true(folder_is_within("/ab", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_below_an_open_folder),
        cmocka_unit_test(nothing_is_found_in_a_closed_one),
        cmocka_unit_test(the_kernels_folders_hold_no_device),
        cmocka_unit_test(what_is_no_text_is_never_read),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(links_are_entered_within_the_base),
        cmocka_unit_test(base_holds_whole_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
