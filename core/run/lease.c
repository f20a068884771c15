#include "run/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/places.h"
#include "base/str.h"
#include "base/units.h"
#include "device/sysfs.h"

#define LEASE_TEXT_MAX 1024

/* The value of a "key=value" line, cleaned; "" when absent. */
static void add_value(struct str *into, const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) == 0 && line[size] == '=') {
            line += size + 1;
            str_add_clean(into, line, strcspn(line, "\n"));
            return;
        }
    }
}

/* Reads a holder's file another user may have written: a regular file only, never waited for. */
static int read_holder(const char *folder, const char *number, struct str *into)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/lock-%s", folder, number);
    AUTO_CLOSE int fd = open(path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    if (fd < 0 || fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
        return -ENOENT;
    char text[LEASE_TEXT_MAX];
    ssize_t size = read(fd, text, sizeof text - 1);
    if (size <= 0)
        return -ENOENT;
    text[size] = '\0';
    AUTO(str_done) struct str pid = {0}, holder = {0};
    add_value(&pid, text, "pid");
    add_value(&holder, text, "holder");
    uint64_t number_of;
    if (holder.size == 0 || units_parse_u64(str_text(&pid), &number_of) < 0)
        return -ENOENT;
    str_addf(into, "%s (process %s)", holder.text, pid.text);
    return 0;
}

static void tell_busy(const char *disk, const char *number, struct str *why)
{
    AUTO(str_done) struct str runtime = {0}, who = {0};
    /* Our own holder's file first; root's lies where all may read it. */
    if (places_runtime(&runtime) < 0 || read_holder(runtime.text, number, &who) < 0)
        (void)read_holder("/run/iodyno", number, &who);
    str_clear(why);
    str_addf(why, "%s is busy: held by %s", disk, who.size ? who.text : "another run");
}

/* Written after locking, so whatever stood there is stale. Without it the lock holds as well. */
static char *write_holder(const char *number, const char *holder)
{
    AUTO(str_done) struct str path = {0}, text = {0}, runtime = {0};
    if (places_runtime(&runtime) < 0)
        return NULL;
    str_addf(&path, "%s/lock-%s", runtime.text, number);
    str_addf(&text, "pid=%ld\nowner=%ld\nholder=", (long)getpid(), (long)getppid());
    str_add_clean(&text, holder, strnlen(holder, LEASE_TEXT_MAX / 2));
    str_add(&text, "\n");
    AUTO_CLOSE int fd =
        open(path.text, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (fd < 0)
        return NULL;
    (void)fchmod(fd, 0644); /* whatever the umask: others must be able to name us */
    if (write(fd, text.text, text.size) != (ssize_t)text.size) {
        (void)unlink(path.text);
        return NULL;
    }
    return str_take(&path);
}

int lease_take(const char *disk_folder, const char *holder, struct lease *ret_lease,
               struct str *why)
{
    AUTO(str_done) struct str path = {0}, number = {0};
    const char *disk = sysfs_base(disk_folder);
    str_addf(&path, "%s/stat", disk_folder);
    int rc = sysfs_text(disk_folder, "dev", &number);
    if (rc == 0 && strspn(str_text(&number), "0123456789:") != number.size)
        rc = -EINVAL;
    AUTO_CLOSE int fd = rc == 0 ? open(path.text, O_RDONLY | O_CLOEXEC) : -1;
    if (rc == 0 && fd < 0)
        rc = -errno;
    if (rc == 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
        rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
    if (rc == -EBUSY) {
        tell_busy(disk, number.text, why);
        return rc;
    }
    if (rc < 0) {
        str_clear(why);
        str_addf(why, "%s cannot be locked: %s", disk, err_text(rc));
        return rc;
    }
    ret_lease->file = write_holder(number.text, holder);
    ret_lease->fd = take_fd(&fd);
    return 0;
}

void lease_drop(struct lease *lease)
{
    if (lease->file) /* while the lock is held: the next holder writes its own */
        (void)unlink(lease->file);
    free(lease->file);
    if (lease->fd >= 0)
        (void)close(lease->fd);
    *lease = (struct lease){.fd = -1};
}
