#include "room.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/text.h"

#define TEXT_MAX 16384
#define GROUP_MAX 600                 /* bytes of a control group's path */
#define UNLIMITED (UINT64_C(1) << 60) /* v1 says "no limit" as a number near 2^63 */
#define FORBIDDEN 2                   /* /proc/sys/vm/overcommit_memory */
#define ADDRESSES_32                                                                               \
    (UINT64_C(2) << 30) /* all kernels leave a program so much, most of them 3 GiB */
#define KIB_MAX (UINT64_C(1) << 50)

struct limit {
    uint64_t whole, used; /* bytes */
};

static uint64_t reserve_of(uint64_t whole)
{
    const uint64_t share = whole / 100 * ROOM_RESERVE_PERCENT;
    return share > ROOM_RESERVE_BYTES ? share : ROOM_RESERVE_BYTES;
}

static uint64_t left_of(const struct limit *limit)
{
    const uint64_t reserve = reserve_of(limit->whole);
    if (limit->used >= limit->whole || limit->whole - limit->used <= reserve)
        return 0;
    return limit->whole - limit->used - reserve;
}

/* Whole ones suffice for a person. */
static unsigned long long mib(uint64_t bytes)
{
    return bytes >> 20;
}

/* Takes a limit that leaves less than what is known; `what` is what has it: "the machine". */
static void take(struct room *room, const struct limit *limit, const char *what, const char *name)
{
    const uint64_t left = left_of(limit);
    if (limit->whole >= UNLIMITED || left >= room->allocatable)
        return;
    room->allocatable = left;
    (void)snprintf(room->why, sizeof room->why,
                   "%s%.40s may hold %llu MiB, %llu MiB are in use, %llu MiB stay free", what, name,
                   mib(limit->whole), mib(limit->used), mib(reserve_of(limit->whole)));
}

static bool kib_field(const char *text, const char *key, uint64_t *ret_bytes)
{
    uint64_t kib;
    if (text_field(text, key, &kib) < 0 || kib > KIB_MAX)
        return false;
    *ret_bytes = kib * 1024;
    return true;
}

/* With overcommit forbidden the kernel refuses addresses beyond this, touched or not. */
static void take_commit(const char *root, const char *meminfo, struct room *room)
{
    uint64_t mode, whole, used;
    if (text_number(root, "/proc/sys/vm/overcommit_memory", &mode) < 0 || mode != FORBIDDEN ||
        !kib_field(meminfo, "CommitLimit:", &whole) || !kib_field(meminfo, "Committed_AS:", &used))
        return;
    const struct limit limit = {whole, used};
    take(room, &limit, "the machine (overcommit is forbidden)", "");
}

static int take_machine(const char *root, char *text, struct room *room)
{
    uint64_t total, available;
    if (text_read(root, "/proc/meminfo", text, TEXT_MAX) < 0 ||
        !kib_field(text, "MemTotal:", &total))
        return -ENOENT;
    if (!kib_field(text, "MemAvailable:", &available) && !kib_field(text, "MemFree:", &available))
        return -ENOENT;
    const struct limit limit = {total, total > available ? total - available : 0};
    take(room, &limit, "the machine", "");
    take_commit(root, text, room);
    return 0;
}

struct kind { /* of control groups; files of a group */
    const char *mount, *limits[2], *used, *cache_key;
};

/* Pages of files that no program looks at make way by themselves; the kernel counts them as used.
 */
static uint64_t cache_of(const char *root, const struct kind *kind, const char *group, char *text)
{
    char path[TEXT_PATH_MAX];
    uint64_t bytes = 0;
    (void)snprintf(path, sizeof path, "%s%s/memory.stat", kind->mount, group);
    if (text_read(root, path, text, TEXT_MAX) > 0)
        (void)text_field(text, kind->cache_key, &bytes);
    return bytes;
}

static void take_group(const char *root, const struct kind *kind, const char *group, char *text,
                       struct room *room)
{
    char path[TEXT_PATH_MAX];
    uint64_t used, whole;
    (void)snprintf(path, sizeof path, "%s%s/%s", kind->mount, group, kind->used);
    if (text_number(root, path, &used) < 0)
        return;
    const uint64_t cache = cache_of(root, kind, group, text);
    for (size_t i = 0; i < ARRAY_SIZE(kind->limits) && kind->limits[i]; i++) {
        (void)snprintf(path, sizeof path, "%s%s/%s", kind->mount, group, kind->limits[i]);
        if (text_number(root, path, &whole) < 0) /* "max" is none */
            continue;
        const struct limit limit = {whole, used > cache ? used - cache : 0};
        take(room, &limit, "control group ", group[0] ? group : "/");
    }
}

/* A group holds what all below it use: each one up to the top limits. Within a container the path
 * may lead to nothing, while the top is the container's own group. */
static void take_groups(const char *root, const struct kind *kind, const char *path, char *text,
                        struct room *room)
{
    char group[GROUP_MAX];
    size_t size = strcspn(path, "\n");
    if (size >= sizeof group)
        return;
    (void)memcpy(group, path, size);
    group[size] = '\0';
    if (strstr(group, "/..")) /* as seen from another namespace */
        group[0] = '\0';
    for (;;) {
        if (strcmp(group, "/") == 0)
            group[0] = '\0';
        take_group(root, kind, group, text, room);
        char *slash = strrchr(group, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

/* "memory" among the words between the first and the second colon. */
static bool has_memory(const char *controllers, const char *end)
{
    while (controllers < end) {
        size_t size = strcspn(controllers, ",:");
        if (size == 6 && strncmp(controllers, "memory", 6) == 0)
            return true;
        controllers += size + 1;
    }
    return false;
}

static void take_all_groups(const char *root, char *text, struct room *room)
{
    static const struct kind v1 = {"/sys/fs/cgroup/memory",
                                   {"memory.limit_in_bytes", NULL},
                                   "memory.usage_in_bytes",
                                   "total_inactive_file "};
    static const struct kind v2[] = {
        {"/sys/fs/cgroup", {"memory.max", "memory.high"}, "memory.current", "inactive_file "},
        {"/sys/fs/cgroup/unified",
         {"memory.max", "memory.high"},
         "memory.current",
         "inactive_file "},
    };
    char lines[4096];
    if (text_read(root, "/proc/self/cgroup", lines, sizeof lines) <= 0)
        return;
    for (const char *line = lines; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            return;
        if (names[1] == ':') {
            for (size_t i = 0; i < ARRAY_SIZE(v2); i++)
                take_groups(root, &v2[i], path + 1, text, room);
        } else if (has_memory(names + 1, path)) {
            take_groups(root, &v1, path + 1, text, room);
        }
    }
}

/* ulimit -v, as procfs prints it in columns. */
static void take_address_space(const char *root, char *text, struct room *room)
{
    uint64_t most, used;
    if (text_read(root, "/proc/self/limits", text, TEXT_MAX) <= 0 ||
        text_field(text, "Max address space", &most) < 0) /* "unlimited" */
        most = UINT64_MAX;
    if (text_read(root, "/proc/self/status", text, TEXT_MAX) <= 0 ||
        !kib_field(text, "VmSize:", &used))
        used = 0;
    const struct limit limit = {most, used}, narrow = {ADDRESSES_32, used};
    take(room, &limit, "this process (ulimit -v)", "");
    if (sizeof(void *) == sizeof(uint32_t)) /* with large addresses a machine may have more */
        take(room, &narrow, "a program of 32 bits", "");
}

int room_find(const char *root, struct room *into)
{
    AUTO_FREE char *text = malloc(TEXT_MAX);
    *into = (struct room){.allocatable = UINT64_MAX};
    int code = text ? take_machine(root, text, into) : -ENOMEM;
    if (code < 0) {
        static const char none[] = "nothing tells how much memory this machine has";
        *into = (struct room){.allocatable = 0};
        (void)memcpy(into->why, none, sizeof none);
        (void)memcpy(into->touchable_why, none, sizeof none);
        return code;
    }
    take_all_groups(root, text, into);
    into->touchable = into->allocatable;
    (void)memcpy(into->touchable_why, into->why, sizeof into->why);
    take_address_space(root, text, into);
    return 0;
}
