#include "widget/line.h"

#include <string.h>

#include "terminal/keys.h"

#define KEY_CTRL_U 0x15

static bool is_inside(char byte) /* a character's second to fourth byte */
{
    return ((unsigned char)byte & 0xc0u) == 0x80u;
}

static size_t step_back(const struct line *line, size_t at)
{
    while (at > 0 && is_inside(line->text[--at]))
        ;
    return at;
}

static size_t step_on(const struct line *line, size_t at)
{
    if (at < line->size)
        at++;
    while (at < line->size && is_inside(line->text[at]))
        at++;
    return at;
}

static size_t encode(unsigned code, char into[4])
{
    if (code < 0x80) {
        into[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        into[i] = (char)(0x80u | (code & 0x3fu));
    into[0] = (char)(lead[size] | code);
    return size;
}

static void insert(struct line *line, unsigned code)
{
    char bytes[4];
    size_t size = encode(code, bytes);
    if (line->size + size >= LINE_MAX_BYTES)
        return;
    memmove(line->text + line->cursor + size, line->text + line->cursor,
            line->size - line->cursor + 1);
    memcpy(line->text + line->cursor, bytes, size);
    line->size += size;
    line->cursor += size;
}

static void cut(struct line *line, size_t from, size_t to)
{
    memmove(line->text + from, line->text + to, line->size - to + 1);
    line->size -= to - from;
    line->cursor = from;
}

void line_set(struct line *line, const char *text)
{
    size_t size = strlen(text);
    if (size >= LINE_MAX_BYTES) {
        size = LINE_MAX_BYTES - 1;
        while (size > 0 && is_inside(text[size]))
            size--;
    }
    memcpy(line->text, text, size);
    line->text[size] = '\0';
    line->size = line->cursor = size;
}

bool line_key(struct line *line, int key)
{
    switch (key) {
    case KEY_CODE_LEFT:
        line->cursor = step_back(line, line->cursor);
        return true;
    case KEY_CODE_RIGHT:
        line->cursor = step_on(line, line->cursor);
        return true;
    case KEY_CODE_HOME:
        line->cursor = 0;
        return true;
    case KEY_CODE_END:
        line->cursor = line->size;
        return true;
    case KEY_CODE_BACKSPACE:
        cut(line, step_back(line, line->cursor), line->cursor);
        return true;
    case KEY_CODE_DELETE:
        cut(line, line->cursor, step_on(line, line->cursor));
        return true;
    case KEY_CTRL_U:
        cut(line, 0, line->size);
        return true;
    default:
        break;
    }
    bool is_surrogate = key >= 0xd800 && key <= 0xdfff;
    if (key < ' ' || key == 0x7f || key >= KEY_CODE_FIRST || is_surrogate)
        return false;
    insert(line, (unsigned)key);
    return true;
}
