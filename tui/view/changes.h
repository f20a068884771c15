/* changes: which devices came and went between two looks at the inventory, and for how long that
 * is to be marked. Pure. */
#ifndef VIEW_CHANGES_H
#define VIEW_CHANGES_H

#include "device/inventory.h"
#include "view/notes.h"

#define CHANGES_MARK_NS (2ull * 1000000000)
#define CHANGES_MAX 32

struct change {
    char id[32];
    char label[64]; /* "USB disk sda DT-100" */
    enum device_kind kind;
    bool is_gone;
    uint64_t until_ns; /* monotonic: marked until then */
};

struct changes { /* {0} before the first look */
    struct change known[256];
    size_t known_count;
    bool has_looked;
    struct change marks[CHANGES_MAX];
    size_t mark_count;
};

/* Compares with the last look; each difference becomes a mark and a note. */
void changes_look(struct changes *changes, const struct inventory *inventory, uint64_t now_ns,
                  uint64_t wall_ns, struct notes *notes);
/* The mark of a device, NULL when it has none at `now_ns`. */
const struct change *changes_mark(const struct changes *changes, const char *id, uint64_t now_ns);
bool changes_are_marked(const struct changes *changes, uint64_t now_ns);

#endif
