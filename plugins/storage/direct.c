#include "direct.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Libraries older than the kernel lack these members; the kernel's layout is fixed at 256 bytes. */
#define DIOALIGN_MASK 0x2000u
struct statx_bytes {
    uint32_t mask;
    unsigned char before[152 - sizeof(uint32_t)];
    uint32_t dio_mem_align, dio_offset_align;
    uint64_t after[12];
};
_Static_assert(offsetof(struct statx_bytes, dio_mem_align) == 152, "kernel's struct statx");
_Static_assert(sizeof(struct statx_bytes) == 256, "kernel's struct statx");

int direct_alignment(int fd, uint32_t *ret_align)
{
    *ret_align = 0;
#ifdef SYS_statx
    struct statx_bytes stat = {0};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, DIOALIGN_MASK, &stat) < 0)
        return -1;
    if (!(stat.mask & DIOALIGN_MASK))
        return -1;
    *ret_align = stat.dio_offset_align;
    return stat.dio_offset_align > 0;
#else
    (void)fd;
    return -1;
#endif
}

bool direct_is_ram_loop(const char *const *leaf_stat)
{
    char path[512], answer = '1';
    const char *slash = leaf_stat && leaf_stat[0] ? strrchr(leaf_stat[0], '/') : NULL;
    if (!slash)
        return false;
    int n = snprintf(path, sizeof path, "%.*s/loop/dio", (int)(slash - leaf_stat[0]), leaf_stat[0]);
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false; /* no loop device */
    bool is_off = read(fd, &answer, 1) == 1 && answer == '0';
    close(fd);
    return is_off;
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

struct direct_answer direct_judge(const struct direct_evidence *e)
{
    /* fs/fat and fs/exfat answer "0, do it buffered" to a direct write beyond the end of file. */
    static const char *const extend_buffered[] = {"vfat", "msdos", "exfat", NULL};
    static const char *const plain[] = {"ext2", "ext3", "ext4", "xfs", "f2fs", NULL};
    const char *filesystem = e->filesystem ? e->filesystem : "";

    if (e->was_refused)
        return (struct direct_answer){DIRECT_NOT_HONOURED,
                                      "the filesystem refused O_DIRECT, so the run was buffered"};
    if (e->is_write && is_one_of(filesystem, extend_buffered))
        return (struct direct_answer){DIRECT_NOT_HONOURED,
                                      "this filesystem writes a growing file through the page "
                                      "cache and flushes each block"};
    if (e->is_cache_known && e->cached_bytes > e->probed_bytes / 8)
        return (struct direct_answer){DIRECT_NOT_HONOURED,
                                      "the data lay in RAM (page cache) right afterwards"};
    if (e->alignment == 0)
        return (struct direct_answer){DIRECT_NOT_HONOURED,
                                      "the kernel reports no direct I/O for this file"};
    if (e->alignment > 0)
        return (struct direct_answer){DIRECT_HONOURED,
                                      e->is_cache_known
                                          ? "the kernel names its alignment, and nothing lay in RAM"
                                          : "the kernel names its alignment"};
    if (e->is_cache_known && e->probed_bytes > 0 && is_one_of(filesystem, plain))
        return (struct direct_answer){DIRECT_HONOURED,
                                      "nothing lay in RAM, on a filesystem known for direct I/O"};
    return (struct direct_answer){
        DIRECT_UNKNOWN, "the filesystem accepts O_DIRECT without telling what it does with it"};
}

struct direct_answer direct_judge_raw(bool is_ram_loop)
{
    if (is_ram_loop)
        return (struct direct_answer){DIRECT_NOT_HONOURED,
                                      "this loop device fetches its file through RAM (losetup "
                                      "--direct-io=on would not)"};
    return (struct direct_answer){DIRECT_HONOURED, "the device itself was read, not a file"};
}

const char *direct_word(enum direct_verdict verdict)
{
    static const char *const words[] = {[DIRECT_UNKNOWN] = "cannot tell",
                                        [DIRECT_HONOURED] = "honoured",
                                        [DIRECT_NOT_HONOURED] = "not honoured"};
    return words[verdict];
}
