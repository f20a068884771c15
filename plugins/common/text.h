/* text: small text files of sysfs, procfs and the device tree below a root folder ("" or "/" is
 * this machine). Only regular files are read, nothing is waited for. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_PATH_MAX 1024

/* Reads at most `size` - 1 bytes of ROOT + `path` and ends them with a NUL; trailing blanks are
 * cut. Bytes read, which may hold NULs, or negative errno with `into` empty. */
int text_read(const char *root, const char *path, char *into, size_t size);
/* Trailing bytes are kept: for the cells of a device tree. */
int text_read_bytes(const char *root, const char *path, void *into, size_t size);
/* A decimal number alone on its line. 0 or negative errno; untouched on failure. */
int text_number(const char *root, const char *path, uint64_t *ret_value);
/* Digits at the start of `text`; -EINVAL for none, -ERANGE when they do not fit. *ret_end, unless
 * NULL, is what follows them. */
int text_digits(const char *text, uint64_t *ret_value, const char **ret_end);
/* The number behind `key` ("MemTotal:") at the start of a line; -ENOENT when no line has it. */
int text_field(const char *text, const char *key, uint64_t *ret_value);

#endif
