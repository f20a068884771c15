#include "device/placing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/leaf.h"
#include "device/mount.h"
#include "device/sysfs.h"

struct numbered {
    uint64_t number; /* major and minor */
    struct device *device;
};

struct placing {
    const char *root;
    struct numbered *by_number; /* sorted; those that have a number */
    struct device **by_folder;  /* the same; NULL until asked for: few mounts need it */
    size_t count;
    const struct mount_table *table;
    const struct mount_entry *last; /* without a number of its own, whose members are these */
    char **members;
};

static uint64_t number_of(unsigned major, unsigned minor)
{
    return (uint64_t)major << 32 | minor;
}

static int compare_folders(const void *a, const void *b)
{
    const struct device *left = *(struct device *const *)a, *right = *(struct device *const *)b;
    return strcmp(left->sysfs_path, right->sysfs_path);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct numbered *left = a, *right = b;
    return left->number == right->number ? 0 : left->number < right->number ? -1 : 1;
}

static struct device *find_folder(struct placing *placing, char *folder)
{
    if (!placing->by_folder) {
        placing->by_folder = mem_new(placing->count, sizeof(struct device *));
        for (size_t i = 0; i < placing->count; i++)
            placing->by_folder[i] = placing->by_number[i].device;
        qsort(placing->by_folder, placing->count, sizeof(struct device *), compare_folders);
    }
    struct device key = {.sysfs_path = folder}, *at = &key;
    struct device **found =
        bsearch(&at, placing->by_folder, placing->count, sizeof at, compare_folders);
    return found ? *found : NULL;
}

static struct device *find_number(const struct placing *placing, unsigned major, unsigned minor)
{
    const struct numbered key = {.number = number_of(major, minor)};
    const struct numbered *found =
        bsearch(&key, placing->by_number, placing->count, sizeof key, compare_numbers);
    return found ? found->device : NULL;
}

static void prepare(struct placing *placing, struct device *devices, size_t count)
{
    placing->by_number = mem_new(count + 1, sizeof *placing->by_number);
    for (size_t i = 0; i < count; i++) {
        struct device *device = &devices[i];
        if (device->sysfs_path && device->major != 0) /* no slot, no raw chip */
            placing->by_number[placing->count++] =
                (struct numbered){number_of(device->major, device->minor), device};
    }
    qsort(placing->by_number, placing->count, sizeof *placing->by_number, compare_numbers);
}

static void placing_done(struct placing *placing)
{
    free(placing->by_folder);
    free(placing->by_number);
    leaf_free(placing->members);
}

typedef void (*member_fn)(struct placing *placing, const struct mount_entry *entry,
                          struct device *device);

/* Subvolumes of one btrfs are mounted by the hundred: its members are kept from one to the next. */
static char **members_of(struct placing *placing, const struct mount_entry *entry)
{
    const struct mount_entry *last = placing->last;
    if (last && last->minor == entry->minor && strcmp(last->source, entry->source) == 0 &&
        strcmp(last->filesystem, entry->filesystem) == 0)
        return placing->members;
    placing->members = leaf_free(placing->members);
    placing->last = leaf_members(placing->root, entry, &placing->members) == 0 ? entry : NULL;
    return placing->members;
}

/* Each device the file system is made on: by its number, or (btrfs has none) all its members. */
static void each_member(struct placing *placing, const struct mount_entry *entry, member_fn fn)
{
    if (entry->major != 0) {
        struct device *device = find_number(placing, entry->major, entry->minor);
        if (device)
            fn(placing, entry, device);
        return;
    }
    for (char **member = members_of(placing, entry); member && *member; member++) {
        struct device *device = find_folder(placing, *member);
        if (device)
            fn(placing, entry, device);
    }
}

static void add_mount(struct placing *placing, const struct mount_entry *entry,
                      struct device *device)
{
    size_t count = 0;
    (void)placing;
    while (device->mounts && device->mounts[count])
        count++;
    if (count == 0) {
        device->filesystem = mem_copy_text(entry->filesystem);
        device->is_mount_read_only = entry->is_read_only;
    }
    device->mounts = mem_grow(device->mounts, count + 2, sizeof *device->mounts);
    device->mounts[count] = mem_copy_text(entry->point);
    device->mounts[count + 1] = NULL;
}

/* Calls `fn` for a device and the disks below it. */
static void each_leaf(struct placing *placing, struct device *device, void (*fn)(struct device *))
{
    char **leaves = NULL;
    fn(device);
    if (leaf_of_folder(placing->root, device->sysfs_path, &leaves) < 0)
        return;
    for (char **leaf = leaves; *leaf; leaf++) {
        struct device *disk = find_folder(placing, *leaf);
        if (disk)
            fn(disk);
    }
    leaf_free(leaves);
}

static void set_root(struct device *device)
{
    device->is_root = true;
}

static void set_boot(struct device *device)
{
    device->is_boot = true;
}

static void mark_root(struct placing *placing, const struct mount_entry *entry,
                      struct device *device)
{
    (void)entry;
    each_leaf(placing, device, set_root);
}

static void mark_boot(struct placing *placing, const struct mount_entry *entry,
                      struct device *device)
{
    (void)entry;
    each_leaf(placing, device, set_boot);
}

/* The devices under what is mounted at `point`. False when that cannot be told. */
static bool mark(struct placing *placing, const char *point, member_fn fn)
{
    const struct mount_entry *entry = mount_by_point(placing->table, point);
    const struct mount_entry *backing = entry ? mount_backing(placing->table, entry) : NULL;
    if (backing)
        each_member(placing, backing, fn);
    return !entry || backing;
}

/* An overlay that an initramfs made names folders nobody can find any more: what the kernel was
 * told to start from holds its lower one. Only a kernel name counts: cloned cards share their
 * UUIDs. */
static void mark_command_line(struct placing *placing)
{
    static const char key[] = "root=/dev/";
    AUTO_FREE char *proc = NULL;
    AUTO(str_done) struct str line = {0}, name = {0};
    if (sysfs_resolve(placing->root, "/proc", &proc) < 0 || sysfs_text(proc, "cmdline", &line) < 0)
        return;
    const char *at = strstr(str_text(&line), key);
    while (at && at != line.text && at[-1] != ' ') /* "xroot=" */
        at = strstr(at + 1, key);
    if (!at)
        return;
    at += strlen(key);
    str_add_bytes(&name, at, strcspn(at, " \n"));
    for (size_t i = 0; i < placing->count; i++)
        if (strcmp(placing->by_number[i].device->id, str_text(&name)) == 0)
            each_leaf(placing, placing->by_number[i].device, set_root);
}

/* Whole file systems before binds of a part, then shorter points, then by letters. */
static int compare_mounts(const void *a, const void *b)
{
    const struct mount_entry *left = *(struct mount_entry *const *)a,
                             *right = *(struct mount_entry *const *)b;
    bool left_is_part = strcmp(left->root, "/") != 0, right_is_part = strcmp(right->root, "/") != 0;
    if (left_is_part != right_is_part)
        return left_is_part ? 1 : -1;
    size_t left_size = strlen(left->point), right_size = strlen(right->point);
    if (left_size != right_size)
        return left_size < right_size ? -1 : 1;
    return strcmp(left->point, right->point);
}

static int compare_points(const void *a, const void *b)
{
    const struct mount_entry *left = *(struct mount_entry *const *)a,
                             *right = *(struct mount_entry *const *)b;
    int order = strcmp(left->point, right->point);
    return order != 0 ? order : left < right ? -1 : left > right; /* later ones on top */
}

/* What another mount covers cannot be reached by its path: of each point the last is kept. */
static size_t visible_mounts(const struct mount_table *table, const struct mount_entry **ret_order)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        ret_order[i] = &table->entries[i];
    qsort(ret_order, table->count, sizeof *ret_order, compare_points);
    for (size_t i = 0; i < table->count; i++)
        if (i + 1 == table->count || strcmp(ret_order[i]->point, ret_order[i + 1]->point) != 0)
            ret_order[count++] = ret_order[i];
    qsort(ret_order, count, sizeof *ret_order, compare_mounts);
    return count;
}

void placing_mounts(const char *root, struct device *devices, size_t count)
{
    static const char *const boot_points[] = {"/boot", "/boot/firmware", "/boot/efi", "/efi"};
    AUTO(mount_table_done) struct mount_table table = {0};
    if (mount_read(root, &table) < 0 || table.count == 0)
        return;
    AUTO(placing_done) struct placing placing = {.root = root, .table = &table};
    prepare(&placing, devices, count);
    AUTO_FREE const struct mount_entry **order = mem_new(table.count, sizeof *order);
    size_t visible = visible_mounts(&table, order);
    for (size_t i = 0; i < visible; i++)
        each_member(&placing, order[i], add_mount);
    if (!mark(&placing, "/", mark_root))
        mark_command_line(&placing);
    for (size_t i = 0; i < ARRAY_SIZE(boot_points); i++)
        (void)mark(&placing, boot_points[i], mark_boot);
}

/* ---- labels */

static struct device *find_id(struct device *devices, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(devices[i].id, id) == 0)
            return &devices[i];
    return NULL;
}

static void set_label(struct device *device, const char *text, size_t size)
{
    if (!device || device->label || size == 0)
        return;
    struct str label = {0};
    str_add_clean(&label, text, size);
    device->label = str_take(&label);
}

/* udev writes what is no plain letter as \xNN. */
static void add_unescaped(struct str *into, const char *name)
{
    static const char digits[] = "0123456789abcdef";
    for (; *name; name++) {
        const char *high = NULL, *low = NULL;
        if (name[0] == '\\' && name[1] == 'x' && name[2] && name[3]) {
            high = strchr(digits, name[2]);
            low = strchr(digits, name[3]);
        }
        if (high && low) {
            char byte = (char)((high - digits) << 4 | (low - digits));
            str_add_bytes(into, &byte, 1);
            name += 3;
        } else {
            str_add_bytes(into, name, 1);
        }
    }
}

static void read_links(struct device *devices, size_t count)
{
    static const char folder[] = "/dev/disk/by-label"; /* links; the devices are never opened */
    char **names = NULL;
    if (sysfs_list(folder, &names) < 0)
        return;
    for (char **name = names; *name; name++) {
        AUTO_FREE char *target = sysfs_link(folder, *name);
        AUTO(str_done) struct str label = {0};
        add_unescaped(&label, *name);
        if (target)
            set_label(find_id(devices, count, sysfs_base(target)), str_text(&label), label.size);
    }
    sysfs_list_free(names);
}

/* btrfs alone tells its label in sysfs. */
static void read_btrfs(const char *root, struct device *devices, size_t count)
{
    AUTO_FREE char *class = NULL;
    char **uuids = NULL;
    if (sysfs_resolve(root, "/sys/fs/btrfs", &class) < 0 || sysfs_list(class, &uuids) < 0)
        return;
    for (char **uuid = uuids; *uuid; uuid++) {
        AUTO(str_done) struct str folder = {0}, members = {0}, label = {0};
        str_addf(&folder, "%s/%s", class, *uuid);
        str_addf(&members, "%s/devices", folder.text);
        char **names = NULL;
        if (sysfs_list(members.text, &names) < 0)
            continue;
        if (sysfs_text(folder.text, "label", &label) == 0)
            for (char **name = names; *name; name++)
                set_label(find_id(devices, count, *name), str_text(&label), label.size);
        sysfs_list_free(names);
    }
    sysfs_list_free(uuids);
}

void placing_labels(const char *root, struct device *devices, size_t count)
{
    read_btrfs(root, devices, count);
    if (!root[0])
        read_links(devices, count);
}
