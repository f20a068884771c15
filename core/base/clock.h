/* clock: time as nanoseconds. Never blocks. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

uint64_t clock_mono_ns(void);
uint64_t clock_wall_ns(void); /* CLOCK_REALTIME since 1970 */

#define CLOCK_ISO_MAX 32
/* "2026-01-31T09:00:00Z"; returns `into`. */
const char *clock_iso(uint64_t wall_ns, char into[CLOCK_ISO_MAX]);
int clock_parse_iso(const char *text, uint64_t *ret_wall_ns);

#endif
