#include "device/boardfile.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/ini.h"
#include "base/log.h"
#include "base/places.h"
#include "base/str.h"
#include "device/sysfs.h"

#define COMPATIBLES_MAX 16

struct wanted {
    const char *section, *key;
    struct str *value;
};

static int on_entry(void *user, const char *section, const char *key, const char *value, char *why,
                    size_t why_size)
{
    const struct wanted *wanted = user;
    (void)why, (void)why_size;
    if (strcmp(section, wanted->section) == 0 && str_equal_key(key, wanted->key)) {
        str_clear(wanted->value);
        str_add_clean(wanted->value, value, strlen(value));
    }
    return 0;
}

static void on_fault(void *user, const char *sentence)
{
    (void)user;
    log_say(LOG_WARNING, "%s", sentence);
}

/* The tree's text becomes part of a path: a name and nothing else. */
static bool is_name(const char *compatible)
{
    return compatible[0] && compatible[0] != '.' && !strchr(compatible, '/') &&
           strlen(compatible) < 100;
}

/* `folders`: NUL-ended paths one after the other. */
static bool read_folders(const struct str *folders, const char *compatible, struct wanted *wanted)
{
    for (size_t at = 0; at < folders->size; at += strlen(folders->text + at) + 1) {
        AUTO(str_done) struct str path = {0};
        str_addf(&path, "%s/%s.ini", folders->text + at, compatible);
        (void)ini_read(path.text, on_entry, on_fault, wanted);
        if (wanted->value->size > 0)
            return true;
    }
    return false;
}

int boardfile_get(const char *root, const char *section, const char *key, struct str *value,
                  struct str *name)
{
    AUTO_FREE char *tree = NULL;
    AUTO(str_done) struct str compatibles = {0}, folders = {0};
    struct wanted wanted = {section, key, value};
    if (sysfs_resolve(root, "/proc/device-tree", &tree) < 0 ||
        sysfs_text(tree, "compatible", &compatibles) < 0 ||
        places_boards(root[0] == '\0', &folders) < 0)
        return -ENOENT;
    str_add_bytes(&compatibles, "", 1);
    str_clear(value);
    for (size_t at = 0, i = 0; at < compatibles.size && i < COMPATIBLES_MAX; i++) {
        const char *compatible = compatibles.text + at;
        at += strlen(compatible) + 1;
        if (!is_name(compatible) || !read_folders(&folders, compatible, &wanted))
            continue;
        str_clear(name);
        str_add_clean(name, compatible, strlen(compatible));
        return 0;
    }
    return -ENOENT;
}
