#include "store/owner.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "loop/process.h"

/* A process that has ended may wait long for its parent to notice. */
static bool is_dead(pid_t pid)
{
    AUTO(str_done) struct str path = {0}, stat = {0};
    str_addf(&path, "/proc/%ld/stat", (long)pid);
    if (file_read(path.text, 4096, &stat) < 0)
        return true;
    const char *name_end = strrchr(str_text(&stat), ')');
    return !name_end || strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0;
}

struct owner owner_of(pid_t pid)
{
    struct owner owner = {.pid = pid};
    if (pid <= 0 || is_dead(pid) || process_start_time(pid, &owner.start) < 0)
        owner.start = 0;
    return owner;
}

const char *owner_boot(char into[OWNER_BOOT_MAX])
{
    AUTO(str_done) struct str text = {0};
    into[0] = '\0';
    if (file_read("/proc/sys/kernel/random/boot_id", OWNER_BOOT_MAX - 1, &text) < 0)
        return into;
    size_t length = strcspn(str_text(&text), "\n");
    if (length < OWNER_BOOT_MAX)
        memcpy(into, str_text(&text), length);
    into[length < OWNER_BOOT_MAX ? length : 0] = '\0';
    return into;
}

bool owner_lives(const struct owner *owner, const char *boot)
{
    char this_boot[OWNER_BOOT_MAX];
    if (owner->pid <= 0 || strcmp(boot, owner_boot(this_boot)) != 0)
        return false;
    struct owner now = owner_of(owner->pid);
    return now.start != 0 && now.start == owner->start;
}
