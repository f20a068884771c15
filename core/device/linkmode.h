/* linkmode: the bits by which the kernel names link modes ("1000baseT/Full"). Pure. */
#ifndef DEVICE_LINKMODE_H
#define DEVICE_LINKMODE_H

#include <stddef.h>
#include <stdint.h>

struct str;

#define LINKMODE_WORDS_MAX 8 /* 256 bits; what is beyond is nothing this table knows */

/* Adds the names of the bits that are set, with blanks between them; pauses and other non-speeds
 * are left out. A bit the table does not know is left out too. */
void linkmode_names(const uint32_t *words, size_t count, struct str *into);
/* The fastest of them in Mbit/s; 0: none. */
unsigned linkmode_most(const uint32_t *words, size_t count);
/* The fastest that both hold. */
unsigned linkmode_most_common(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);

#endif
