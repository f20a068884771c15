#include "device/leaf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

#define LEAF_DEPTH_MAX 8 /* crypt on LVM on RAID on partitions is 4 */

#define LEAF_VISITS_MAX 1024 /* a recorded tree may lead a million ways to one disk */

struct folders {
    char **list; /* NULL-ended once not empty */
    size_t count;
    size_t visits; /* on the way down to them */
};

static void folders_done(struct folders *folders)
{
    folders->list = leaf_free(folders->list);
    *folders = (struct folders){0};
}

/* Takes `folder`; one that is known already is dropped. */
static int folders_take(struct folders *folders, char *folder)
{
    for (size_t i = 0; i < folders->count; i++) {
        if (strcmp(folders->list[i], folder) == 0) {
            free(folder);
            return 0;
        }
    }
    if (folders->count == LEAF_MAX) {
        free(folder);
        return -E2BIG;
    }
    folders->list = mem_grow(folders->list, folders->count + 2, sizeof *folders->list);
    folders->list[folders->count++] = folder;
    folders->list[folders->count] = NULL;
    return 0;
}

static char **folders_give(struct folders *folders)
{
    char **list = folders->list ? folders->list : mem_new(1, sizeof *list);
    *folders = (struct folders){0};
    return list;
}

char **leaf_free(char **folders)
{
    return sysfs_list_free(folders);
}

/* Recorded trees may lack sys/dev/block: then the number is looked for among all block devices. */
static int search_folder(const char *root, const char *number, char **ret_folder)
{
    AUTO_FREE char *class = NULL;
    int rc = sysfs_resolve(root, "/sys/class/block", &class);
    char **names = NULL;
    if (rc == 0)
        rc = sysfs_list(class, &names);
    if (rc < 0)
        return rc;
    rc = -ENOENT;
    for (char **name = names; *name && rc == -ENOENT; name++) {
        AUTO_FREE char *folder = NULL;
        AUTO(str_done) struct str text = {0};
        if (sysfs_follow(root, class, *name, &folder) < 0 || sysfs_text(folder, "dev", &text) < 0)
            continue;
        if (strcmp(str_text(&text), number) == 0) {
            *ret_folder = take_pointer(&folder);
            rc = 0;
        }
    }
    sysfs_list_free(names);
    return rc;
}

int leaf_folder(const char *root, unsigned major, unsigned minor, char **ret_folder)
{
    AUTO(str_done) struct str path = {0}, number = {0};
    str_addf(&number, "%u:%u", major, minor);
    str_addf(&path, "/sys/dev/block/%s", number.text);
    if (sysfs_resolve(root, path.text, ret_folder) == 0)
        return 0;
    return search_folder(root, number.text, ret_folder);
}

int leaf_named(const char *root, unsigned major, unsigned minor, const char *name,
               char **ret_folder)
{
    AUTO_FREE char *folder = NULL;
    int rc = leaf_folder(root, major, minor, &folder);
    if (rc < 0 || strcmp(sysfs_base(folder), name) != 0)
        return -ENODEV;
    *ret_folder = take_pointer(&folder);
    return 0;
}

static int descend(const char *root, const char *folder, unsigned depth, struct folders *leaves);

/* dm and md list the devices they stand on as links in slaves/. */
static int descend_slaves(const char *root, const char *slaves, char **names, unsigned depth,
                          struct folders *leaves)
{
    for (char **name = names; *name; name++) {
        AUTO_FREE char *below = NULL;
        int rc = sysfs_follow(root, slaves, *name, &below);
        if (rc == 0)
            rc = descend(root, below, depth + 1, leaves);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int descend(const char *root, const char *folder, unsigned depth, struct folders *leaves)
{
    if (depth > LEAF_DEPTH_MAX || ++leaves->visits > LEAF_VISITS_MAX)
        return -ELOOP;
    AUTO_FREE char *disk = mem_copy_text(folder);
    if (sysfs_has(disk, "partition"))
        *strrchr(disk, '/') = '\0';
    AUTO(str_done) struct str slaves = {0};
    str_addf(&slaves, "%s/slaves", disk);
    char **names = NULL;
    if (sysfs_list(slaves.text, &names) == 0 && names[0]) {
        int rc = descend_slaves(root, slaves.text, names, depth, leaves);
        sysfs_list_free(names);
        return rc;
    }
    sysfs_list_free(names);
    return folders_take(leaves, take_pointer(&disk));
}

int leaf_of_number(const char *root, unsigned major, unsigned minor, char ***ret_folders)
{
    AUTO_FREE char *folder = NULL;
    int rc = leaf_folder(root, major, minor, &folder);
    return rc < 0 ? rc : leaf_of_folder(root, folder, ret_folders);
}

int leaf_of_folder(const char *root, const char *folder, char ***ret_folders)
{
    AUTO(folders_done) struct folders leaves = {0};
    int rc = descend(root, folder, 0, &leaves);
    if (rc == 0)
        *ret_folders = folders_give(&leaves);
    return rc;
}

/* Does the device folder answer to the name a mount's source bears: kernel name or dm name? */
static bool is_called(const char *folder, const char *source)
{
    const char *name = sysfs_base(source);
    if (strcmp(sysfs_base(folder), name) == 0)
        return true;
    AUTO(str_done) struct str mapped = {0};
    return sysfs_text(folder, "dm/name", &mapped) == 0 && strcmp(str_text(&mapped), name) == 0;
}

/* The members of one btrfs; *ret_is_called: one of them is the mount's source. */
static int btrfs_members(const char *root, const char *class, const char *uuid, const char *source,
                         struct folders *members, bool *ret_is_called)
{
    AUTO(str_done) struct str devices = {0};
    str_addf(&devices, "%s/%s/devices", class, uuid);
    char **names = NULL;
    int rc = sysfs_list(devices.text, &names);
    bool is_ours = false;
    for (char **name = names; name && *name && rc == 0; name++) {
        char *folder = NULL;
        rc = sysfs_follow(root, devices.text, *name, &folder);
        if (rc == 0) {
            is_ours = is_ours || is_called(folder, source);
            rc = folders_take(members, folder);
        }
    }
    sysfs_list_free(names);
    if (rc == 0)
        *ret_is_called = is_ours;
    return rc;
}

/* btrfs has numbers of its own (major 0), and no text names the UUID of a mount: its source does,
 * or there is only one (a source of /dev/root). */
static int find_btrfs(const char *root, const char *source, struct folders *ret_members)
{
    AUTO_FREE char *class = NULL;
    char **uuids = NULL;
    if (sysfs_resolve(root, "/sys/fs/btrfs", &class) < 0 || sysfs_list(class, &uuids) < 0)
        return 0;
    AUTO(folders_done) struct folders only = {0};
    size_t count = 0;
    bool is_found = false;
    for (char **uuid = uuids; *uuid && !is_found; uuid++) {
        AUTO(folders_done) struct folders members = {0};
        if (btrfs_members(root, class, *uuid, source, &members, &is_found) < 0)
            continue; /* "features" is no file system */
        count++;
        if (is_found || count == 1) {
            folders_done(&only);
            only = members;
            members = (struct folders){0};
        }
    }
    sysfs_list_free(uuids);
    if (is_found || count == 1) {
        *ret_members = only;
        only = (struct folders){0};
    }
    return 0;
}

static int find_members(const char *root, const struct mount_entry *entry, struct folders *members)
{
    if (entry->major == 0)
        return strcmp(entry->filesystem, "btrfs") == 0 ? find_btrfs(root, entry->source, members)
                                                       : 0;
    char *folder = NULL;
    int rc = leaf_folder(root, entry->major, entry->minor, &folder);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc; /* a disk that was pulled leaves its mount behind */
    return folders_take(members, folder);
}

int leaf_members(const char *root, const struct mount_entry *entry, char ***ret_folders)
{
    AUTO(folders_done) struct folders members = {0};
    int rc = find_members(root, entry, &members);
    if (rc == 0)
        *ret_folders = folders_give(&members);
    return rc;
}

int leaf_of_mount(const char *root, const struct mount_table *table,
                  const struct mount_entry *entry, char ***ret_folders)
{
    AUTO(folders_done) struct folders members = {0}, leaves = {0};
    const struct mount_entry *backing = mount_backing(table, entry);
    int rc = backing ? find_members(root, backing, &members) : 0;
    for (size_t i = 0; i < members.count && rc == 0; i++)
        rc = descend(root, members.list[i], 0, &leaves);
    if (rc == 0)
        *ret_folders = folders_give(&leaves);
    return rc;
}
