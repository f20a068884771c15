#include "device/superblock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define MAGIC_MAX 16
#define EDGE_BYTES (1u << 20) /* looked through at both ends before a device is called blank */
#define SAMPLES 64            /* and so many places between them */
#define SAMPLE_BYTES 4096u
#define EXT_AT 1024u
#define BTRFS_AT 65536u
#define MD_END_AT 65536u /* the old RAID's superblock stands in the last 64 to 128 KiB */

struct source {
    int fd;
    uint64_t size;
    int error; /* the first one */
};

/* Bytes behind the end read as zero, as does what cannot be read. */
static void get(struct source *source, uint64_t at, void *into, size_t size)
{
    memset(into, 0, size);
    for (size_t got = 0; got < size && at + got < source->size;) {
        ssize_t n = pread(source->fd, (char *)into + got, size - got, (off_t)(at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && source->error == 0)
            source->error = -errno;
        if (n <= 0)
            return;
        got += (size_t)n;
    }
}

static uint64_t little(struct source *source, uint64_t at, unsigned bytes)
{
    unsigned char raw[8];
    uint64_t value = 0;
    get(source, at, raw, bytes);
    for (unsigned i = bytes; i > 0; i--)
        value = value << 8 | raw[i - 1];
    return value;
}

/* A field of fixed width, padded with NULs or blanks. */
static void take_label(struct source *source, uint64_t at, size_t size, struct superblock *block)
{
    char raw[SUPERBLOCK_LABEL_MAX] = "";
    AUTO(str_done) struct str clean = {0};
    get(source, at, raw, size);
    size = strnlen(raw, size);
    while (size > 0 && raw[size - 1] == ' ')
        size--;
    str_add_clean(&clean, raw, size);
    memcpy(block->label, str_text(&clean), clean.size + 1);
}

/* ---- what a file system tells of itself; false: it is not what its magic says */

/* Features that the older drivers do not know make it an ext4. */
static bool read_ext(struct source *source, struct superblock *block)
{
    enum { HAS_JOURNAL = 0x4, RECOVER = 0x4, JOURNAL_DEVICE = 0x8 };
    const uint64_t incompat_of_ext3 = 0x2 | RECOVER | 0x10, read_only_of_ext3 = 0x1 | 0x2 | 0x4;
    uint64_t compat = little(source, EXT_AT + 92, 4), incompat = little(source, EXT_AT + 96, 4);
    uint64_t read_only = little(source, EXT_AT + 100, 4);
    bool has_journal = compat & HAS_JOURNAL;
    bool is_new = (incompat & ~incompat_of_ext3) || (read_only & ~read_only_of_ext3);
    if (incompat & JOURNAL_DEVICE) {
        block->content = SUPERBLOCK_OTHER;
        block->type = "the journal of another ext4";
        return true;
    }
    block->type = is_new ? "ext4" : has_journal ? "ext3" : "ext2";
    block->journal = !has_journal         ? SUPERBLOCK_NO_JOURNAL
                     : incompat & RECOVER ? SUPERBLOCK_OPEN
                                          : SUPERBLOCK_CLOSED;
    block->is_dirty = !has_journal && !(little(source, EXT_AT + 58, 2) & 1);
    take_label(source, EXT_AT + 120, 16, block);
    return true;
}

/* A boot sector's two last bytes are those of any PC disk: the fields must make sense too. */
static bool is_boot_sector(struct source *source)
{
    uint64_t sector = little(source, 11, 2), reserved = little(source, 14, 2),
             tables = little(source, 16, 1);
    return little(source, 510, 2) == 0xaa55 && sector >= 512 && sector <= 4096 &&
           (sector & (sector - 1)) == 0 && reserved > 0 && (tables == 1 || tables == 2);
}

static bool read_fat(struct source *source, struct superblock *block, uint64_t flags_at,
                     uint64_t label_at)
{
    if (!is_boot_sector(source))
        return false;
    block->is_dirty = little(source, flags_at, 1) & 1;
    take_label(source, label_at, 11, block);
    if (strcmp(block->label, "NO NAME") == 0)
        block->label[0] = '\0';
    return true;
}

static bool read_fat16(struct source *source, struct superblock *block)
{
    return read_fat(source, block, 0x25, 43);
}

static bool read_fat32(struct source *source, struct superblock *block)
{
    return read_fat(source, block, 0x41, 71);
}

static bool read_exfat(struct source *source, struct superblock *block)
{
    block->is_dirty = little(source, 106, 2) & 2;
    return little(source, 510, 2) == 0xaa55;
}

static bool read_xfs(struct source *source, struct superblock *block)
{
    block->journal = SUPERBLOCK_MAYBE_OPEN;
    take_label(source, 108, 12, block);
    return true;
}

static bool read_btrfs(struct source *source, struct superblock *block)
{
    block->journal =
        little(source, BTRFS_AT + 0x60, 8) ? SUPERBLOCK_OPEN : SUPERBLOCK_CLOSED; /* log tree */
    take_label(source, BTRFS_AT + 0x12b, 256, block);
    if (little(source, BTRFS_AT + 0x88, 8) > 1) {
        block->content = SUPERBLOCK_OTHER;
        block->type = "one of several devices of a btrfs";
    }
    return true;
}

static bool read_journalled(struct source *source, struct superblock *block)
{
    (void)source;
    block->journal = SUPERBLOCK_MAYBE_OPEN;
    return true;
}

static bool read_fixed(struct source *source, struct superblock *block)
{
    (void)source;
    block->is_read_only = true;
    return true;
}

static const struct rule {
    const char *type;
    uint64_t at;
    const char *magic;
    size_t size;
    bool is_other; /* no file system */
    bool (*read)(struct source *source, struct superblock *block);
} rules[] = {
#define MAGIC(text) (text), sizeof(text) - 1
    {"ext4", EXT_AT + 56, MAGIC("\x53\xef"), false, read_ext},
    {"vfat", 82, MAGIC("FAT32   "), false, read_fat32},
    {"vfat", 54, MAGIC("FAT16   "), false, read_fat16},
    {"vfat", 54, MAGIC("FAT12   "), false, read_fat16},
    {"exfat", 3, MAGIC("EXFAT   "), false, read_exfat},
    {"ntfs3", 3, MAGIC("NTFS    "), false, read_journalled},
    {"xfs", 0, MAGIC("XFSB"), false, read_xfs},
    {"btrfs", BTRFS_AT + 64, MAGIC("_BHRfS_M"), false, read_btrfs},
    {"f2fs", 1024, MAGIC("\x10\x20\xf5\xf2"), false, read_journalled},
    {"jfs", 32768, MAGIC("JFS1"), false, read_journalled},
    {"squashfs", 0, MAGIC("hsqs"), false, read_fixed},
    {"erofs", 1024, MAGIC("\xe2\xe1\xf5\xe0"), false, read_fixed},
    {"cramfs", 0, MAGIC("\x45\x3d\xcd\x28"), false, read_fixed},
    {"romfs", 0, MAGIC("-rom1fs-"), false, read_fixed},
    {"iso9660", 32769, MAGIC("CD001"), false, read_fixed},
    {"swap space", 4096 - 10, MAGIC("SWAPSPACE2"), true, NULL},
    {"swap space", 16384 - 10, MAGIC("SWAPSPACE2"), true, NULL},
    {"swap space", 65536 - 10, MAGIC("SWAPSPACE2"), true, NULL},
    {"a LUKS container", 0, MAGIC("LUKS\xba\xbe"), true, NULL},
    {"a BitLocker volume", 3, MAGIC("-FVE-FS-"), true, NULL},
    {"an LVM volume", 512 + 24, MAGIC("LVM2 001"), true, NULL},
    {"an LVM volume", 24, MAGIC("LVM2 001"), true, NULL},
    {"a member of a RAID", 0, MAGIC("\xfc\x4e\x2b\xa9"), true, NULL},
    {"a member of a RAID", 4096, MAGIC("\xfc\x4e\x2b\xa9"), true, NULL},
    {"a bcache device", 4096 + 24, MAGIC("\xc6\x85\x73\xf6\x4e\x1a\x45\xca"), true, NULL},
    {"a table of partitions", 512, MAGIC("EFI PART"), true, NULL},
    {"a table of partitions", 4096, MAGIC("EFI PART"), true, NULL},
};

static void note(struct superblock *block, const struct superblock *found)
{
    if (block->content == SUPERBLOCK_UNKNOWN) {
        *block = *found;
    } else if (strcmp(block->type, found->type) != 0 && !block->other) {
        block->other = found->type;
        block->content = SUPERBLOCK_OTHER;
    }
}

static void note_other(struct superblock *block, const char *type)
{
    const struct superblock found = {.content = SUPERBLOCK_OTHER, .type = type};
    note(block, &found);
}

/* RAID superblocks at the end leave the member looking like a whole file system. */
static void look_at_end(struct source *source, struct superblock *block)
{
    const uint64_t magic = 0xa92b4efc, kib_8 = 8192;
    if (source->size < 2 * MD_END_AT)
        return;
    uint64_t newer = (source->size - kib_8) & ~(uint64_t)4095;
    uint64_t older = (source->size & ~(uint64_t)(MD_END_AT - 1)) - MD_END_AT;
    if (little(source, newer, 4) == magic || little(source, older, 4) == magic)
        note_other(block, "a member of a RAID");
}

/* An entry of a PC's table: active or not, of some type, with a length. */
static bool is_pc_table(struct source *source)
{
    unsigned used = 0;
    if (little(source, 510, 2) != 0xaa55)
        return false;
    for (uint64_t at = 446; at < 510; at += 16) {
        uint64_t flag = little(source, at, 1), length = little(source, at + 12, 4);
        if (flag != 0 && flag != 0x80)
            return false;
        used += little(source, at + 4, 1) != 0 && length > 0;
    }
    return used > 0;
}

static bool is_even(const unsigned char *bytes, size_t size, unsigned char value)
{
    return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static bool is_blank(struct source *source)
{
    AUTO_FREE unsigned char *bytes = mem_new(1, EDGE_BYTES);
    const uint64_t step = source->size / (SAMPLES + 1);
    unsigned char value = 0;
    get(source, 0, &value, 1);
    if (value != 0 && value != 0xff)
        return false;
    size_t edge = source->size < EDGE_BYTES ? (size_t)source->size : EDGE_BYTES;
    get(source, 0, bytes, edge);
    bool is = is_even(bytes, edge, value);
    get(source, source->size - edge, bytes, edge);
    is = is && is_even(bytes, edge, value);
    for (uint64_t at = step; is && step >= SAMPLE_BYTES && at + SAMPLE_BYTES < source->size;
         at += step) {
        uint64_t place = at & ~(uint64_t)(SAMPLE_BYTES - 1);
        get(source, place, bytes, SAMPLE_BYTES);
        is = is_even(bytes, SAMPLE_BYTES, value);
    }
    return is && source->error == 0;
}

int superblock_read(int fd, uint64_t size, struct superblock *ret_superblock)
{
    struct source source = {.fd = fd, .size = size};
    struct superblock block = {.content = SUPERBLOCK_UNKNOWN};
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        const struct rule *rule = &rules[i];
        struct superblock found = {.content =
                                       rule->is_other ? SUPERBLOCK_OTHER : SUPERBLOCK_FILESYSTEM,
                                   .type = rule->type};
        char bytes[MAGIC_MAX];
        get(&source, rule->at, bytes, rule->size);
        if (memcmp(bytes, rule->magic, rule->size) == 0 &&
            (!rule->read || rule->read(&source, &found)))
            note(&block, &found);
    }
    look_at_end(&source, &block);
    if (block.content == SUPERBLOCK_UNKNOWN && is_pc_table(&source))
        note_other(&block, "a table of partitions");
    if (block.content == SUPERBLOCK_UNKNOWN && size > 0 && is_blank(&source))
        block.content = SUPERBLOCK_BLANK;
    if (source.error < 0)
        return source.error;
    *ret_superblock = block;
    return 0;
}

void superblock_describe(const struct superblock *block, struct str *into)
{
    if (block->content == SUPERBLOCK_BLANK)
        str_add(into, "nothing: it is blank");
    else if (block->content == SUPERBLOCK_UNKNOWN)
        str_add(into, "something that iodyno does not know");
    else if (block->other)
        str_addf(into, "signs of both %s and %s", block->type, block->other);
    else
        str_add(into, block->type);
    if (block->label[0])
        str_addf(into, " \"%s\"", block->label);
}

void superblock_warn(const struct superblock *block, struct str *into)
{
    static const char *const journals[] = {
        [SUPERBLOCK_NO_JOURNAL] = "the mount itself writes a little to it",
        [SUPERBLOCK_CLOSED] = "its journal is closed; the mount itself writes a little to it",
        [SUPERBLOCK_OPEN] = "its journal is open: the mount replays it, a write by the kernel",
        [SUPERBLOCK_MAYBE_OPEN] =
            "should its journal be open, the mount replays it: a write by the kernel",
    };
    if (block->is_dirty)
        str_add(into, "it was not unmounted in order; ");
    str_add(into, journals[block->journal]);
}

void superblock_mkfs(const char *node, struct str *into)
{
    str_addf(into, "mkfs.ext4 %s", node);
}
