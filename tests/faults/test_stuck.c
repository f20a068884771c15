/* A worker that even SIGKILL does not end, on a file system that was frozen: given up, kept, and
 * reaped when it thaws. Needs root and a loop device; skipped elsewhere. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/fs.h>

#include "base/cleanup.h"
#include "drive.h"

#define SKIPPED 77

static char folder[] = "/tmp/iodyno-stuck-XXXXXX";
static struct str point; /* where the file system is mounted */

static int command(const char *format, const char *a, const char *b)
{
    AUTO(str_done) struct str text = {0};
    str_addf(&text, format, a, b);
    return system(text.text);
}

/* 0, or -1 when this machine has no loop devices for us. */
static int mount_one(void)
{
    AUTO(str_done) struct str image = {0};
    /* In a mount namespace of our own: it goes with us, whatever happens. */
    if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || !mkdtemp(folder))
        return -1;
    str_addf(&image, "%s/image", folder);
    str_addf(&point, "%s/mnt", folder);
    AUTO_CLOSE int fd = open(image.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, 16 << 20) < 0 || mkdir(point.text, 0700) < 0)
        return -1;
    if (command("mkfs.ext4 -q -F %s%s >/dev/null 2>&1", image.text, "") != 0)
        return -1;
    return command("mount -o loop %s %s 2>/dev/null", image.text, point.text) == 0 ? 0 : -1;
}

static int freeze(unsigned long request)
{
    AUTO_CLOSE int fd = open(point.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -1 : ioctl(fd, request, 0);
}

static void unmount_one(void)
{
    if (point.size) /* after a failed assertion it is still frozen, and would stay so without a
                       mount */
        (void)freeze((unsigned long)FITHAW);
    if (point.size && umount2(point.text, MNT_DETACH) == 0)
        (void)rmdir(point.text);
    if (point.size)
        (void)command("rm -rf -- %s/image %s", folder, point.text);
    (void)rmdir(folder);
    str_done(&point);
}

static void a_worker_in_the_kernel_is_abandoned_and_reaped_later(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str file = {0};
    (void)state;
    str_addf(&file, "%s/file", point.text);
    drive_init(&drive, "stuck.write");
    drive.plugin = FAULTS_STUCK;
    drive_option(&drive, "file", file.text);
    drive.stop_after_ns = DRIVE_S / 5;
    assert_int_equal(freeze((unsigned long)FIFREEZE), 0);
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 10);
    long worker = drive_child("iodyno-worker");
    const struct model *model = drive_wait(&drive, 20 * DRIVE_S);
    bool did_live = drive_lives(worker);
    int thawed = freeze((unsigned long)FITHAW);
    assert_int_equal(thawed, 0);
    double took_s = (double)(drive.over_ns - drive.stopped_ns) / 1e9;
    (void)fprintf(stderr, "abandoned %.2f s after it was asked\n", took_s);
    assert_int_equal(model->state, RUN_ABANDONED);
    assert_int_equal(drive.deepest, RUNNER_KILLED);
    assert_true(did_live);
    assert_true(took_s > 6.9 && took_s < 8);
    drive.runner = runner_free(drive.runner); /* the child stays with the loop */
    drive_turn(&drive, DRIVE_S / 2);
    assert_int_equal(drive_child("iodyno-worker"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_in_the_kernel_is_abandoned_and_reaped_later),
    };
    (void)signal(SIGPIPE, SIG_IGN); /* an end without the thaw would be a pity */
    if (mount_one() < 0) {
        unmount_one();
        return SKIPPED;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unmount_one();
    return failed;
}
