#include "widget/wrap.h"

#include <string.h>

#include "base/str.h"
#include "terminal/canvas.h"

size_t wrap_size(const char *text, int columns)
{
    size_t size = 0, blank = 0;
    struct str part = {0};
    while (text[size]) {
        size_t next = size + 1;
        while (((unsigned char)text[next] & 0xc0u) == 0x80u)
            next++;
        str_clear(&part);
        str_add_bytes(&part, text, next);
        if (canvas_width(str_text(&part)) > columns)
            break;
        size = next;
        if (text[size] == ' ' || text[size] == '\0')
            blank = size;
    }
    str_done(&part);
    if (blank > 0 && text[size])
        return blank;
    return size > 0 ? size : strlen(text);
}
