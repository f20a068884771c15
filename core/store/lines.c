#include "store/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "report/jsonl.h"

#define CHUNK 65536

struct lines {
    struct str line;
    unsigned long number;
    lines_fn fn;
    void *user;
};

static int hand_out(struct lines *lines)
{
    int r = lines->line.size > 0 ? lines->fn(lines->user, lines->line.text, lines->line.size) : 0;
    str_clear(&lines->line);
    return r;
}

static int take(struct lines *lines, const char *bytes, size_t size, struct str *why)
{
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        size_t part = end ? (size_t)(end - bytes) : size;
        if (lines->line.size + part > JSONL_LINE_MAX) {
            str_addf(why, "line %lu is longer than %d bytes", lines->number + 1, JSONL_LINE_MAX);
            return -EPROTO;
        }
        str_add_bytes(&lines->line, bytes, part);
        if (!end)
            return 0;
        lines->number++;
        int r = hand_out(lines);
        if (r < 0)
            return r;
        bytes += part + 1;
        size -= part + 1;
    }
    return 0;
}

static int read_all(int fd, struct lines *lines, struct str *why)
{
    AUTO_FREE char *chunk = mem_new(1, CHUNK);
    for (;;) {
        ssize_t got = read(fd, chunk, CHUNK);
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got == 0)
            return hand_out(lines); /* the last line may lack its newline */
        int r = got > 0 ? take(lines, chunk, (size_t)got, why) : 0;
        if (r < 0)
            return r;
    }
}

/* Not blocking on a FIFO without a writer, and only files end. */
static int open_file(const char *path, int *ret_fd)
{
    struct stat about;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) < 0)
        return -errno;
    if (S_ISDIR(about.st_mode))
        return -EISDIR;
    if (!S_ISREG(about.st_mode))
        return -EINVAL;
    *ret_fd = take_fd(&fd);
    return 0;
}

int lines_read(const char *path, lines_fn fn, void *user, struct str *why)
{
    AUTO_CLOSE int fd = -1;
    char sentence[1024];
    struct lines lines = {.fn = fn, .user = user};
    int r = open_file(path, &fd);
    if (r == 0)
        r = read_all(fd, &lines, why);
    if (r < 0 && why->size == 0)
        str_add(why, err_explain(sentence, sizeof(sentence), r, "read", path));
    str_done(&lines.line);
    return r;
}
