#include "device/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"

#define MESSAGE_BYTES_MAX 8192
#define BUFFER_BYTES (1 << 20) /* a hub full of disks sends hundreds at once */
#define KERNEL_GROUP 1

/* Subsystems whose events can change what the inventory shows. */
static const char *const subsystems[] = {"block",    "mmc",  "mmc_host", "usb",  "scsi",
                                         "platform", "nvme", "mtd",      "typec"};

static void copy_value(const char *field, size_t size, const char *key, char into[UEVENT_TEXT_MAX])
{
    size_t key_size = strlen(key);
    if (size < key_size || memcmp(field, key, key_size) != 0 || size - key_size >= UEVENT_TEXT_MAX)
        return;
    memcpy(into, field + key_size, size - key_size);
    into[size - key_size] = '\0';
}

int uevent_parse(const char *bytes, size_t size, struct uevent *ret_event)
{
    struct uevent event = {.sequence = 0};
    const char *end = bytes + size, *stop = memchr(bytes, '\0', size);
    if (!stop || !memchr(bytes, '@', (size_t)(stop - bytes)))
        return -EINVAL; /* udev's own messages begin with "libudev" */
    for (const char *field = stop + 1; field < end; field = stop + 1) {
        char sequence[UEVENT_TEXT_MAX] = "";
        stop = memchr(field, '\0', (size_t)(end - field));
        stop = stop ? stop : end;
        size_t field_size = (size_t)(stop - field);
        copy_value(field, field_size, "ACTION=", event.action);
        copy_value(field, field_size, "SUBSYSTEM=", event.subsystem);
        copy_value(field, field_size, "DEVNAME=", event.name);
        copy_value(field, field_size, "SEQNUM=", sequence);
        if (sequence[0])
            (void)units_parse_u64(sequence, &event.sequence);
    }
    if (!event.action[0])
        return -EINVAL;
    *ret_event = event;
    return 0;
}

int uevent_open(int *ret_fd)
{
    AUTO_CLOSE int fd =
        socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0)
        return -errno;
    int bytes = BUFFER_BYTES;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) < 0)
        return -errno;
    *ret_fd = take_fd(&fd);
    return 0;
}

static bool concerns_us(const struct uevent *event)
{
    for (size_t i = 0; i < ARRAY_SIZE(subsystems); i++)
        if (strcmp(event->subsystem, subsystems[i]) == 0)
            return true;
    return false;
}

/* One message: 1 taken, 0 none waits, negative errno. */
static int take_one(int fd, uint64_t *sequence, enum uevent_news *news)
{
    char bytes[MESSAGE_BYTES_MAX];
    struct sockaddr_nl sender = {.nl_pid = 1};
    struct iovec piece = {bytes, sizeof bytes};
    struct msghdr message = {
        .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &piece, .msg_iovlen = 1};
    ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT);
    if (size < 0 && errno == ENOBUFS) {
        *news = UEVENT_STORAGE;
        *sequence = 0;
        return 1;
    }
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    struct uevent event;
    /* Any program may send to the group; only the kernel's port is 0. */
    if (message.msg_namelen != sizeof sender || sender.nl_pid != 0 ||
        uevent_parse(bytes, (size_t)size, &event) < 0)
        return 1;
    bool is_gap = *sequence > 0 && event.sequence > 0 && event.sequence > *sequence + 1;
    if (event.sequence > 0)
        *sequence = event.sequence;
    if (is_gap || concerns_us(&event) || (message.msg_flags & MSG_TRUNC))
        *news = UEVENT_STORAGE;
    return 1;
}

int uevent_take(int fd, unsigned most, uint64_t *sequence, enum uevent_news *ret_news)
{
    enum uevent_news news = UEVENT_NONE;
    int rc = 1;
    for (unsigned i = 0; i < most && rc == 1; i++)
        rc = take_one(fd, sequence, &news);
    *ret_news = news;
    return rc < 0 ? rc : 0;
}
