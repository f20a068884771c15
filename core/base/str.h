/* str: a growing byte string, always NUL-ended, may hold NUL bytes inside.
 * The struct is embedded: str_init or {0} to start, str_done to end. Allocation failure aborts: a
 * program of this size has nothing better to do. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
    char *text; /* never NULL after the first add; use str_text() for a possibly empty one */
    size_t size, capacity;
};

void str_done(struct str *s);
void str_clear(struct str *s); /* size 0, keeps the memory */
const char *str_text(const struct str *s);
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t size);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *format, va_list args);
char *str_take(struct str *s); /* the caller frees; s is empty afterwards */

/* Adds "key\0value\0", the form frames carry text in. */
void str_add_pair(struct str *s, const char *key, const char *value);
void str_add_pairf(struct str *s, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds `text` with control bytes, invalid UTF-8 and bidi controls replaced by '?'. Foreign text
 * (CID names, peers, plugins) passes through here before a person sees it. */
void str_add_clean(struct str *s, const char *text, size_t size);
char *str_clean_copy(const char *text); /* the same as a text of its own; the caller frees */
/* Bytes of `text` that are left when it is cut to at most `most`, never within a UTF-8 character.
 */
size_t str_cut_size(const char *text, size_t size, size_t most);

bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
bool str_equal_key(const char *a, const char *b); /* '-' and '_' are the same */

/* malloc, calloc, strdup that abort on failure; the caller frees. */
void *mem_new(size_t count, size_t size);
void *mem_grow(void *old, size_t count, size_t size);
char *mem_copy_text(const char *text);

/* Reads a whole small file (sysfs, procfs) into `into`, which is cleared first; at most `limit`
 * bytes, the rest is left out. 0, or negative errno with `into` empty. Blocks as the file does:
 * callers in the screen's process pass sysfs and procfs text only. */
int file_read(const char *path, size_t limit, struct str *into);

#endif
