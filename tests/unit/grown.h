/* grown: a recorded machine that a test grows file by file in a folder of its own. */
#ifndef GROWN_H
#define GROWN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char grown_root[64];

static inline int grown_setup(void **state)
{
    (void)state;
    (void)strcpy(grown_root, "/tmp/iodyno-grown-XXXXXX");
    return mkdtemp(grown_root) ? 0 : -1;
}

static inline int grown_remove(const char *path, const struct stat *about, int type,
                               struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

static inline int grown_teardown(void **state)
{
    (void)state;
    return nftw(grown_root, grown_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void grow_bytes(const char *path, const void *bytes, size_t size)
{
    char whole[512];
    (void)snprintf(whole, sizeof whole, "%s%s", grown_root, path);
    for (char *slash = whole + strlen(grown_root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(whole, 0755);
        *slash = '/';
    }
    FILE *file = fopen(whole, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void grow(const char *path, const char *text)
{
    grow_bytes(path, text, strlen(text));
}

static inline void grow_cell(const char *path, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                              (uint8_t)value};
    grow_bytes(path, bytes, sizeof bytes);
}

#endif
