#include "view/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

void notes_add(struct notes *notes, uint64_t wall_ns, enum theme_role role, const char *format, ...)
{
    if (notes->count < NOTES_MAX)
        notes->newest = notes->count++;
    else
        notes->newest = (notes->newest + 1) % NOTES_MAX;
    struct note *note = &notes->items[notes->newest];
    note->wall_ns = wall_ns;
    note->role = role;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
}

const struct note *notes_last(const struct notes *notes)
{
    return notes->count ? &notes->items[notes->newest] : NULL;
}

const char *notes_clock(uint64_t wall_ns, char into[NOTES_CLOCK_MAX])
{
    time_t seconds = (time_t)(wall_ns / NS_PER_S);
    struct tm parts;
    if (!localtime_r(&seconds, &parts) || !strftime(into, NOTES_CLOCK_MAX, "%H:%M:%S", &parts))
        into[0] = '\0';
    return into;
}
