/* ini: settings, themes, plans and board files as sections of key = value, read through libinih
 * with checks it lacks: line numbers, over-long lines and names, repeated sections, continuations.
 */
#ifndef BASE_INI_H
#define BASE_INI_H

#include <stddef.h>

#define INI_LINE_MAX 190   /* Debian's libinih cuts at 200 */
#define INI_FILE_MAX 65536 /* bytes */
#define INI_FAULTS_MAX 64

/* One accepted line. Returns 0, or a negative errno with `why` filled when the value is bad. */
typedef int (*ini_entry_fn)(void *user, const char *section, const char *key, const char *value,
                            char *why, size_t why_size);
/* One bad line, as a sentence with file and line; the rest of the file still applies. */
typedef void (*ini_fault_fn)(void *user, const char *sentence);

/* 0 when the file was read (faults are reported through `fault`), negative errno when it was not.
 */
int ini_read(const char *path, ini_entry_fn entry, ini_fault_fn fault, void *user);
/* The same from memory; `name` stands in fault sentences. */
int ini_read_text(const char *name, const char *text, size_t size, ini_entry_fn entry,
                  ini_fault_fn fault, void *user);

#endif
