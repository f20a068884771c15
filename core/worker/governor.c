#include "worker/governor.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "device/sysfs.h"

#define HELD "performance"
#define POLICIES "/sys/devices/system/cpu/cpufreq"
#define GOVERNOR_MAX 32 /* bytes of a name; the kernel has 16 */
#define STATE_MAX 65536 /* bytes of the file: two thousand policies */

static int policies_of(const char *root, char **ret_folder, char ***ret_names)
{
    int code = sysfs_resolve(root, POLICIES, ret_folder);
    return code < 0 ? code : sysfs_list(*ret_folder, ret_names);
}

static void add_path(struct str *into, const char *folder, const char *policy, const char *file)
{
    str_addf(into, "%s/%s/%s", folder, policy, file);
}

static bool is_policy(const char *name)
{
    size_t digits = str_starts(name, "policy") ? strspn(name + 6, "0123456789") : 0;
    return digits > 0 && name[6 + digits] == '\0';
}

/* What is put back is written to sysfs by root: a word and nothing else. */
static bool is_governor(const char *name)
{
    size_t size = 0;
    while (isalnum((unsigned char)name[size]) || name[size] == '_' || name[size] == '-')
        size++;
    return size > 0 && size <= GOVERNOR_MAX && name[size] == '\0';
}

static char *governor_of(const char *folder, const char *policy)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", folder, policy);
    return sysfs_label(path.text, "scaling_governor");
}

void governor_tell(const char *root, struct str *into)
{
    AUTO_FREE char *folder = NULL;
    AUTO(str_done) struct str each = {0}, first = {0};
    char **names = NULL;
    bool differ = false;
    if (policies_of(root, &folder, &names) < 0)
        return;
    for (size_t i = 0; names[i]; i++) {
        AUTO_FREE char *governor = is_policy(names[i]) ? governor_of(folder, names[i]) : NULL;
        if (!governor)
            continue;
        if (first.size == 0)
            str_add(&first, governor);
        differ = differ || strcmp(first.text, governor) != 0;
        str_addf(&each, "%s%s %s", each.size ? ", " : "", names[i], governor);
    }
    sysfs_list_free(names);
    str_add(into, differ ? each.text : str_text(&first));
}

static int write_governor(const char *folder, const char *policy, const char *governor)
{
    AUTO(str_done) struct str path = {0};
    add_path(&path, folder, policy, "scaling_governor");
    AUTO_CLOSE int fd = open(path.text, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    ssize_t size = write(fd, governor, strlen(governor));
    return size == (ssize_t)strlen(governor) ? 0 : size < 0 ? -errno : -EIO;
}

/* The file, locked. -EBUSY when a living worker holds it, -ENOENT when there is none. */
static int open_state(const char *folder, int flags, int *ret_fd)
{
    AUTO(str_done) struct str path = {0};
    struct stat about;
    str_addf(&path, "%s/governor", folder);
    AUTO_CLOSE int fd = open(path.text, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags, 0600);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
        return -EINVAL;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    *ret_fd = take_fd(&fd);
    return 0;
}

/* One line "policy0 schedutil": back to what it was, if it still is what we made it. */
static void put_back(const char *folder, char *line)
{
    char *governor = strchr(line, ' ');
    if (!governor)
        return;
    *governor++ = '\0';
    if (!is_policy(line) || !is_governor(governor))
        return;
    AUTO_FREE char *now = governor_of(folder, line);
    if (now && strcmp(now, HELD) == 0)
        (void)write_governor(folder, line, governor);
}

/* Restores all lines of the file and empties it. It stays: taking it away would let two have it. */
static void restore(const char *root, int fd)
{
    AUTO_FREE char *folder = NULL;
    char *text = mem_new(STATE_MAX + 1, 1), *rest = text;
    ssize_t size = pread(fd, text, STATE_MAX, 0);
    if (size > 0 && sysfs_resolve(root, POLICIES, &folder) == 0)
        for (char *line; (line = strsep(&rest, "\n"));)
            put_back(folder, line);
    free(text);
    if (size > 0)
        (void)!ftruncate(fd, 0);
}

/* Those that are to change, one a line; an error when one of them could not be put back from it. */
static int list_changes(const char *folder, char *const *names, struct str *into)
{
    for (size_t i = 0; names[i]; i++) {
        AUTO_FREE char *governor = is_policy(names[i]) ? governor_of(folder, names[i]) : NULL;
        if (!governor || strcmp(governor, HELD) == 0)
            continue;
        if (!is_governor(governor))
            return -EINVAL;
        str_addf(into, "%s %s\n", names[i], governor);
        if (into->size > STATE_MAX)
            return -E2BIG;
    }
    return 0;
}

/* Those of the list and no others: what is not noted would never be put back. */
static int change_listed(const char *folder, const struct str *changes)
{
    AUTO_FREE char *text = mem_copy_text(str_text(changes));
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        line[strcspn(line, " ")] = '\0';
        int code = write_governor(folder, line, HELD);
        if (code < 0)
            return code;
    }
    return 0;
}

static void explain(int code, struct str *why)
{
    if (code == -ENOENT)
        str_add(why, "the governor is not held: this board has none");
    else if (code == -EBUSY)
        str_add(why, "the governor is not held: another run holds it");
    else if (code == -EACCES || code == -EPERM || code == -EROFS)
        str_add(why, "the governor is not held: changing it takes root");
    else
        str_addf(why, "the governor is not held: %s", err_text(code));
}

static int hold(const char *root, const char *state_folder, char *const *names, const char *folder,
                struct governor *governor)
{
    AUTO(str_done) struct str changes = {0};
    int code = open_state(state_folder, O_CREAT, &governor->fd);
    if (code < 0)
        return code;
    restore(root, governor->fd); /* what a killed run left is no state to come back to */
    code = list_changes(folder, names, &changes);
    if (code < 0)
        return code;
    if (pwrite(governor->fd, str_text(&changes), changes.size, 0) != (ssize_t)changes.size)
        return -EIO;
    return change_listed(folder, &changes);
}

int governor_hold(const char *root, const char *folder, struct governor *ret_governor,
                  struct str *why)
{
    AUTO_FREE char *policies = NULL;
    char **names = NULL;
    struct governor governor = {.fd = -1, .root = mem_copy_text(root)};
    int code = policies_of(root, &policies, &names);
    if (code == 0 && !names[0])
        code = -ENOENT;
    if (code == 0)
        code = hold(root, folder, names, policies, &governor);
    sysfs_list_free(names);
    if (code < 0) {
        governor_release(&governor);
        explain(code, why);
    }
    *ret_governor = governor;
    return code;
}

void governor_release(struct governor *governor)
{
    if (governor->fd >= 0) {
        restore(governor->root, governor->fd);
        (void)close(governor->fd);
    }
    free(governor->root);
    *governor = (struct governor){.fd = -1};
}

void governor_mend(const char *root, const char *folder)
{
    AUTO_CLOSE int fd = -1;
    if (open_state(folder, 0, &fd) == 0)
        restore(root, fd);
}
