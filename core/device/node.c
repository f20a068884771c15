#include "device/node.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

int node_path(const char *folder, struct str *into)
{
    static const char key[] = "DEVNAME=";
    AUTO(str_done) struct str text = {0};
    int rc = sysfs_text(folder, "uevent", &text);
    const char *name = rc == 0 ? strstr(str_text(&text), key) : NULL;
    if (!name)
        return -ENODEV;
    name += sizeof key - 1;
    str_add(into, "/dev/");
    str_add_bytes(into, name, strcspn(name, "\n"));
    return 0;
}

int node_open(const char *path, unsigned major, unsigned minor, int flags, int *ret_fd)
{
    AUTO_CLOSE int fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    struct stat about;
    if (fstat(fd, &about) < 0 || !S_ISBLK(about.st_mode) || about.st_rdev != makedev(major, minor))
        return -ENODEV;
    *ret_fd = take_fd(&fd);
    return 0;
}
