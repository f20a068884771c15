#include "device/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/sysfs.h"

#define MOUNT_DEPTH_MAX 8 /* overlays on overlays */
#define MOUNT_FIELDS_MAX 64

struct field {
    const char *text;
    size_t size;
};

/* mountinfo escapes blank, tab, newline and backslash; any \ooo is decoded. NUL is not a byte of a
 * path and stays as it was written. */
static void add_decoded(struct str *into, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned value = 0;
        if (text[i] == '\\' && size - i > 3) {
            for (size_t k = 1; k <= 3; k++)
                value = text[i + k] >= '0' && text[i + k] <= '7' && value < 256
                            ? value * 8 + (unsigned)(text[i + k] - '0')
                            : 256;
        }
        if (value > 0 && value < 256) {
            char byte = (char)value;
            str_add_bytes(into, &byte, 1);
            i += 3;
        } else {
            str_add_bytes(into, text + i, 1);
        }
    }
}

static char *decode(struct field field)
{
    struct str text = {0};
    str_add(&text, "");
    add_decoded(&text, field.text, field.size);
    return str_take(&text);
}

static char *copy(struct field field)
{
    struct str text = {0};
    str_add(&text, "");
    str_add_bytes(&text, field.text, field.size);
    return str_take(&text);
}

static bool is_equal(struct field field, const char *text)
{
    return field.size == strlen(text) && memcmp(field.text, text, field.size) == 0;
}

/* Fields are parted by single blanks and may be empty (a mount without a source). */
static size_t split(const char *line, size_t size, struct field fields[MOUNT_FIELDS_MAX])
{
    size_t count = 0;
    const char *end = line + size;
    while (count < MOUNT_FIELDS_MAX) {
        const char *blank = memchr(line, ' ', (size_t)(end - line));
        fields[count++] = (struct field){line, (size_t)((blank ? blank : end) - line)};
        if (!blank)
            break;
        line = blank + 1;
    }
    return count;
}

static int parse_number(struct field field, uint64_t most, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (field.size == 0 || field.size > 19)
        return -EINVAL;
    for (size_t i = 0; i < field.size; i++) {
        if (field.text[i] < '0' || field.text[i] > '9')
            return -EINVAL;
        value = value * 10 + (uint64_t)(field.text[i] - '0');
    }
    if (value > most)
        return -ERANGE;
    *ret_value = value;
    return 0;
}

static int parse_device(struct field field, unsigned *ret_major, unsigned *ret_minor)
{
    const char *colon = memchr(field.text, ':', field.size);
    if (!colon)
        return -EINVAL;
    uint64_t major = 0, minor = 0;
    struct field left = {field.text, (size_t)(colon - field.text)};
    struct field right = {colon + 1, field.size - left.size - 1};
    int rc = parse_number(left, UINT32_MAX, &major);
    if (rc == 0)
        rc = parse_number(right, UINT32_MAX, &minor);
    if (rc == 0) {
        *ret_major = (unsigned)major;
        *ret_minor = (unsigned)minor;
    }
    return rc;
}

static bool has_word(const char *options, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = options; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, size) == 0 && (at[size] == ',' || at[size] == '\0'))
            return true;
    }
    return false;
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue": between the
 * sixth field and "-" stands any number of optional ones. */
static int parse_line(const char *line, size_t size, struct mount_entry *ret_entry)
{
    struct field fields[MOUNT_FIELDS_MAX];
    size_t count = split(line, size, fields), dash = 6;
    while (dash < count && !is_equal(fields[dash], "-"))
        dash++;
    if (dash + 3 >= count || memchr(line, '\0', size))
        return -EINVAL;
    struct mount_entry entry = {0};
    int rc = parse_number(fields[0], UINT64_MAX, &entry.id);
    if (rc == 0)
        rc = parse_device(fields[2], &entry.major, &entry.minor);
    if (rc < 0)
        return rc;
    if (fields[4].size == 0 || fields[4].text[0] != '/')
        return -EINVAL;
    entry.root = decode(fields[3]);
    entry.point = decode(fields[4]);
    entry.options = copy(fields[5]);
    entry.filesystem = decode(fields[dash + 1]);
    entry.source = decode(fields[dash + 2]);
    entry.super_options = copy(fields[dash + 3]);
    entry.is_read_only = has_word(entry.options, "ro") || has_word(entry.super_options, "ro");
    *ret_entry = entry;
    return 0;
}

int mount_parse(const char *text, size_t size, struct mount_table *ret_table)
{
    struct mount_table table = {0};
    size_t room = 0;
    const char *end = text + size;
    for (const char *line = text; line < end && table.count < MOUNT_ENTRIES_MAX;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        if (table.count == room) {
            room = room ? room * 2 : 32;
            table.entries = mem_grow(table.entries, room, sizeof *table.entries);
        }
        if (parse_line(line, (size_t)(stop - line), &table.entries[table.count]) == 0)
            table.count++;
        line = stop < end ? stop + 1 : end;
    }
    *ret_table = table;
    return 0;
}

int mount_read(const char *root, struct mount_table *ret_table)
{
    AUTO(str_done) struct str text = {0};
    AUTO_FREE char *folder = NULL;
    int rc = sysfs_resolve(root, "/proc/self", &folder);
    if (rc == 0)
        rc = sysfs_file(folder, "mountinfo", MOUNT_TEXT_MAX, &text);
    return rc < 0 ? rc : mount_parse(str_text(&text), text.size, ret_table);
}

void mount_table_done(struct mount_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct mount_entry *entry = &table->entries[i];
        free(entry->root);
        free(entry->point);
        free(entry->filesystem);
        free(entry->source);
        free(entry->options);
        free(entry->super_options);
    }
    free(table->entries);
    *table = (struct mount_table){0};
}

const struct mount_entry *mount_by_id(const struct mount_table *table, uint64_t id)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].id == id)
            return &table->entries[i];
    return NULL;
}

const struct mount_entry *mount_by_point(const struct mount_table *table, const char *point)
{
    for (size_t i = table->count; i > 0; i--)
        if (strcmp(table->entries[i - 1].point, point) == 0)
            return &table->entries[i - 1];
    return NULL;
}

const struct mount_entry *mount_by_path(const struct mount_table *table, const char *path)
{
    const struct mount_entry *best = NULL;
    size_t best_size = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct mount_entry *entry = &table->entries[i];
        size_t size = strlen(entry->point);
        bool is_top = size == 1; /* "/" */
        if (strncmp(path, entry->point, size) != 0)
            continue;
        if (!is_top && path[size] != '/' && path[size] != '\0')
            continue;
        if (!best || size >= best_size) { /* of equal ones the last is on top */
            best = entry;
            best_size = size;
        }
    }
    return best;
}

int mount_option(const struct mount_entry *entry, const char *key, struct str *into)
{
    size_t size = strlen(key);
    for (const char *at = entry->super_options; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, size) == 0 && at[size] == '=') {
            at += size + 1;
            add_decoded(into, at, strcspn(at, ","));
            return 0;
        }
    }
    return -ENOENT;
}

const struct mount_entry *mount_backing(const struct mount_table *table,
                                        const struct mount_entry *entry)
{
    for (unsigned depth = 0; entry && depth < MOUNT_DEPTH_MAX; depth++) {
        if (strcmp(entry->filesystem, "overlay") != 0)
            return entry;
        AUTO(str_done) struct str upper = {0};
        /* A relative upper folder was named before the root was changed: nobody can tell it now. */
        if (mount_option(entry, "upperdir", &upper) < 0 || str_text(&upper)[0] != '/')
            return NULL;
        const struct mount_entry *below = mount_by_path(table, upper.text);
        if (below == entry)
            return NULL;
        entry = below;
    }
    return NULL;
}

static int mount_id_from_fdinfo(int fd, uint64_t *ret_id)
{
    AUTO(str_done) struct str path = {0}, text = {0};
    str_addf(&path, "/proc/self/fdinfo/%d", fd);
    int rc = file_read(path.text, 4096, &text);
    if (rc < 0)
        return rc;
    const char *line = strstr(str_text(&text), "mnt_id:");
    if (!line)
        return -ENOTSUP; /* before Linux 3.15 */
    line += strlen("mnt_id:");
    line += strspn(line, " \t");
    struct field digits = {line, strspn(line, "0123456789")};
    return parse_number(digits, UINT64_MAX, ret_id);
}

int mount_id_of(int fd, uint64_t *ret_id)
{
#ifdef STATX_MNT_ID /* headers of Linux 5.8 */
    const char *off = getenv("IODYNO_NO_STATX");
    struct statx about;
    if (!(off && strcmp(off, "1") == 0) &&
        statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &about) == 0 &&
        (about.stx_mask & STATX_MNT_ID)) {
        *ret_id = about.stx_mnt_id;
        return 0;
    }
#endif
    return mount_id_from_fdinfo(fd, ret_id);
}
