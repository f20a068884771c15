#include "view/changes.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_worth_a_note(const struct device *device)
{
    return !device->parent && !device->is_hidden && device->kind != DEVICE_LOOP &&
           device->kind != DEVICE_ZRAM;
}

static struct change describe(const struct device *device)
{
    struct change change = {.kind = device->kind};
    bool is_empty = device->kind != DEVICE_DRAM && device->kind < DEVICE_ETHERNET &&
                    !device->has_medium && device->kind != DEVICE_SLOT;
    (void)snprintf(change.id, sizeof change.id, "%s", device->id);
    (void)snprintf(change.label, sizeof change.label, "%s %s %s%s", device_kind_label(device->kind),
                   device->id, device->name ? device->name : "", is_empty ? "(no medium)" : "");
    for (size_t end = strlen(change.label); end > 0 && change.label[end - 1] == ' ';)
        change.label[--end] = '\0';
    return change;
}

static const struct change *find(const struct change *items, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].id, id) == 0)
            return &items[i];
    return NULL;
}

static void mark(struct changes *changes, const struct change *change, bool is_gone,
                 uint64_t now_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < changes->mark_count; i++)
        if (changes->marks[i].until_ns > now_ns && strcmp(changes->marks[i].id, change->id) != 0)
            changes->marks[kept++] = changes->marks[i];
    if (kept == CHANGES_MAX)
        kept--;
    changes->marks[kept] = *change;
    changes->marks[kept].is_gone = is_gone;
    changes->marks[kept].until_ns = now_ns + CHANGES_MARK_NS;
    changes->mark_count = kept + 1;
}

void changes_look(struct changes *changes, const struct inventory *inventory, uint64_t now_ns,
                  uint64_t wall_ns, struct notes *notes)
{
    struct change now[ARRAY_SIZE(changes->known)];
    size_t count = 0;
    for (size_t i = 0; i < inventory->count && count < ARRAY_SIZE(now); i++)
        if (is_worth_a_note(&inventory->devices[i]))
            now[count++] = describe(&inventory->devices[i]);
    for (size_t i = 0; changes->has_looked && i < count; i++) {
        const struct change *before = find(changes->known, changes->known_count, now[i].id);
        if (before && strcmp(before->label, now[i].label) == 0)
            continue;
        mark(changes, &now[i], false, now_ns);
        notes_add(notes, wall_ns, ROLE_OK, "%s %s", now[i].label, before ? "changed" : "appeared");
    }
    for (size_t i = 0; changes->has_looked && i < changes->known_count; i++) {
        if (find(now, count, changes->known[i].id))
            continue;
        mark(changes, &changes->known[i], true, now_ns);
        notes_add(notes, wall_ns, ROLE_WARN, "%s is gone", changes->known[i].label);
    }
    memcpy(changes->known, now, count * sizeof *now);
    changes->known_count = count;
    changes->has_looked = true;
}

const struct change *changes_mark(const struct changes *changes, const char *id, uint64_t now_ns)
{
    const struct change *found = find(changes->marks, changes->mark_count, id);
    return found && found->until_ns > now_ns ? found : NULL;
}

bool changes_are_marked(const struct changes *changes, uint64_t now_ns)
{
    for (size_t i = 0; i < changes->mark_count; i++)
        if (changes->marks[i].until_ns > now_ns)
            return true;
    return false;
}
