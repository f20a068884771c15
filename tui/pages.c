#include "pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/str.h"

#define MAPS_MAX (256u << 10)

struct mapping {
    uintptr_t from, to;
    char access[5];
};

static int read_mapping(const char *line, struct mapping *ret_mapping)
{
    struct mapping mapping = {0};
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &mapping.from, &mapping.to, mapping.access) !=
        3)
        return -1;
    *ret_mapping = mapping;
    return 0;
}

/* What a fault could need: readable, and not the kernel's own pages. */
static int is_wanted(const struct mapping *mapping, const char *line, const char *end)
{
    return mapping->access[0] == 'r' && !memmem(line, (size_t)(end - line), "[v", 2);
}

void pages_lock(void)
{
#ifndef IODYNO_SANITIZED /* its shadow is terabytes */
    struct str maps AUTO(str_done) = {0};
    size_t locked = 0;
    if (file_read("/proc/self/maps", MAPS_MAX, &maps) < 0)
        return;
    for (const char *line = str_text(&maps); *line;) {
        const char *end = strchrnul(line, '\n');
        struct mapping mapping;
        if (read_mapping(line, &mapping) == 0 && is_wanted(&mapping, line, end)) {
            size_t size = mapping.to - mapping.from;
            if (locked + size <= PAGES_MOST_BYTES &&
                mlock((const void *)mapping.from, size) == 0) /* NOLINT: an address, as text */
                locked += size;
        }
        line = *end ? end + 1 : end;
    }
#else
    (void)read_mapping;
    (void)is_wanted;
#endif
}
