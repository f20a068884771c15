#include "leafstat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_TEXT_MAX 512
#define STAT_COLUMNS 7 /* the first seven hold all that we want; older kernels have 11 in all */

int leafstat_parse(const char *text, uint64_t ret_fields[LEAF_FIELDS])
{
    static const unsigned column[LEAF_FIELDS] = {
        [LEAF_READS] = 0, [LEAF_READ_SECTORS] = 2, [LEAF_WRITES] = 4, [LEAF_WRITTEN_SECTORS] = 6};
    uint64_t values[STAT_COLUMNS];
    for (size_t i = 0; i < STAT_COLUMNS; i++) {
        text += strspn(text, " ");
        if (*text < '0' || *text > '9')
            return -EINVAL;
        char *end;
        errno = 0;
        values[i] = strtoull(text, &end, 10);
        if (errno || (*end != ' ' && *end != '\n' && *end != '\0'))
            return -EINVAL;
        text = end;
    }
    for (size_t i = 0; i < LEAF_FIELDS; i++)
        ret_fields[i] = values[column[i]];
    return 0;
}

uint64_t leafstat_moved(uint64_t before, uint64_t now)
{
    if (now >= before)
        return now - before;
    return before <= UINT32_MAX ? now + (UINT64_C(1) << 32) - before : 0;
}

static int read_fields(int fd, uint64_t ret_fields[LEAF_FIELDS])
{
    char text[STAT_TEXT_MAX];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n < 0)
        return -errno;
    text[n] = '\0';
    return leafstat_parse(text, ret_fields);
}

void leafstat_open(struct leafstat *leaf, const char *const *paths)
{
    memset(leaf, 0, sizeof *leaf);
    for (size_t i = 0; paths && paths[i] && leaf->count < LEAF_MAX; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0)
            continue;
        if (read_fields(fd, leaf->last[leaf->count]) < 0) {
            close(fd);
            continue;
        }
        leaf->fds[leaf->count++] = fd;
    }
}

void leafstat_close(struct leafstat *leaf)
{
    for (size_t i = 0; i < leaf->count; i++)
        close(leaf->fds[i]);
    leaf->count = 0;
}

struct leaf_counts leafstat_read(struct leafstat *leaf)
{
    for (size_t i = 0; i < leaf->count; i++) {
        uint64_t now[LEAF_FIELDS], *last = leaf->last[i];
        if (read_fields(leaf->fds[i], now) < 0) {
            leaf->is_gone = true;
            continue;
        }
        leaf->sum.read_requests += leafstat_moved(last[LEAF_READS], now[LEAF_READS]);
        leaf->sum.write_requests += leafstat_moved(last[LEAF_WRITES], now[LEAF_WRITES]);
        leaf->sum.read_bytes +=
            LEAF_SECTOR * leafstat_moved(last[LEAF_READ_SECTORS], now[LEAF_READ_SECTORS]);
        leaf->sum.written_bytes +=
            LEAF_SECTOR * leafstat_moved(last[LEAF_WRITTEN_SECTORS], now[LEAF_WRITTEN_SECTORS]);
        memcpy(last, now, sizeof now);
    }
    return leaf->sum;
}
