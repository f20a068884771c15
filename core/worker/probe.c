#include "worker/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "device/mmc.h"
#include "device/mode.h"
#include "device/mount.h"
#include "device/node.h"
#include "device/superblock.h"
#include "device/sysfs.h"
#include "run/guard.h"
#include "wire/channel.h"
#include "worker/ports.h"
#include "worker/row.h"

#define PROBE_LIMIT_S 10 /* backstop for an asker that died; a living one kills us at 2 s */
#define IOS_TEXT_MAX 4096
#define LOG_RECORDS_MAX 100000
#define LOG_RECORD_BYTES 8192

/* Fills the pairs of one row, or returns a negative errno with a clause in `why`. */
typedef int (*probe_fn)(const char *argument, struct str *row, struct str *why);

static void add_number(struct str *row, const char *key, uint64_t value)
{
    str_add_pairf(row, key, "%llu", (unsigned long long)value);
}

static int filesystem_of(int dirfd, struct str *into)
{
    AUTO(mount_table_done) struct mount_table table = {0};
    uint64_t id = 0;
    int rc = mount_id_of(dirfd, &id);
    if (rc == 0)
        rc = mount_read("", &table);
    const struct mount_entry *entry = rc == 0 ? mount_by_id(&table, id) : NULL;
    if (!entry)
        return rc < 0 ? rc : -ENOENT;
    str_add(into, entry->filesystem);
    return 0;
}

static int probe_room(const char *folder, struct str *row, struct str *why)
{
    AUTO_CLOSE int dirfd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(str_done) struct str filesystem = {0};
    struct statvfs about;
    uint64_t available = 0;
    int rc = dirfd < 0 ? -errno : filesystem_of(dirfd, &filesystem);
    if (rc == 0)
        rc = guard_room(dirfd, filesystem.text, &about, &available);
    if (rc < 0) {
        str_add(why, err_text(rc));
        return rc;
    }
    uint64_t unit = about.f_frsize ? about.f_frsize : about.f_bsize;
    bool is_read_only = (about.f_flag & ST_RDONLY) != 0;
    str_add_pair(row, "folder", folder);
    str_add_pair(row, "filesystem", filesystem.text);
    add_number(row, "free_bytes", available);
    add_number(row, "largest_bytes", is_read_only ? 0 : guard_largest(available));
    add_number(row, "total_bytes", about.f_blocks * unit);
    add_number(row, "max_file_bytes", guard_max_file_bytes(filesystem.text));
    str_add_pair(row, "read_only", is_read_only ? "true" : "false");
    str_add_pair(row, "tmpfile", !is_read_only && guard_tries_tmpfile(dirfd) ? "true" : "false");
    return 0;
}

/* What a device holds, for the question before it is mounted. It is held for that long, so that a
 * mounted one is never looked at behind its file system's back. */
static int probe_content(const char *name, struct str *row, struct str *why)
{
    static const char *const words[] = {[SUPERBLOCK_UNKNOWN] = "unknown",
                                        [SUPERBLOCK_BLANK] = "blank",
                                        [SUPERBLOCK_FILESYSTEM] = "filesystem",
                                        [SUPERBLOCK_OTHER] = "other"};
    AUTO(str_done) struct str node = {0}, text = {0}, number = {0};
    AUTO_FREE char *folder = NULL;
    AUTO_CLOSE int fd = -1;
    struct superblock block;
    unsigned major, minor;
    bool is_name = !strchr(name, '/') && name[0] != '.';
    int rc = is_name ? sysfs_follow("", "/sys/class/block", name, &folder) : -EINVAL;
    if (rc == 0)
        rc = sysfs_text(folder, "dev", &number);
    if (rc == 0)
        rc = node_number(str_text(&number), number.size, &major, &minor);
    if (rc == 0)
        node_path(folder, &node);
    if (rc == 0)
        rc = node_open(node.text, major, minor, O_RDONLY | O_EXCL, &fd);
    off_t size = rc == 0 ? lseek(fd, 0, SEEK_END) : 0;
    if (rc == 0)
        rc = size < 0 ? -errno : superblock_read(fd, (uint64_t)size, &block);
    if (rc < 0) {
        str_addf(why, "cannot look at %s: %s", name, err_text(rc));
        return rc;
    }
    str_add_pair(row, "device", name);
    str_add_pair(row, "content", words[block.content]);
    superblock_describe(&block, &text);
    str_add_pair(row, "text", text.text);
    str_clear(&text);
    if (block.content == SUPERBLOCK_FILESYSTEM)
        superblock_warn(&block, &text);
    else if (block.content == SUPERBLOCK_BLANK)
        superblock_mkfs(node.text, &text);
    if (text.size)
        str_add_pair(row, block.content == SUPERBLOCK_BLANK ? "mkfs" : "warning", text.text);
    return 0;
}

/* The host ("mmc0") of a block device, or itself. */
static int find_host(const char *name, struct str *host)
{
    if (strchr(name, '/') || name[0] == '.')
        return -EINVAL;
    AUTO(str_done) struct str path = {0};
    AUTO_FREE char *folder = NULL;
    str_addf(&path, "/sys/class/block/%s", name);
    int rc = sysfs_resolve("", path.text, &folder);
    if (rc < 0) {
        str_clear(&path);
        str_addf(&path, "/sys/class/mmc_host/%s", name);
        rc = sysfs_resolve("", path.text, &folder);
    }
    return rc < 0 ? rc : mmc_host_of(folder, host);
}

/* All records the kernel still has; each read gives one. */
static int read_log(const char *host, struct mode_log *log)
{
    AUTO_CLOSE int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    for (unsigned count = 0; count < LOG_RECORDS_MAX; count++) {
        char record[LOG_RECORD_BYTES];
        ssize_t size = read(fd, record, sizeof record);
        if (size < 0 && (errno == EPIPE || errno == EINTR)) /* some were overwritten meanwhile */
            continue;
        if (size <= 0)
            return size < 0 && errno != EAGAIN ? -errno : 0;
        mode_take_line(log, host, record, (size_t)size);
    }
    return 0;
}

static int read_ios(const char *host, struct mmc_ios *ret_ios)
{
    AUTO(str_done) struct str path = {0}, text = {0};
    str_addf(&path, "/sys/kernel/debug/%s/ios", host);
    int rc = file_read(path.text, IOS_TEXT_MAX, &text);
    return rc < 0 ? rc : mmc_ios_parse(str_text(&text), text.size, ret_ios);
}

static void add_ios(const struct mmc_ios *ios, struct str *row)
{
    const char *mode = mmc_ios_mode(ios);
    double ceiling = mmc_ios_ceiling(ios);
    add_number(row, "clock_hz", ios->clock_hz);
    add_number(row, "actual_hz", ios->actual_hz);
    add_number(row, "width", ios->width);
    if (ios->timing != MMC_TIMING_UNKNOWN)
        add_number(row, "timing", ios->timing);
    if (mode)
        str_add_pair(row, "mode", mode);
    if (ceiling > 0)
        str_add_pairf(row, "ceiling", "%.0f", ceiling);
    str_add_pair(row, "source", "debugfs");
}

/* The negotiated mode: debugfs tells it exactly; else the line the kernel logged when the card
 * came. Neither asks the card. */
static int probe_mmc(const char *name, struct str *row, struct str *why)
{
    AUTO(str_done) struct str host = {0};
    AUTO(mode_log_done) struct mode_log log = {0};
    struct mmc_ios ios;
    int rc = find_host(name, &host);
    if (rc < 0) {
        str_add(why, rc == -ENODEV ? "it is no MMC or SD card" : err_text(rc));
        return rc;
    }
    int debugfs = read_ios(host.text, &ios), kernel_log = read_log(host.text, &log);
    if (debugfs < 0 && kernel_log < 0) {
        str_addf(why,
                 "cannot read /sys/kernel/debug/%s/ios (needs root and debugfs): %s; nor the "
                 "kernel log: %s",
                 host.text, err_text(debugfs), err_text(kernel_log));
        return debugfs;
    }
    str_add_pair(row, "device", name);
    str_add_pair(row, "host", host.text);
    if (debugfs == 0)
        add_ios(&ios, row);
    else if (log.mode[0]) {
        str_add_pair(row, "mode", log.mode);
        str_add_pair(row, "source", "kernel log");
    }
    if (log.error)
        str_add_pair(row, "kernel_error", log.error);
    return 0;
}

/* All network ports, one row each: most of what can be told of one comes in a single answer for
 * all. */
static int probe_ports(const char *argument, struct str *row, struct str *why)
{
    (void)argument;
    int rc = ports_send();
    if (rc < 0) {
        str_addf(why, "cannot ask the kernel for its network ports: %s", err_text(rc));
        return rc;
    }
    str_add_pairf(row, "ports", "%d", rc);
    return 0;
}

static const struct {
    const char *kind;
    probe_fn fn;
    const char *argument;
} probes[] = {
    {"room", probe_room, "FOLDER"},
    {"mmc", probe_mmc, "NAME"},
    {"content", probe_content, "NAME"},
    {"ports", probe_ports, "all"},
};

static int answer(probe_fn fn, const char *argument)
{
    AUTO(str_done) struct str row = {0}, why = {0};
    int rc = fn(argument, &row, &why);
    if (rc < 0) { /* a row as well, so that the asker need not guess from our status */
        str_clear(&row);
        str_add_pair(&row, "error", err_name(rc));
        str_add_pair(&row, "why", str_text(&why));
    }
    int sent = row_send(&row);
    if (sent < 0)
        (void)fprintf(stderr, "iodyno-worker: cannot answer on descriptor %d: %s\n", CHANNEL_FD,
                      err_text(sent));
    return rc < 0 || sent < 0 ? 1 : 0;
}

int probe_main(int argc, char **argv)
{
    (void)alarm(PROBE_LIMIT_S);
    for (size_t i = 0; argc == 4 && i < ARRAY_SIZE(probes); i++)
        if (strcmp(argv[2], probes[i].kind) == 0)
            return answer(probes[i].fn, argv[3]);
    (void)fprintf(stderr, "usage:");
    for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
        (void)fprintf(stderr, "%s iodyno-worker --probe %s %s\n", i ? "      " : "", probes[i].kind,
                      probes[i].argument);
    return 2;
}
