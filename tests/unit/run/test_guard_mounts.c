/* The guard on real file systems: loop devices and mounts of a mount namespace of its own, which
 * takes them all along when this process ends, however it ends. Needs root. */
#include "run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

#define MIB (1ull << 20)
#define NOBODY 65534

static char base[] = "/tmp/iodyno-mounts-XXXXXX";

static char *below(const char *name)
{
    struct str path = {0};
    str_addf(&path, "%s/%s", base, name);
    return str_take(&path);
}

/* Runs a program without its output; its exit status, 127 when there is none. */
static int run(const char *const *argv)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        (void)dup2(null, 1);
        (void)dup2(null, 2);
        (void)execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 127;
    return WEXITSTATUS(status);
}

/* Attaches an image to a free loop device that goes when nobody uses it any more. The descriptor
 * is to be closed once it is mounted. */
static int attach(const char *image, struct str *ret_device)
{
    AUTO_CLOSE int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    AUTO_CLOSE int file = open(image, O_RDWR | O_CLOEXEC);
    for (int tries = 0; control >= 0 && file >= 0 && tries < 8; tries++) {
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        str_clear(ret_device);
        str_addf(ret_device, "/dev/loop%d", number);
        AUTO_CLOSE int loop = number < 0 ? -1 : open(ret_device->text, O_RDWR | O_CLOEXEC);
        if (loop < 0)
            return -1;
        if (ioctl(loop, LOOP_SET_FD, file) < 0)
            continue; /* another process was faster */
        struct loop_info64 info = {.lo_flags = LO_FLAGS_AUTOCLEAR};
        if (ioctl(loop, LOOP_SET_STATUS64, &info) < 0) {
            (void)ioctl(loop, LOOP_CLR_FD);
            return -1;
        }
        return take_fd(&loop);
    }
    return -1;
}

/* A new file system of `size` bytes in BASE/NAME.img, on a loop device that stays as long as what
 * is returned is open; its name is added to `device`. Negative when this machine cannot. */
static int make_bare(const char *name, const char *type, uint64_t size, struct str *device)
{
    AUTO_FREE char *point = below(name);
    AUTO(str_done) struct str image = {0}, maker = {0};
    str_addf(&image, "%s.img", point);
    str_addf(&maker, "mkfs.%s", type);
    AUTO_CLOSE int file = open(image.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)size) < 0)
        return -1;
    const char *const argv[] = {maker.text, "-q", image.text, NULL};
    return run(argv) == 0 ? attach(image.text, device) : -1;
}

/* The same, mounted at BASE/NAME. False when this machine cannot. */
static bool make_loop(const char *name, const char *type, uint64_t size, struct str *device)
{
    AUTO_FREE char *point = below(name);
    AUTO_CLOSE int loop = mkdir(point, 0777) == 0 ? make_bare(name, type, size, device) : -1;
    return loop >= 0 && mount(device->text, point, type, 0, NULL) == 0 && chmod(point, 0777) == 0;
}

static int admit(const char *folder, uint64_t room, bool is_exclusive, struct guard_scope *scope,
                 struct str *why)
{
    const struct guard_request request = {.root = "",
                                          .target_id = "test",
                                          .folder = folder,
                                          .will_write = room > 0,
                                          .room_bytes = room,
                                          .is_exclusive = is_exclusive,
                                          .holder = "run of unit.test"};
    return guard_admit(&request, scope, why);
}

static void assert_says(const struct str *why, const char *part)
{
    if (!strstr(str_text(why), part))
        fail_msg("\"%s\" lacks \"%s\"", str_text(why), part);
}

/* The folder stands on one leaf disk, which is `device` ("/dev/loop3"). */
static void assert_stands_on(const char *folder, const char *filesystem, const char *device)
{
    AUTO(str_done) struct str why = {0}, stat_path = {0};
    AUTO(guard_release) struct guard_scope scope = {.dirfd = -1};
    str_addf(&stat_path, "/%s/stat", sysfs_base(device));
    int rc = admit(folder, MIB, false, &scope, &why);
    if (rc < 0)
        fail_msg("%s", str_text(&why));
    assert_string_equal(scope.filesystem, filesystem);
    assert_non_null(scope.leaf_stat[0]);
    assert_true(str_ends(scope.leaf_stat[0], stat_path.text));
    assert_null(scope.leaf_stat[1]);
    assert_false(scope.is_root_filesystem);
}

static void tmpfs_is_allowed_and_has_no_leaf(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    AUTO(guard_release) struct guard_scope scope = {.dirfd = -1};
    AUTO_FREE char *point = below("ram");
    assert_int_equal(mkdir(point, 0755), 0);
    assert_int_equal(mount("none", point, "tmpfs", 0, "size=200m"), 0);
    assert_int_equal(admit(point, 100 * MIB, true, &scope, &why), 0);
    assert_string_equal(scope.filesystem, "tmpfs");
    assert_null(scope.leaf_stat[0]);
    assert_int_equal(scope.lease_count, 0);
    assert_true(scope.has_tmpfile);
    assert_in_range(scope.free_bytes, 100 * MIB, 136 * MIB);
    assert_int_equal(scope.logical_block, 512);
    assert_int_equal(scope.major, 0);
}

static void read_only_mounts_are_for_reading(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    AUTO(guard_release) struct guard_scope scope = {.dirfd = -1};
    AUTO_FREE char *point = below("read-only");
    assert_int_equal(mkdir(point, 0755), 0);
    assert_int_equal(mount("none", point, "tmpfs", MS_RDONLY, NULL), 0);
    assert_int_equal(admit(point, MIB, false, &scope, &why), -EROFS);
    assert_says(&why, "is mounted read-only (tmpfs at ");
    assert_int_equal(admit(point, 0, false, &scope, &why), 0);
    assert_false(scope.has_tmpfile);
}

static void a_loop_disk_is_its_own_leaf(void **state)
{
    AUTO_FREE char *point = below("disk");
    AUTO_FREE char *folder = below("disk/deep");
    AUTO_FREE char *bind = below("bind");
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_stands_on(point, "ext4", *state);
    assert_stands_on(folder, "ext4", *state);
    assert_int_equal(mkdir(bind, 0755), 0);
    assert_int_equal(mount(folder, bind, NULL, MS_BIND, NULL), 0);
    assert_stands_on(bind, "ext4", *state);
    assert_int_equal(setenv("IODYNO_NO_STATX", "1", 1), 0);
    assert_stands_on(bind, "ext4", *state);
    (void)unsetenv("IODYNO_NO_STATX");
}

static void an_overlay_stands_on_its_upper_folder(void **state)
{
    AUTO_FREE char *upper = below("disk/upper");
    AUTO_FREE char *work = below("disk/work");
    AUTO_FREE char *lower = below("lower");
    AUTO_FREE char *point = below("over,lay");
    AUTO(str_done) struct str options = {0};
    str_addf(&options, "lowerdir=%s,upperdir=%s,workdir=%s", lower, upper, work);
    assert_int_equal(mkdir(upper, 0755), 0);
    assert_int_equal(mkdir(work, 0755), 0);
    assert_int_equal(mkdir(lower, 0755), 0);
    assert_int_equal(mkdir(point, 0755), 0);
    if (mount("overlay", point, "overlay", 0, options.text) < 0)
        skip(); /* a kernel without overlayfs */
    assert_stands_on(point, "overlay", *state);
}

static void too_little_room_names_what_fits(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    AUTO(guard_release) struct guard_scope scope = {.dirfd = -1};
    AUTO_FREE char *point = below("disk");
    assert_int_equal(admit(point, 500 * MIB, false, &scope, &why), -ENOSPC);
    assert_says(&why, "too little room: 524 MB and a reserve of 67.1 MB need 591 MB, ");
    assert_says(&why, "the largest size that fits is ");
    const char *named = strstr(why.text, "(size=");
    assert_non_null(named);
    unsigned mib = (unsigned)strtoul(named + 6, NULL, 10);
    assert_int_equal(admit(point, mib * MIB, false, &scope, &why), 0);
    assert_in_range(scope.free_bytes, mib * MIB, (mib + 1) * MIB);
    guard_release(&scope);
    assert_int_equal(admit(point, (mib + 1) * MIB, false, &scope, &why), -ENOSPC);
}

static void an_exclusive_run_holds_its_disk(void **state)
{
    AUTO(str_done) struct str why = {0}, holder = {0};
    AUTO(guard_release) struct guard_scope first = {.dirfd = -1}, second = {.dirfd = -1};
    AUTO_FREE char *point = below("disk");
    assert_int_equal(admit(point, MIB, true, &first, &why), 0);
    assert_int_equal(first.lease_count, 1);
    assert_int_equal(admit(point, MIB, true, &second, &why), -EBUSY);
    str_addf(&holder, "%s is busy: held by run of unit.test (process %ld)", sysfs_base(*state),
             (long)getpid());
    assert_string_equal(why.text, holder.text);
    assert_int_equal(admit(point, MIB, false, &second, &why), 0); /* others may share it */
    guard_release(&second);
    guard_release(&first);
    assert_int_equal(admit(point, MIB, true, &second, &why), 0);
}

/* As another user, in a process of its own: the refusal's errno, and its sentence in `why`. */
static int admit_as_nobody(const char *folder, bool is_exclusive, struct str *why)
{
    int line[2], status = 0;
    char text[512] = "";
    assert_int_equal(pipe2(line, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct guard_scope scope = {.dirfd = -1};
        if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
            _exit(99);
        (void)setenv("XDG_RUNTIME_DIR", base, 1);
        int rc = admit(folder, MIB, is_exclusive, &scope, why);
        if (write(line[1], str_text(why), why->size) < 0)
            _exit(98);
        _exit(-rc);
    }
    (void)close(line[1]);
    ssize_t size = read(line[0], text, sizeof text - 1);
    (void)close(line[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && size >= 0);
    str_clear(why);
    str_add(why, text);
    return -WEXITSTATUS(status);
}

static void other_users_meet_rights_and_locks(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    AUTO(guard_release) struct guard_scope scope = {.dirfd = -1};
    AUTO_FREE char *point = below("disk");
    AUTO_FREE char *closed = below("disk/closed");
    assert_int_equal(mkdir(closed, 0755), 0);
    assert_int_equal(admit_as_nobody(closed, false, &why), -EACCES);
    assert_says(&why, "is not writable for this user");
    assert_int_equal(admit(point, MIB, true, &scope, &why), 0);
    assert_int_equal(admit_as_nobody(point, true, &why), -EBUSY);
    assert_says(&why, "held by run of unit.test");
    guard_release(&scope);
    assert_int_equal(admit_as_nobody(point, true, &why), 0);
}

static void btrfs_is_traced_through_sysfs(void **state)
{
    (void)state;
    AUTO(str_done) struct str device = {0};
    AUTO_FREE char *point = below("tree");
    AUTO_FREE char *part = below("tree/part");
    if (!make_loop("tree", "btrfs", 160 * MIB, &device))
        skip(); /* a kernel or machine without btrfs */
    assert_stands_on(point, "btrfs", device.text);
    const char *const argv[] = {"btrfs", "subvolume", "create", part, NULL};
    if (run(argv) == 0)
        assert_stands_on(part, "btrfs", device.text);
}

/* ---- devices that are not mounted; in a process of its own, as the mount is that process's */

/* Admitted by the number of a loop device, with a person's word for `id`. */
static int admit_privately(const char *id, const char *device, struct guard_scope *scope)
{
    AUTO(str_done) struct str why = {0};
    struct stat about;
    assert_int_equal(stat(device, &about), 0);
    const struct guard_request request = {.root = "",
                                          .target_id = id,
                                          .will_write = true,
                                          .room_bytes = MIB,
                                          .is_exclusive = true,
                                          .is_private = true,
                                          .raw_major = major(about.st_rdev),
                                          .raw_minor = minor(about.st_rdev),
                                          .confirmed = id,
                                          .holder = "run of unit.test"};
    return guard_admit(&request, scope, &why);
}

/* The errno, 0 when it was mounted. */
static int try_privately(const char *id, const char *device)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct guard_scope scope = {.dirfd = -1};
        int rc = admit_privately(id, device, &scope);
        guard_release(&scope);
        _exit(-rc);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_word_is_for_the_device_of_that_name(void **state)
{
    (void)state;
    AUTO(str_done) struct str device = {0};
    AUTO_CLOSE int loop = make_bare("word", "ext4", 100 * MIB, &device);
    assert_true(loop >= 0);
    /* Its number was that of another device when the word was given. */
    assert_int_equal(try_privately("loop99999", device.text), ENODEV);
    assert_int_equal(try_privately(sysfs_base(device.text), device.text), 0);
}

static void a_raw_device_bears_its_name(void **state)
{
    AUTO(str_done) struct str why = {0};
    AUTO(guard_release) struct guard_scope scope = {.dirfd = -1};
    const char *device = *state;
    struct stat about;
    assert_int_equal(stat(device, &about), 0);
    struct guard_request request = {.target_id = "loop99999",
                                    .is_raw = true,
                                    .raw_major = major(about.st_rdev),
                                    .raw_minor = minor(about.st_rdev)};
    assert_int_equal(guard_admit(&request, &scope, &why), -ENODEV);
    assert_string_equal(why.text, "loop99999 is no longer there");
    request.target_id = sysfs_base(device);
    assert_int_equal(guard_admit(&request, &scope, &why), 0);
    assert_string_equal(scope.raw_path, device);
}

static void hold_until_told(const char *device, int said, int told)
{
    static const char bytes[MIB];
    struct guard_scope scope = {.dirfd = -1};
    char byte;
    if (admit_privately(sysfs_base(device), device, &scope) < 0)
        _exit(1);
    int file = openat(scope.dirfd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    for (unsigned i = 0; i < 16; i++) /* for the unmount to flush */
        (void)!write(file, bytes, sizeof bytes);
    (void)close(file);
    (void)!write(said, "y", 1);
    (void)!read(told, &byte, 1);
    guard_release(&scope);
    _exit(0);
}

/* The unmount writes, and whoever gets the lease next measures what is written. */
static void a_lease_is_held_until_all_is_unmounted(void **state)
{
    (void)state;
    AUTO(str_done) struct str device = {0}, stat_path = {0};
    AUTO_CLOSE int loop = make_bare("lease", "ext4", 100 * MIB, &device);
    assert_true(loop >= 0);
    int said[2], told[2], status = 0;
    char byte = 'n';
    assert_int_equal(pipe2(said, O_CLOEXEC) | pipe2(told, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0)
        hold_until_told(device.text, said[1], told[0]);
    (void)close(said[1]);
    assert_int_equal(read(said[0], &byte, 1), 1);
    str_addf(&stat_path, "/sys/block/%s/stat", sysfs_base(device.text));
    AUTO_CLOSE int lease = open(stat_path.text, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(lease, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(write(told[1], "y", 1), 1);
    (void)alarm(30);
    assert_int_equal(flock(lease, LOCK_EX), 0);
    (void)alarm(0);
    AUTO_CLOSE int free_device = open(device.text, O_RDONLY | O_EXCL | O_CLOEXEC);
    assert_true(free_device >= 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    (void)close(said[0]);
    (void)close(told[0]);
    (void)close(told[1]);
}

/* Mounts of this process alone. False when it may not. */
static bool go_apart(void)
{
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return false;
    return mkdtemp(base) && mount("none", base, "tmpfs", 0, "size=500m,mode=777") == 0;
}

int main(void)
{
    static struct str device;
    if (geteuid() != 0 || !go_apart() || !make_loop("disk", "ext4", 272 * MIB, &device)) {
        printf("skipped: needs root, mount namespaces, a free loop device and mkfs.ext4 (%s)\n",
               strerror(errno));
        (void)umount2(base, MNT_DETACH);
        (void)rmdir(base);
        str_done(&device);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tmpfs_is_allowed_and_has_no_leaf),
        cmocka_unit_test(read_only_mounts_are_for_reading),
        cmocka_unit_test_prestate(a_loop_disk_is_its_own_leaf, device.text),
        cmocka_unit_test_prestate(an_overlay_stands_on_its_upper_folder, device.text),
        cmocka_unit_test(too_little_room_names_what_fits),
        cmocka_unit_test_prestate(an_exclusive_run_holds_its_disk, device.text),
        cmocka_unit_test(other_users_meet_rights_and_locks),
        cmocka_unit_test(btrfs_is_traced_through_sysfs),
        cmocka_unit_test(a_word_is_for_the_device_of_that_name),
        cmocka_unit_test_prestate(a_raw_device_bears_its_name, device.text),
        cmocka_unit_test(a_lease_is_held_until_all_is_unmounted),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)umount2(base, MNT_DETACH); /* takes all below along; loop devices clear themselves */
    (void)rmdir(base);
    str_done(&device);
    return failed;
}
