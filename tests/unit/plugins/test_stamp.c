/* stamp: written and read back; every doubt means "not ours". */
#include "storage/stamp.h"

#include "fake_host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[64];
static int dirfd;

static void put(const char *name, const char *text)
{
    int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static struct stamp made(const char *name, struct stat *ret_status)
{
    struct stamp stamp;
    put(name, "data");
    assert_int_equal(fstatat(dirfd, name, ret_status, 0), 0);
    stamp_make(&stamp, name, ret_status, 100);
    return stamp;
}

static void sidecar_names(void **state)
{
    (void)state;
    char name[NAME_MAX + 1];
    stamp_sidecar("bench.img", name);
    assert_string_equal(name, ".iodyno-bench.img.stamp");
    stamp_sidecar(".iodyno-12ab34cd-77-0.tmp", name);
    assert_string_equal(name, ".iodyno-12ab34cd-77-0.tmp.stamp");
}

static void comes_back_as_written(void **state)
{
    (void)state;
    struct stat status;
    struct stamp stamp = made("a b", &status), back;
    assert_int_equal(stamp_write(dirfd, &stamp), 0);
    assert_int_equal(stamp_read(dirfd, "a b", &back), 0);
    assert_string_equal(back.name, "a b");
    assert_string_equal(back.boot, stamp_boot_id());
    assert_int_equal(back.pid, getpid());
    assert_int_equal(back.start, stamp.start);
    assert_int_equal(back.inode, status.st_ino);
    assert_int_equal(back.device, status.st_dev);
    assert_int_equal(back.planned_bytes, 100);
    assert_false(back.is_final);
    stamp.is_final = true;
    stamp.final_bytes = 4;
    stamp.mtime_s = status.st_mtime;
    assert_int_equal(stamp_write(dirfd, &stamp), 0); /* replaces */
    assert_int_equal(stamp_read(dirfd, "a b", &back), 0);
    assert_true(back.is_final);
    assert_true(stamp_untouched(&back, &status));
    assert_int_equal(stamp_remove(dirfd, "a b"), 0);
    assert_int_equal(stamp_read(dirfd, "a b", &back), -ENOENT);
}

static void foreign_texts_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "iodyno scratch file 1\n",
        "something else\nboot x\npid 1\nstart 1\ndevice 1\ninode 1\nplanned 1\nname f\n",
        "iodyno scratch file 1\nboot x\npid -1\nstart 1\ndevice 1\ninode 1\nplanned 1\nname f\n",
        "iodyno scratch file 1\nboot x\npid 1\nstart 1\ndevice 1\ninode 1x\nplanned 1\nname f\n",
        "iodyno scratch file 1\nboot x\npid 1\nstart 1\ndevice 1\ninode 1\nname f\n",
        /* of another file */
        "iodyno scratch file 1\nboot x\npid 1\nstart 1\ndevice 1\ninode 1\nplanned 1\nname g\n",
    };
    struct stamp stamp;
    put("f", "");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(".iodyno-f.stamp", bad[i]);
        assert_int_equal(stamp_read(dirfd, "f", &stamp), -EINVAL);
    }
    put(".iodyno-f.stamp",
        "iodyno scratch file 1\nboot x\npid 1\nstart 1\ndevice 1\ninode 1\nplanned 1\nname f\n");
    assert_int_equal(stamp_read(dirfd, "f", &stamp), 0);
    if (geteuid() == 0) { /* in a shared folder nobody stamps another one's file */
        assert_int_equal(fchownat(dirfd, "f", 65534, 65534, 0), 0);
        assert_int_equal(stamp_read(dirfd, "f", &stamp), -EPERM);
    }
    assert_int_equal(unlinkat(dirfd, ".iodyno-f.stamp", 0), 0);
    assert_int_equal(symlinkat("f", dirfd, ".iodyno-f.stamp"), 0);
    assert_int_equal(stamp_read(dirfd, "f", &stamp), -ELOOP);
}

static void owner_is_this_life_of_the_process(void **state)
{
    (void)state;
    struct stat status;
    struct stamp stamp = made("own", &status);
    assert_true(stamp.start > 0);
    assert_true(stamp_owner_alive(&stamp));
    stamp.start++; /* the pid was reused */
    assert_false(stamp_owner_alive(&stamp));
    stamp.start--;
    stamp.boot[0] = stamp.boot[0] == '0' ? '1' : '0'; /* before the last boot */
    assert_false(stamp_owner_alive(&stamp));
    stamp = made("own", &status);
    stamp.pid = UINT64_C(1) << 40;
    assert_false(stamp_owner_alive(&stamp));
}

static void fits_only_that_file(void **state)
{
    (void)state;
    struct stat status;
    struct stamp stamp = made("fit", &status);
    assert_true(stamp_fits(&stamp, &status, true));
    status.st_ino++;
    assert_false(stamp_fits(&stamp, &status, true));
    assert_true(stamp_fits(&stamp, &status, false)); /* FAT: numbers of another mount */
    status.st_size = 101;                            /* more than was planned */
    assert_false(stamp_fits(&stamp, &status, false));
    status.st_size = 100;
    status.st_nlink = 2; /* somebody keeps it under another name */
    assert_false(stamp_fits(&stamp, &status, false));
    status.st_nlink = 1;
    status.st_mode = S_IFDIR;
    assert_false(stamp_fits(&stamp, &status, false));
}

static void touched_since(void **state)
{
    (void)state;
    struct stat status;
    struct stamp stamp = made("touch", &status);
    stamp.final_bytes = 4;
    stamp.mtime_s = status.st_mtime;
    assert_false(stamp_untouched(&stamp, &status)); /* the run did not end in order */
    stamp.is_final = true;
    assert_true(stamp_untouched(&stamp, &status));
    stamp.mtime_s = status.st_mtime - 3;
    assert_false(stamp_untouched(&stamp, &status));
    stamp.mtime_s = status.st_mtime + 2; /* FAT's step */
    assert_true(stamp_untouched(&stamp, &status));
    stamp.final_bytes = 5;
    assert_false(stamp_untouched(&stamp, &status));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sidecar_names),
        cmocka_unit_test(comes_back_as_written),
        cmocka_unit_test(foreign_texts_are_refused),
        cmocka_unit_test(owner_is_this_life_of_the_process),
        cmocka_unit_test(fits_only_that_file),
        cmocka_unit_test(touched_since),
    };
    fake_folder_make(folder);
    dirfd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    close(dirfd);
    fake_folder_remove(folder);
    return failed;
}
