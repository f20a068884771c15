#include "run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "device/board.h"
#include "device/leaf.h"
#include "device/mmc.h"
#include "device/node.h"
#include "device/sysfs.h"
#include "run/lease.h"

#define RESERVE_SHARE 20           /* 5 % of the size */
#define FAT_FILE_MAX 0xffffffffull /* its sizes have 32 bits */
#define LOGICAL_BLOCK_UNKNOWN 512

/* File systems that hold no data of their own: writing there means talking to the kernel. */
static const char *const pseudo[] = {
    "autofs",    "binder",  "binfmt_misc", "bpf",      "cgroup",   "cgroup2",    "configfs",
    "cpuset",    "debugfs", "devpts",      "devtmpfs", "efivarfs", "fusectl",    "hugetlbfs",
    "mqueue",    "nsfs",    "proc",        "pstore",   "resctrl",  "rpc_pipefs", "securityfs",
    "selinuxfs", "smackfs", "sysfs",       "tracefs",
};

static const char *const in_memory[] = {"tmpfs", "ramfs", "rootfs"};

static const struct {
    const char *filesystem;
    uint64_t max_file_bytes;
} limits[] = {{"vfat", FAT_FILE_MAX}, {"msdos", FAT_FILE_MAX}};

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

/* "FOLDER clause", the one sentence of a refusal. */
static int refuse(int code, const char *folder, const char *clause, struct str *why)
{
    str_clear(why);
    str_add_clean(why, folder, strlen(folder));
    str_addf(why, " %s", clause);
    return code;
}

static int refuse_errno(int code, const char *folder, const char *what, struct str *why)
{
    AUTO(str_done) struct str clause = {0};
    str_addf(&clause, "%s: %s", what, err_text(code));
    return refuse(code, folder, clause.text, why);
}

static uint64_t reserve_of(uint64_t size)
{
    uint64_t share = size / RESERVE_SHARE;
    return share > GUARD_RESERVE_MIN ? share : GUARD_RESERVE_MIN;
}

static bool fits(uint64_t size, uint64_t available)
{
    uint64_t reserve = reserve_of(size);
    return reserve <= available && size <= available - reserve;
}

uint64_t guard_largest(uint64_t available)
{
    if (available <= GUARD_RESERVE_MIN)
        return 0;
    /* Where the minimum reserve is the larger one, else 20/21 of it all; the last steps are those
     * rounding left over. */
    uint64_t size = available - GUARD_RESERVE_MIN;
    if (!fits(size, available))
        size = available / (RESERVE_SHARE + 1) * RESERVE_SHARE;
    while (fits(size + 1, available))
        size++;
    return size;
}

uint64_t guard_max_file_bytes(const char *filesystem)
{
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
        if (strcmp(filesystem, limits[i].filesystem) == 0)
            return limits[i].max_file_bytes;
    return 0;
}

int guard_room(int dirfd, const char *filesystem, struct statvfs *ret_about,
               uint64_t *ret_available)
{
    struct statvfs about;
    if (fstatvfs(dirfd, &about) < 0)
        return -errno;
    uint64_t unit = about.f_frsize ? about.f_frsize : about.f_bsize;
    uint64_t available = about.f_bavail;
    available = unit && available > UINT64_MAX / unit ? UINT64_MAX : available * unit;
    if (is_one_of(filesystem, in_memory, ARRAY_SIZE(in_memory))) {
        /* A full tmpfs may still be more than the machine can hold; one without a limit says 0. */
        uint64_t memory = board_memory_available("");
        if (memory > 0 && (available > memory || about.f_blocks == 0))
            available = memory;
    }
    *ret_about = about;
    *ret_available = available;
    return 0;
}

bool guard_tries_tmpfile(int dirfd)
{
#ifdef O_TMPFILE
    AUTO_CLOSE int fd = openat(dirfd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0;
#else
    (void)dirfd;
    return false;
#endif
}

/* "/media/card/" and "/media/card/." would follow a link that "/media/card" is. */
static char *plain_path(const char *folder)
{
    char *path = mem_copy_text(folder);
    for (size_t size = strlen(path); size > 1; size = strlen(path)) {
        if (path[size - 1] == '/')
            path[size - 1] = '\0';
        else if (path[size - 1] == '.' && path[size - 2] == '/')
            path[size - 1] = '\0';
        else
            break;
    }
    return path;
}

static int open_folder(const char *folder, int *ret_fd, struct str *why)
{
    if (!folder || folder[0] != '/')
        return refuse(-EINVAL, folder ? folder : "the target", "is no absolute path", why);
    AUTO_FREE char *path = plain_path(folder);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 ? -errno : 0;
    struct stat about;
    /* With O_DIRECTORY the kernel calls a link "not a directory". */
    if ((rc == -ENOTDIR || rc == -ELOOP) && lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
        return refuse(-ELOOP, path, "is a symbolic link: name the folder it leads to", why);
    if (rc == -ENOENT)
        return refuse(rc, path, "does not exist", why);
    if (rc == -ENOTDIR)
        return refuse(rc, path, "is not a folder", why);
    if (rc < 0)
        return refuse_errno(rc, path, "cannot be opened", why);
    *ret_fd = take_fd(&fd);
    return 0;
}

static int find_mount(const char *root, const char *folder, int dirfd, struct mount_table *table,
                      const struct mount_entry **ret_entry, struct str *why)
{
    uint64_t id = 0;
    int rc = mount_id_of(dirfd, &id);
    if (rc == 0)
        rc = mount_read(root, table);
    if (rc < 0)
        return refuse_errno(rc, folder, "cannot be found in the mount table", why);
    *ret_entry = mount_by_id(table, id);
    return *ret_entry ? 0 : refuse(-ENOENT, folder, "is on no mount this process can see", why);
}

static int check_kind(const struct guard_request *request, const struct mount_entry *entry,
                      struct str *why)
{
    AUTO(str_done) struct str clause = {0};
    if (is_one_of(entry->filesystem, pseudo, ARRAY_SIZE(pseudo))) {
        str_addf(&clause, "is on %s, which holds no files of its own", entry->filesystem);
        return refuse(-EPERM, request->folder, clause.text, why);
    }
    if (entry->is_read_only && request->will_write) {
        str_add(&clause, "is mounted read-only (");
        str_add_clean(&clause, entry->filesystem, strlen(entry->filesystem));
        str_add(&clause, " at ");
        str_add_clean(&clause, entry->point, strlen(entry->point));
        str_add(&clause, ")");
        return refuse(-EROFS, request->folder, clause.text, why);
    }
    return 0;
}

/* Refuses hardware areas, takes block size and the `stat` files of the leaf disks. */
static int take_leaves(const struct guard_request *request, char **leaves,
                       struct guard_scope *scope, struct str *why)
{
    size_t count = 0;
    while (leaves[count])
        count++;
    scope->leaf_stat = mem_new(count + 1, sizeof *scope->leaf_stat);
    for (size_t i = 0; i < count; i++) {
        if (mmc_is_area(sysfs_base(leaves[i])))
            return refuse(-EPERM, request->folder, "is on a hardware area of an eMMC", why);
        uint64_t block = 0;
        if (sysfs_number(leaves[i], "queue/logical_block_size", &block) == 0 &&
            block > scope->logical_block && block <= UINT32_MAX)
            scope->logical_block = (uint32_t)block;
        struct str path = {0};
        str_addf(&path, "%s/stat", leaves[i]);
        scope->leaf_stat[i] = str_take(&path);
    }
    return 0;
}

static int check_access(const struct guard_request *request, int dirfd, struct str *why)
{
    if (!request->will_write || faccessat(dirfd, ".", W_OK | X_OK, AT_EACCESS) == 0)
        return 0;
    int rc = -errno;
    if (rc == -EROFS)
        return refuse(rc, request->folder, "is read-only", why);
    if (rc == -EACCES)
        return refuse(rc, request->folder, "is not writable for this user", why);
    return refuse_errno(rc, request->folder, "cannot be written to", why);
}

static int check_room(const struct guard_request *request, uint64_t available, struct str *why)
{
    if (!request->will_write || fits(request->room_bytes, available))
        return 0;
    uint64_t size = request->room_bytes, reserve = reserve_of(size);
    AUTO(str_done) struct str clause = {0};
    str_addf(&clause, "has too little room: %s and a reserve of %s need %s, %s are free; ",
             units_bytes((double)size).text, units_bytes((double)reserve).text,
             units_bytes((double)size + (double)reserve).text, units_bytes((double)available).text);
    uint64_t largest = guard_largest(available) >> 20 << 20;
    if (largest > 0)
        str_addf(&clause, "the largest size that fits is %s (size=%s)",
                 units_bytes((double)largest).text, units_size_option(largest).text);
    else
        str_add(&clause, "no size fits");
    return refuse(-ENOSPC, request->folder, clause.text, why);
}

static int take_leases(const struct guard_request *request, char **leaves,
                       struct guard_scope *scope, struct str *why)
{
    size_t count = 0;
    while (leaves[count])
        count++;
    scope->leases = mem_new(count, sizeof *scope->leases);
    for (; scope->lease_count < count; scope->lease_count++) {
        int rc = lease_take(leaves[scope->lease_count], request->holder ? request->holder : "a run",
                            &scope->leases[scope->lease_count], why);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int fill_scope(const struct guard_request *request, const struct mount_table *table,
                      const struct mount_entry *entry, struct guard_scope *scope, struct str *why)
{
    const struct mount_entry *top = mount_by_point(table, "/");
    struct statvfs about;
    uint64_t available = 0;
    int rc = guard_room(scope->dirfd, entry->filesystem, &about, &available);
    if (rc < 0)
        return refuse_errno(rc, request->folder, "cannot tell its free room", why);
    rc = check_room(request, available, why);
    if (rc < 0)
        return rc;
    scope->filesystem = mem_copy_text(entry->filesystem);
    scope->free_bytes = guard_largest(available);
    scope->max_file_bytes = guard_max_file_bytes(entry->filesystem);
    scope->has_tmpfile = request->will_write && guard_tries_tmpfile(scope->dirfd);
    scope->is_root_filesystem = top && top->major == entry->major && top->minor == entry->minor;
    scope->major = entry->major;
    scope->minor = entry->minor;
    return 0;
}

/* What open() says of a block node, as a person understands it. */
static const char *raw_clause(int code)
{
    switch (code) {
    case -EPERM:
        return "cannot be read raw: the kernel forbids it here (the device rule of a container?)";
    case -EACCES:
        return "cannot be read raw: this user may not read it; root may";
    case -ENOMEDIUM:
        return "has no medium";
    case -ENXIO:
    case -ENODEV:
        return "is no longer there";
    case -EINVAL:
        return "cannot be read raw: it takes no direct I/O";
    default:
        return NULL;
    }
}

/* The node that the kernel names for this number; that it bears the number is checked on the open
 * descriptor, for the nodes in /dev are only names. */
static int open_raw(const struct guard_request *request, const char *folder,
                    struct guard_scope *scope, struct str *why)
{
    AUTO(str_done) struct str path = {0};
    AUTO_CLOSE int fd = -1;
    node_path(folder, &path);
    int rc = node_open(str_text(&path), request->raw_major, request->raw_minor, O_RDONLY | O_DIRECT,
                       &fd);
    const char *clause = raw_clause(rc);
    if (rc < 0)
        return clause ? refuse(rc, str_text(&path), clause, why)
                      : refuse_errno(rc, str_text(&path), "cannot be read raw", why);
    scope->raw_fd = take_fd(&fd);
    scope->raw_path = str_take(&path);
    return 0;
}

static int admit_raw(const struct guard_request *request, struct guard_scope *ret_scope,
                     struct str *why)
{
    AUTO(guard_release)
    struct guard_scope scope = {.dirfd = -1, .logical_block = LOGICAL_BLOCK_UNKNOWN};
    const char *root = request->root ? request->root : "";
    AUTO_FREE char *folder = NULL;
    char **leaves = NULL;
    str_clear(why);
    if (request->will_write)
        return refuse(-EPERM, request->target_id, "is never written to raw", why);
    scope.major = request->raw_major;
    scope.minor = request->raw_minor;
    int rc = leaf_named(root, scope.major, scope.minor, request->target_id, &folder);
    if (rc == 0)
        rc = leaf_of_number(root, scope.major, scope.minor, &leaves);
    if (rc < 0)
        return refuse(-ENODEV, request->target_id, "is no longer there", why);
    rc = take_leaves(request, leaves, &scope, why);
    if (rc == 0)
        rc = open_raw(request, folder, &scope, why);
    if (rc == 0 && request->is_exclusive)
        rc = take_leases(request, leaves, &scope, why);
    leaf_free(leaves);
    if (rc < 0)
        return rc;
    *ret_scope = scope;
    scope = (struct guard_scope){.dirfd = -1};
    return 0;
}

static int mount_privately(struct guard_request *request, struct guard_scope *scope,
                           struct str *why)
{
    const struct private_request wish = {.root = request->root ? request->root : "",
                                         .id = request->target_id,
                                         .major = request->raw_major,
                                         .minor = request->raw_minor,
                                         .confirmed = request->confirmed,
                                         .is_read_only = !request->will_write};
    char **leaves = NULL;
    int rc = leaf_of_number(wish.root, wish.major, wish.minor, &leaves);
    if (rc < 0)
        return refuse(-ENODEV, request->target_id, "is no longer there", why);
    /* First, for a mount would write into another run's figures. */
    if (request->is_exclusive)
        rc = take_leases(request, leaves, scope, why);
    leaf_free(leaves);
    if (rc == 0)
        rc = private_mount(&wish, &scope->private, why);
    request->folder = scope->private.point;
    return rc;
}

static int admit_folder(const struct guard_request *request, struct guard_scope *io_scope,
                        struct str *why)
{
    AUTO(guard_release) struct guard_scope scope = *io_scope;
    *io_scope = (struct guard_scope){.dirfd = -1};
    AUTO(mount_table_done) struct mount_table table = {0};
    const struct mount_entry *entry = NULL;
    const char *root = request->root ? request->root : "";
    int rc = open_folder(request->folder, &scope.dirfd, why);
    if (rc == 0)
        rc = find_mount(root, request->folder, scope.dirfd, &table, &entry, why);
    if (rc == 0)
        rc = check_kind(request, entry, why);
    if (rc < 0)
        return rc;
    char **leaves = NULL;
    rc = leaf_of_mount(root, &table, entry, &leaves);
    if (rc < 0)
        return refuse_errno(rc, request->folder, "cannot be traced to its disks", why);
    rc = take_leaves(request, leaves, &scope, why);
    if (rc == 0)
        rc = check_access(request, scope.dirfd, why);
    if (rc == 0)
        rc = fill_scope(request, &table, entry, &scope, why);
    if (rc == 0 && request->is_exclusive && !scope.leases)
        rc = take_leases(request, leaves, &scope, why);
    leaf_free(leaves);
    if (rc < 0)
        return rc;
    *io_scope = scope;
    scope = (struct guard_scope){.dirfd = -1};
    return 0;
}

int guard_admit(const struct guard_request *request, struct guard_scope *ret_scope, struct str *why)
{
    if (request->is_raw)
        return admit_raw(request, ret_scope, why);
    struct guard_request own = *request;
    AUTO(guard_release)
    struct guard_scope scope = {.dirfd = -1, .logical_block = LOGICAL_BLOCK_UNKNOWN};
    str_clear(why);
    int rc = request->is_private ? mount_privately(&own, &scope, why) : 0;
    if (rc == 0)
        rc = admit_folder(&own, &scope, why);
    if (rc < 0)
        return rc;
    *ret_scope = scope;
    scope = (struct guard_scope){.dirfd = -1};
    return 0;
}

/* The leases last: to unmount is to write, which would be in the figures of whoever gets them next.
 */
void guard_release(struct guard_scope *scope)
{
    if (scope->raw_path)
        (void)close(scope->raw_fd);
    free(scope->raw_path);
    if (scope->dirfd >= 0)
        (void)close(scope->dirfd);
    private_unmount(&scope->private);
    for (size_t i = 0; i < scope->lease_count; i++)
        lease_drop(&scope->leases[i]);
    free(scope->leases);
    leaf_free(scope->leaf_stat);
    free(scope->filesystem);
    *scope = (struct guard_scope){.dirfd = -1};
}
