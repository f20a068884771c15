#include "terminal/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <strings.h>

#include "base/cleanup.h"

/* The variable that decides LC_CTYPE, NULL when none is set. */
static const char *asked(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return value;
    }
    return NULL;
}

static bool names_utf8(const char *locale)
{
    for (; *locale; locale++) {
        if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
            return true;
    }
    return false;
}

bool charset_open(void)
{
    const char *name = asked();

    /* A UTF-8 locale that this board has not installed still says what its terminal reads. */
    if ((!name || (!setlocale(LC_CTYPE, "") && names_utf8(name))) &&
        !setlocale(LC_CTYPE, "C.UTF-8"))
        (void)setlocale(LC_CTYPE, "C.utf8");
    return strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

uint32_t charset_decode(const char *text, size_t *ret_size)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t size = bytes[0] < 0x80           ? 1
                  : (bytes[0] >> 5) == 0x06 ? 2
                  : (bytes[0] >> 4) == 0x0e ? 3
                  : (bytes[0] >> 3) == 0x1e ? 4
                                            : 0;

    *ret_size = bytes[0] ? 1 : 0;
    if (size == 1)
        return bytes[0];
    if (size == 0)
        return CHARSET_BAD;
    uint32_t character = bytes[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return CHARSET_BAD;
        character = character << 6 | (bytes[i] & 0x3fu);
    }
    if (character < smallest[size] || character > 0x10ffff || (character >> 11) == 0x1b)
        return CHARSET_BAD;
    *ret_size = size;
    return character;
}

size_t charset_encode(uint32_t character, char into[4])
{
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

    if (size == 1) {
        into[0] = (char)character;
        return 1;
    }
    for (size_t i = size - 1; i > 0; i--) {
        into[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    into[0] = (char)(lead[size] | character);
    return size;
}
