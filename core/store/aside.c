#include "store/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define TRIES 40 /* of 50 ms, for the lock */
#define NAMES_MAX 100

static int lock_folder(const char *path, int *ret_fd)
{
    AUTO_FREE char *folder = mem_copy_text(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    AUTO_CLOSE int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        if (errno != EWOULDBLOCK || i == TRIES)
            return -errno;
        (void)poll(NULL, 0, 50);
    }
    *ret_fd = take_fd(&fd);
    return 0;
}

static void choose_name(const char *path, struct str *name)
{
    char stamp[32];
    time_t now = (time_t)(clock_wall_ns() / NS_PER_S);
    struct tm parts = {0};
    (void)gmtime_r(&now, &parts);
    (void)strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &parts);
    struct stat other;
    for (int i = 1; i < NAMES_MAX; i++) {
        str_clear(name);
        str_addf(name, "%s.damaged-%s", path, stamp);
        if (i > 1)
            str_addf(name, "-%d", i);
        if (lstat(name->text, &other) < 0)
            return;
    }
}

static int move_with(const char *path, const char *new_path, const char *ending)
{
    AUTO(str_done) struct str from = {0}, to = {0};
    str_addf(&from, "%s%s", path, ending);
    str_addf(&to, "%s%s", new_path, ending);
    return rename(from.text, to.text) < 0 && errno != ENOENT ? -errno : 0;
}

int aside_move(const char *path, const struct stat *which, struct str *new_name)
{
    AUTO_CLOSE int folder_fd = -1;
    int r = lock_folder(path, &folder_fd);
    if (r < 0)
        return r;
    struct stat now;
    if (stat(path, &now) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (now.st_dev != which->st_dev || now.st_ino != which->st_ino)
        return 0;
    choose_name(path, new_name);
    /* The companions first: a database never stands without the -wal that completes it. */
    static const char *const endings[] = {"-wal", "-shm", ""};
    for (size_t i = 0; i < ARRAY_SIZE(endings) && r == 0; i++)
        r = move_with(path, new_name->text, endings[i]);
    if (r == 0)
        (void)fsync(folder_fd);
    return r < 0 ? r : 1;
}
