#include "readers.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "device/medium.h"
#include "history/history.h"

#define DISKS_MAX 32 /* slots of one reader */

struct reader {
    struct readers *readers;
    char *bus;                    /* what it is known by; NULL: a free place */
    const char *names[DISKS_MAX]; /* of its disks, during a refresh only */
    size_t name_count;
    char *disks; /* the names the worker was given, joined */
    struct history_query *query;
};

struct readers {
    struct loop *loop;
    const struct inventory *inventory;
    bool is_once;
    readers_fn fn;
    void *user;
    struct reader list[READERS_MAX];
};

struct readers *readers_new(struct loop *loop, const struct inventory *inventory, bool is_once,
                            readers_fn fn, void *user)
{
    struct readers *readers = mem_new(1, sizeof *readers);
    *readers = (struct readers){
        .loop = loop, .inventory = inventory, .is_once = is_once, .fn = fn, .user = user};
    for (size_t i = 0; i < READERS_MAX; i++)
        readers->list[i].readers = readers;
    return readers;
}

static void forget(struct reader *reader)
{
    reader->query = history_free(reader->query);
    free(reader->bus);
    free(reader->disks);
    *reader = (struct reader){.readers = reader->readers};
}

struct readers *readers_free(struct readers *readers)
{
    for (size_t i = 0; readers && i < READERS_MAX; i++)
        forget(&readers->list[i]);
    free(readers);
    return NULL;
}

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct reader *reader = user;
    struct readers *readers = reader->readers;
    if (!row) {
        reader->query = history_free(reader->query);
        if (problem)
            log_say(LOG_WARNING, "cards put into the reader of %s are not seen: %s", reader->disks,
                    problem);
        return;
    }
    const char *changed = frame_pair(row, "changed"), *why = frame_pair(row, "why");
    if (why)
        log_say(LOG_WARNING, "cards put into the reader of %s are not seen: %s", reader->disks,
                why);
    if (changed && strcmp(changed, "true") == 0)
        readers->fn(readers->user); /* may refresh, and so end this very query */
}

/* The place of a bus, or a free one; NULL when all are taken. */
static struct reader *find(struct readers *readers, const char *bus)
{
    struct reader *unused = NULL;
    for (size_t i = 0; i < READERS_MAX; i++) {
        struct reader *reader = &readers->list[i];
        if (reader->bus && strcmp(reader->bus, bus) == 0)
            return reader;
        unused = unused || reader->bus ? unused : reader;
    }
    return unused;
}

static void take_disk(struct readers *readers, const struct device *disk)
{
    AUTO_FREE char *bus = medium_bus(disk);
    struct reader *reader = find(readers, bus);
    if (!reader || reader->name_count == DISKS_MAX)
        return;
    if (!reader->bus)
        reader->bus = take_pointer(&bus);
    reader->names[reader->name_count++] = disk->id;
}

static void start(struct reader *reader)
{
    struct readers *readers = reader->readers;
    const char *arguments[DISKS_MAX + 3] = {"--media", readers->is_once ? "once" : "watch"};
    memcpy(arguments + 2, reader->names, reader->name_count * sizeof *reader->names);
    uint64_t limit_ns = readers->is_once ? READERS_ONCE_NS : READERS_SILENT_NS;
    (void)history_ask_program(readers->loop, "iodyno-worker", arguments, limit_ns, on_row, reader,
                              &reader->query);
}

/* Starts, keeps or ends by the disks that were found. */
static void settle(struct reader *reader)
{
    struct str disks = {0};
    for (size_t i = 0; i < reader->name_count; i++)
        str_addf(&disks, "%s%s", i > 0 ? " " : "", reader->names[i]);
    AUTO_FREE char *joined = str_take(&disks);
    if (reader->name_count == 0)
        forget(reader);
    else if (!reader->disks || strcmp(reader->disks, joined) != 0) {
        reader->query = history_free(reader->query);
        free(reader->disks);
        reader->disks = take_pointer(&joined);
        start(reader);
    }
    reader->name_count = 0;
}

void readers_refresh(struct readers *readers)
{
    const struct inventory *inventory = readers->inventory;
    bool has_udev = medium_has_udev();
    for (size_t i = 0; i < inventory->count; i++) {
        const struct device *device = &inventory->devices[i];
        if (device->kind == DEVICE_USB && !device->parent &&
            medium_is_unwatched("", device, has_udev))
            take_disk(readers, device);
    }
    for (size_t i = 0; i < READERS_MAX; i++)
        if (readers->list[i].bus)
            settle(&readers->list[i]);
}

bool readers_are_pending(const struct readers *readers)
{
    for (size_t i = 0; i < READERS_MAX; i++)
        if (readers->list[i].query)
            return true;
    return false;
}
