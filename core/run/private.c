#include "run/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "device/leaf.h"
#include "device/mount.h"
#include "device/node.h"
#include "device/superblock.h"
#include "device/sysfs.h"

#define SWAPS_TEXT_MAX 65536

/* Folders that exist nearly everywhere and hold nothing this program needs. In the own namespace an
 * empty one is laid over the first of them: a read-only root needs no new folder, and none stays.
 */
static const char *const bases[] = {"/mnt", "/media", "/srv", "/tmp"};

/* Copies of mounts that are kept beside "/": what programs and libraries may still be read from. */
static const char *const kept[] = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt"};

struct place { /* the device */
    const struct private_request *request;
    char *folder; /* in sysfs */
    struct str node;
    int fd; /* keeps number and name from passing to another device until it is mounted; -1 */
    struct superblock block;
};

static void place_done(struct place *place)
{
    free(place->folder);
    str_done(&place->node);
    if (place->fd >= 0)
        (void)close(place->fd);
}

static int refuse(int code, const struct place *place, const char *clause, struct str *why)
{
    str_clear(why);
    str_addf(why, "%s %s", place->request->id, clause);
    return code;
}

static int refuse_errno(int code, const struct place *place, const char *what, struct str *why)
{
    AUTO(str_done) struct str clause = {0};
    str_addf(&clause, "%s: %s", what, err_text(code));
    return refuse(code, place, clause.text, why);
}

static int needs_root(const struct place *place, struct str *why)
{
    return refuse(-EPERM, place,
                  "is not mounted, and to mount it for a run takes root (CAP_SYS_ADMIN): run as "
                  "root, or mount it and name the folder",
                  why);
}

/* ---- who holds it */

static bool is_swap(const struct place *place)
{
    AUTO(str_done) struct str text = {0}, path = {0}, line = {0};
    str_addf(&path, "%s/proc/swaps", place->request->root);
    str_addf(&line, "%s ", place->node.text);
    const char *at = file_read(path.text, SWAPS_TEXT_MAX, &text) == 0 ? text.text : NULL;
    for (; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (str_starts(at, line.text))
            return true;
    return false;
}

static int refuse_busy(const struct place *place, struct str *why)
{
    AUTO(str_done) struct str path = {0}, clause = {0};
    char **holders = NULL;
    str_addf(&path, "%s/holders", place->folder);
    str_add(&clause, "is in use: ");
    bool has_holder = sysfs_list(path.text, &holders) == 0 && holders[0];
    if (has_holder)
        str_addf(&clause, "it is a part of %s", holders[0]);
    else if (is_swap(place))
        str_add(&clause, "it is swap space");
    else
        str_add(&clause, "another program holds it, or it is mounted where this one cannot see it");
    sysfs_list_free(holders);
    return refuse(-EBUSY, place, clause.text, why);
}

/* ---- what is on it */

static int refuse_content(const struct place *place, struct str *why)
{
    AUTO(str_done) struct str clause = {0};
    if (place->block.content == SUPERBLOCK_BLANK) {
        str_add(&clause, "is blank, it holds no file system, and iodyno never makes one; to make "
                         "one, which destroys whatever may be on it: ");
        superblock_mkfs(place->node.text, &clause);
        return refuse(-ENODATA, place, clause.text, why);
    }
    str_add(&clause, "holds ");
    superblock_describe(&place->block, &clause);
    str_add(&clause,
            place->block.content == SUPERBLOCK_FILESYSTEM
                ? ", which can only be read"
                : ": no file system that could be mounted, and nothing is ever written raw");
    return refuse(place->block.content == SUPERBLOCK_FILESYSTEM ? -EROFS : -EMEDIUMTYPE, place,
                  clause.text, why);
}

static int find(struct place *place)
{
    const struct private_request *request = place->request;
    int rc = leaf_named(request->root, request->major, request->minor, request->id, &place->folder);
    if (rc < 0)
        return rc;
    node_path(place->folder, &place->node);
    return node_open(place->node.text, request->major, request->minor, O_RDONLY, &place->fd);
}

/* Nobody else may hold the device while it is looked at; what is seen is what will be mounted. */
static int look(struct place *place, struct str *why)
{
    const struct private_request *request = place->request;
    AUTO_CLOSE int fd = -1;
    int rc = find(place);
    if (rc == 0)
        rc = node_open(place->node.text, request->major, request->minor, O_RDONLY | O_EXCL, &fd);
    if (rc == -EBUSY)
        return refuse_busy(place, why);
    if (rc == -EACCES || (rc == -EPERM && geteuid() != 0))
        return needs_root(place, why);
    if (rc == -ENODEV || rc == -ENXIO || rc == -ENOENT)
        return refuse(-ENODEV, place, "is no longer there", why);
    if (rc == -ENOMEDIUM)
        return refuse(rc, place, "has no medium", why);
    if (rc < 0)
        return refuse_errno(rc, place, "cannot be opened", why);
    off_t size = lseek(fd, 0, SEEK_END);
    rc = size < 0 ? -errno : superblock_read(fd, (uint64_t)size, &place->block);
    if (rc < 0)
        return refuse_errno(rc, place, "cannot be read", why);
    bool is_fit = place->block.content == SUPERBLOCK_FILESYSTEM &&
                  (!place->block.is_read_only || request->is_read_only);
    return is_fit ? 0 : refuse_content(place, why);
}

static int ask_for_word(const struct place *place, struct str *why)
{
    const struct private_request *request = place->request;
    AUTO(str_done) struct str clause = {0};
    str_add(&clause, "is not mounted; it holds ");
    superblock_describe(&place->block, &clause);
    str_add(&clause, " (");
    superblock_warn(&place->block, &clause);
    str_addf(&clause,
             "). iodyno would mount it where only this run sees it (nosuid,nodev,noexec) and "
             "unmount it at the end; to agree, add --confirm=%s",
             request->id);
    (void)refuse(-EPERM, place, clause.text, why);
    if (request->confirmed) {
        AUTO(str_done) struct str rest = {0};
        str_add(&rest, why->text);
        str_clear(why);
        str_add(why, "--confirm=");
        str_add_clean(why, request->confirmed, strlen(request->confirmed));
        str_addf(why, " names something else: %s", rest.text);
    }
    return -EPERM;
}

/* ---- the namespace */

static bool is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

static bool is_kept(const char *point, const char *program)
{
    if (strcmp(point, "/") == 0 || is_below(program, point))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        if (is_below(point, kept[i]))
            return true;
    return false;
}

static void own_program(char path[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
}

/* The copies of the other disks' mounts would keep those disks busy for as long as this run takes,
 * whatever is unmounted outside. */
static void drop_copies(void)
{
    AUTO(mount_table_done) struct mount_table table = {0};
    char program[PATH_MAX];
    own_program(program);
    if (mount_read("", &table) < 0)
        return;
    for (size_t i = table.count; i > 0; i--) {
        const struct mount_entry *entry = &table.entries[i - 1];
        if (str_starts(entry->source, "/dev/") && !is_kept(entry->point, program))
            (void)umount2(entry->point, MNT_DETACH | UMOUNT_NOFOLLOW);
    }
}

static int enter_namespace(const struct place *place, struct str *why)
{
    if (unshare(CLONE_NEWNS) < 0) {
        int rc = -errno;
        return rc == -EPERM ? needs_root(place, why)
                            : refuse_errno(rc, place, "cannot be mounted privately", why);
    }
    /* Before anything else: from here on nothing mounted or unmounted is seen outside. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return refuse_errno(-errno, place, "cannot be mounted privately", why);
    drop_copies();
    return 0;
}

/* An empty folder of our own, named as the device is. */
static int make_point(const struct place *place, struct str *point, struct str *why)
{
    char program[PATH_MAX];
    int rc = -ENOENT;
    own_program(program);
    for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
        if (is_below(program, bases[i]))
            continue;
        if (mount("iodyno", bases[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                  "size=64k,nr_inodes=16,mode=700") < 0) {
            rc = -errno;
            continue;
        }
        str_clear(point);
        str_addf(point, "%s/%s", bases[i], sysfs_base(place->folder));
        if (mkdir(point->text, 0700) == 0)
            return 0;
        rc = -errno;
    }
    return refuse_errno(rc, place, "cannot be mounted: there is no empty folder for it", why);
}

/* ---- the mount */

static const char *mount_clause(int code)
{
    switch (code) {
    case -EPERM:
        return "cannot be mounted: this takes root (CAP_SYS_ADMIN)";
    case -EROFS:
    case -EACCES:
        return "cannot be mounted for writing: the device is read-only";
    case -EINVAL:
    case -EUCLEAN:
    case -EIO:
        return "cannot be mounted: its file system is damaged, or of a kind this kernel cannot "
               "mount (look at the kernel log; fsck -n looks at it without changing it)";
    default:
        return NULL;
    }
}

/* A driver of an older name may be all that this kernel has, or the newer one serves both. */
static int mount_as_known(const struct place *place, const char *point, unsigned long flags)
{
    static const char *const also[][2] = {{"ext2", "ext4"}, {"ext3", "ext4"}, {"ntfs3", "ntfs"}};
    int rc = mount(place->node.text, point, place->block.type, flags, NULL) < 0 ? -errno : 0;
    for (size_t i = 0; rc == -ENODEV && i < ARRAY_SIZE(also); i++)
        if (strcmp(place->block.type, also[i][0]) == 0)
            rc = mount(place->node.text, point, also[i][1], flags, NULL) < 0 ? -errno : 0;
    return rc;
}

/* Whoever may change /dev can still have given the name to another device since the look. */
static bool is_of_device(const struct place *place, const char *point)
{
    AUTO(mount_table_done) struct mount_table table = {0};
    AUTO_CLOSE int fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint64_t id = 0;
    char **members = NULL;
    bool is = false;
    if (fd < 0 || mount_id_of(fd, &id) < 0 || mount_read("", &table) < 0)
        return false;
    const struct mount_entry *entry = mount_by_id(&table, id);
    if (!entry || leaf_members(place->request->root, entry, &members) < 0)
        return false;
    for (char **member = members; *member; member++)
        is = is || strcmp(*member, place->folder) == 0;
    leaf_free(members);
    return is;
}

static int do_mount(const struct place *place, const char *point, struct str *why)
{
    unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (place->request->is_read_only)
        flags |= MS_RDONLY;
    int rc = mount_as_known(place, point, flags);
    if (rc == -EBUSY)
        return refuse_busy(place, why);
    AUTO(str_done) struct str unknown = {0};
    str_addf(&unknown, "cannot be mounted: this kernel has no %s", place->block.type);
    const char *clause = rc == -ENODEV ? unknown.text : mount_clause(rc);
    if (rc < 0)
        return clause ? refuse(rc, place, clause, why)
                      : refuse_errno(rc, place, "cannot be mounted", why);
    if (is_of_device(place, point))
        return 0;
    (void)umount2(point, MNT_DETACH);
    return refuse(-ENODEV, place, "has become another device meanwhile", why);
}

static char *note_of(const struct place *place, const char *point)
{
    struct str note = {0};
    superblock_describe(&place->block, &note);
    str_addf(&note, " of %s, where only this run sees it, at %s (nosuid,nodev,noexec%s)",
             place->node.text, point, place->request->is_read_only ? ",ro" : "");
    if (place->block.journal == SUPERBLOCK_OPEN)
        str_add(&note, "; its journal was open, and the mount replayed it");
    if (place->block.is_dirty)
        str_add(&note, "; it had not been unmounted in order");
    return str_take(&note);
}

int private_mount(const struct private_request *request, struct private_mount *ret_mount,
                  struct str *why)
{
    AUTO(place_done) struct place place = {.request = request, .fd = -1};
    AUTO(str_done) struct str point = {0};
    int rc = look(&place, why);
    if (rc < 0)
        return rc;
    if (!request->confirmed || strcmp(request->confirmed, request->id) != 0)
        return ask_for_word(&place, why);
    rc = enter_namespace(&place, why);
    if (rc == 0)
        rc = make_point(&place, &point, why);
    if (rc == 0)
        rc = do_mount(&place, point.text, why);
    if (rc < 0)
        return rc;
    ret_mount->note = note_of(&place, point.text);
    ret_mount->point = str_take(&point);
    return 0;
}

void private_unmount(struct private_mount *mount)
{
    /* Who still uses it is this process or its children: they end next, and the mount with them. */
    if (mount->point && umount2(mount->point, 0) < 0)
        (void)umount2(mount->point, MNT_DETACH);
    free(mount->point);
    free(mount->note);
    *mount = (struct private_mount){0};
}
