#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

void *mem_new(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        abort();
    return memory;
}

void *mem_grow(void *old, size_t count, size_t size)
{
    void *memory;

    if (size != 0 && count > SIZE_MAX / size)
        abort();
    memory = realloc(old, count > 0 && size > 0 ? count * size : 1);
    if (!memory)
        abort();
    return memory;
}

char *mem_copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_new(size, 1);

    memcpy(copy, text, size);
    return copy;
}

void str_done(struct str *s)
{
    free(s->text);
    *s = (struct str){0};
}

void str_clear(struct str *s)
{
    s->size = 0;
    if (s->text)
        s->text[0] = '\0';
}

const char *str_text(const struct str *s)
{
    return s->text ? s->text : "";
}

static void str_reserve(struct str *s, size_t more)
{
    size_t capacity = s->capacity ? s->capacity : 64;

    if (more >= SIZE_MAX / 4 - s->size)
        abort();
    while (capacity < s->size + more + 1)
        capacity *= 2;
    if (capacity == s->capacity)
        return;
    s->text = mem_grow(s->text, capacity, 1);
    s->text[s->size] = '\0';
    s->capacity = capacity;
}

void str_add_bytes(struct str *s, const void *bytes, size_t size)
{
    str_reserve(s, size);
    if (size)
        memcpy(s->text + s->size, bytes, size);
    s->size += size;
    s->text[s->size] = '\0';
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_addv(struct str *s, const char *format, va_list args)
{
    va_list again;
    int size;

    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0)
        return;
    str_reserve(s, (size_t)size);
    (void)vsnprintf(s->text + s->size, (size_t)size + 1, format, args);
    s->size += (size_t)size;
}

void str_addf(struct str *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str_addv(s, format, args);
    va_end(args);
}

char *str_take(struct str *s)
{
    char *text;

    str_reserve(s, 0);
    text = s->text;
    *s = (struct str){0};
    return text;
}

void str_add_pair(struct str *s, const char *key, const char *value)
{
    str_add_bytes(s, key, strlen(key) + 1);
    str_add_bytes(s, value, strlen(value) + 1);
}

void str_add_pairf(struct str *s, const char *key, const char *format, ...)
{
    va_list args;

    str_add_bytes(s, key, strlen(key) + 1);
    va_start(args, format);
    str_addv(s, format, args);
    va_end(args);
    str_add_bytes(s, "", 1);
}

/* Length of the well-formed UTF-8 character at `bytes`, 0 when there is none. */
static size_t utf8_take(const unsigned char *bytes, size_t size, uint32_t *ret_point)
{
    static const uint32_t SMALLEST[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = bytes[0] < 0x80             ? 1
                    : (bytes[0] & 0xe0) == 0xc0 ? 2
                    : (bytes[0] & 0xf0) == 0xe0 ? 3
                    : (bytes[0] & 0xf8) == 0xf0 ? 4
                                                : 0;
    uint32_t point;

    if (length == 0 || length > size)
        return 0;
    point = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (bytes[i] & 0x3fu);
    }
    if (point < SMALLEST[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return 0;
    *ret_point = point;
    return length;
}

/* What may move the cursor, end a line or turn the reading direction. */
static bool is_unfit(uint32_t point)
{
    static const struct {
        uint32_t first, last;
    } RANGES[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
    };

    for (size_t i = 0; i < ARRAY_SIZE(RANGES); i++) {
        if (point >= RANGES[i].first && point <= RANGES[i].last)
            return true;
    }
    return false;
}

void str_add_clean(struct str *s, const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;

    str_reserve(s, size);
    for (size_t at = 0; at < size;) {
        uint32_t point = 0;
        size_t length = utf8_take(bytes + at, size - at, &point);

        if (length == 0 || is_unfit(point))
            str_add_bytes(s, "?", 1);
        else
            str_add_bytes(s, text + at, length);
        at += length ? length : 1;
    }
}

char *str_clean_copy(const char *text)
{
    struct str copy = {0};

    str_add_clean(&copy, text, strlen(text));
    return str_take(&copy);
}

size_t str_cut_size(const char *text, size_t size, size_t most)
{
    size_t length = most;

    if (size <= most)
        return size;
    /* Bytes 10xxxxxx continue a character; no character has more than three of them. */
    while (length > 0 && most - length < 3 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return ((unsigned char)text[length] & 0xc0) == 0x80 ? most : length;
}

bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
    size_t size = strlen(text), tail = strlen(suffix);

    return size >= tail && strcmp(text + size - tail, suffix) == 0;
}

bool str_equal_key(const char *a, const char *b)
{
    for (;; a++, b++) {
        char x = *a == '_' ? '-' : *a, y = *b == '_' ? '-' : *b;

        if (x != y)
            return false;
        if (x == '\0')
            return true;
    }
}

int file_read(const char *path, size_t limit, struct str *into)
{
    AUTO_CLOSE int fd = -1;

    str_clear(into);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    while (into->size < limit) {
        char piece[4096];
        size_t room = limit - into->size;
        ssize_t size = read(fd, piece, room < sizeof(piece) ? room : sizeof(piece));

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0) {
            int code = -errno;

            str_clear(into);
            return code;
        }
        if (size == 0)
            break;
        str_add_bytes(into, piece, (size_t)size);
    }
    return 0;
}
