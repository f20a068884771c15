#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"

static int open_regular(const char *root, const char *path)
{
    char whole[TEXT_PATH_MAX];
    struct stat about;
    const char *above = root && strcmp(root, "/") != 0 ? root : "";
    int size = snprintf(whole, sizeof whole, "%s%s", above, path);
    if (size < 0 || (size_t)size >= sizeof whole)
        return -ENAMETOOLONG;
    int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode)) {
        (void)close(fd);
        return -EINVAL;
    }
    return fd;
}

int text_read_bytes(const char *root, const char *path, void *into, size_t size)
{
    AUTO_CLOSE int fd = open_regular(root, path);
    size_t filled = 0;
    if (fd < 0)
        return fd;
    while (filled < size) {
        ssize_t n = read(fd, (char *)into + filled, size - filled);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        filled += (size_t)n;
    }
    return (int)filled;
}

int text_read(const char *root, const char *path, char *into, size_t size)
{
    int filled = text_read_bytes(root, path, into, size - 1);
    size_t end = filled > 0 ? (size_t)filled : 0;
    while (end > 0 && (into[end - 1] == '\n' || into[end - 1] == ' ' || into[end - 1] == '\t'))
        end--;
    into[end] = '\0';
    return filled < 0 ? filled : (int)end;
}

int text_digits(const char *text, uint64_t *ret_value, const char **ret_end)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const unsigned digit = (unsigned)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -ERANGE;
        value = value * 10 + digit;
    }
    if (at == text)
        return -EINVAL;
    *ret_value = value;
    if (ret_end)
        *ret_end = at;
    return 0;
}

int text_number(const char *root, const char *path, uint64_t *ret_value)
{
    char text[32];
    const char *end;
    uint64_t value;
    int code = text_read(root, path, text, sizeof text);
    if (code < 0)
        return code;
    code = text_digits(text, &value, &end);
    if (code == 0 && *end != '\0')
        code = -EINVAL;
    if (code == 0)
        *ret_value = value;
    return code;
}

int text_field(const char *text, const char *key, uint64_t *ret_value)
{
    const size_t size = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) != 0)
            continue;
        line += size;
        return text_digits(line + strspn(line, " \t"), ret_value, NULL);
    }
    return -ENOENT;
}
