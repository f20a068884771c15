#include "device/kmsg.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"

#define LEVEL_MASK 7u /* above it stands the facility */

int kmsg_parse(const char *record, size_t size, unsigned *ret_level, struct str *into)
{
    const char *text = memchr(record, ';', size);
    unsigned number = 0;
    size_t at = 0;
    for (; at < size && at < 6 && isdigit((unsigned char)record[at]); at++)
        number = number * 10 + (unsigned)(record[at] - '0');
    if (!text || at == 0 || at >= size || record[at] != ',')
        return -EINVAL;
    size_t left = size - (size_t)(++text - record);
    const char *end = memchr(text, '\n', left);
    str_add_clean(into, text, end ? (size_t)(end - text) : left);
    *ret_level = number & LEVEL_MASK;
    return 0;
}

/* What may follow the name of a disk: the number of a partition. */
static const char *skip_partition(const char *rest, bool ends_in_digit)
{
    if (ends_in_digit && rest[0] == 'p' && isdigit((unsigned char)rest[1]))
        rest++;
    else if (ends_in_digit)
        return rest;
    while (isdigit((unsigned char)*rest))
        rest++;
    return rest;
}

bool kmsg_names(const char *text, const char *name)
{
    size_t size = strlen(name);
    if (size == 0)
        return false;
    bool ends_in_digit = isdigit((unsigned char)name[size - 1]);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        const char *rest = skip_partition(at + size, ends_in_digit);
        bool is_begin = at == text || !isalnum((unsigned char)at[-1]);
        if (is_begin && !isalnum((unsigned char)*rest))
            return true;
    }
    return false;
}
