/* superblock: told from images that are made here, byte by byte, as the kernel's headers say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/superblock.h"

#define SIZE (4u << 20)

struct image {
    int fd;
};

static void image_new(struct image *image, uint64_t size)
{
    image->fd = memfd_create("image", MFD_CLOEXEC);
    assert_true(image->fd >= 0);
    assert_int_equal(ftruncate(image->fd, (off_t)size), 0);
}

static void put(const struct image *image, uint64_t at, const void *bytes, size_t size)
{
    assert_int_equal(pwrite(image->fd, bytes, size, (off_t)at), size);
}

static void put_number(const struct image *image, uint64_t at, uint64_t value, unsigned bytes)
{
    unsigned char raw[8];
    for (unsigned i = 0; i < bytes; i++)
        raw[i] = (unsigned char)(value >> 8 * i);
    put(image, at, raw, bytes);
}

#define PUT(image, at, text) put((image), (at), (text), sizeof(text) - 1)

static struct superblock seen(struct image *image)
{
    struct superblock block;
    memset(&block, 0x5a, sizeof block);
    off_t size = lseek(image->fd, 0, SEEK_END);
    assert_int_equal(superblock_read(image->fd, (uint64_t)size, &block), 0);
    (void)close(image->fd);
    return block;
}

/* What a person reads. */
static void assert_described(const struct superblock *block, const char *text)
{
    AUTO(str_done) struct str into = {0};
    superblock_describe(block, &into);
    assert_string_equal(into.text, text);
}

static void a_blank_device_is_called_blank(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {512, 4096, 1u << 20, SIZE, 3u << 30};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct image image;
        image_new(&image, sizes[i]);
        struct superblock block = seen(&image);
        assert_int_equal(block.content, SUPERBLOCK_BLANK);
        assert_described(&block, "nothing: it is blank");
    }
    struct image image; /* erased flash reads as ones */
    image_new(&image, SIZE);
    static unsigned char ones[SIZE];
    memset(ones, 0xff, sizeof ones);
    put(&image, 0, ones, sizeof ones);
    assert_int_equal(seen(&image).content, SUPERBLOCK_BLANK);
}

static void one_byte_is_not_blank(void **state)
{
    (void)state;
    static const uint64_t places[] = {0, 1, 65535, (1u << 20) - 1, SIZE - 1, SIZE - 65536};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        struct image image;
        image_new(&image, SIZE);
        PUT(&image, places[i], "\x01");
        struct superblock block = seen(&image);
        assert_int_equal(block.content, SUPERBLOCK_UNKNOWN);
        assert_described(&block, "something that iodyno does not know");
    }
    struct image image; /* in the middle of a large one: where it looks */
    image_new(&image, 650ull << 20);
    for (uint64_t at = 2u << 20; at < 640ull << 20; at += 1u << 20)
        PUT(&image, at, "data");
    assert_int_equal(seen(&image).content, SUPERBLOCK_UNKNOWN);
}

static void no_bytes_at_all_are_not_blank(void **state)
{
    (void)state;
    struct image image;
    image_new(&image, 0);
    assert_int_equal(seen(&image).content, SUPERBLOCK_UNKNOWN);
}

static struct superblock ext(uint64_t compat, uint64_t incompat, uint64_t read_only, uint64_t valid)
{
    struct image image;
    image_new(&image, SIZE);
    PUT(&image, 1080, "\x53\xef");
    put_number(&image, 1024 + 58, valid, 2);
    put_number(&image, 1024 + 92, compat, 4);
    put_number(&image, 1024 + 96, incompat, 4);
    put_number(&image, 1024 + 100, read_only, 4);
    PUT(&image, 1024 + 120, "DA\x1b[2J\0old");
    return seen(&image);
}

static void ext_is_told_by_its_features(void **state)
{
    (void)state;
    struct superblock block = ext(0x4, 0x2 | 0x40, 0x1 | 0x2, 1);
    assert_int_equal(block.content, SUPERBLOCK_FILESYSTEM);
    assert_string_equal(block.type, "ext4");
    assert_int_equal(block.journal, SUPERBLOCK_CLOSED);
    assert_described(&block, "ext4 \"DA?[2J\""); /* a label is foreign text */
    block = ext(0x4, 0x2 | 0x4, 0x1, 1);
    assert_string_equal(block.type, "ext3");
    assert_int_equal(block.journal, SUPERBLOCK_OPEN);
    block = ext(0, 0x2, 0x1, 0);
    assert_string_equal(block.type, "ext2");
    assert_int_equal(block.journal, SUPERBLOCK_NO_JOURNAL);
    assert_true(block.is_dirty);
    block = ext(0, 0x8, 0, 1);
    assert_int_equal(block.content, SUPERBLOCK_OTHER);
}

static void an_open_journal_is_named_a_write(void **state)
{
    (void)state;
    struct superblock block = ext(0x4, 0x4 | 0x40, 0, 1);
    AUTO(str_done) struct str into = {0};
    superblock_warn(&block, &into);
    assert_string_equal(into.text,
                        "its journal is open: the mount replays it, a write by the kernel");
}

static void fat(struct image *image)
{
    image_new(image, SIZE);
    put_number(image, 11, 512, 2);
    put_number(image, 14, 32, 2);
    put_number(image, 16, 2, 1);
    put_number(image, 510, 0xaa55, 2);
}

static void fat_needs_more_than_a_magic(void **state)
{
    (void)state;
    struct image image;
    fat(&image);
    PUT(&image, 82, "FAT32   ");
    PUT(&image, 71, "CARD       ");
    PUT(&image, 0x41, "\x01");
    struct superblock block = seen(&image);
    assert_string_equal(block.type, "vfat");
    assert_true(block.is_dirty);
    assert_described(&block, "vfat \"CARD\"");
    fat(&image);
    PUT(&image, 54, "FAT16   ");
    PUT(&image, 43, "NO NAME    ");
    block = seen(&image);
    assert_described(&block, "vfat");
    assert_false(block.is_dirty);
    fat(&image);
    PUT(&image, 82, "FAT32   ");
    put_number(&image, 11, 513, 2); /* no sector size */
    assert_int_not_equal(seen(&image).content, SUPERBLOCK_FILESYSTEM);
}

static void others_are_told(void **state)
{
    (void)state;
    static const struct {
        uint64_t at;
        const char *magic;
        size_t size;
        enum superblock_content content;
        const char *text;
        bool is_read_only;
    } rows[] = {
        {0, "XFSB", 4, SUPERBLOCK_FILESYSTEM, "xfs", false},
        {65600, "_BHRfS_M", 8, SUPERBLOCK_FILESYSTEM, "btrfs", false},
        {1024, "\x10\x20\xf5\xf2", 4, SUPERBLOCK_FILESYSTEM, "f2fs", false},
        {3, "NTFS    ", 8, SUPERBLOCK_FILESYSTEM, "ntfs3", false},
        {0, "hsqs", 4, SUPERBLOCK_FILESYSTEM, "squashfs", true},
        {1024, "\xe2\xe1\xf5\xe0", 4, SUPERBLOCK_FILESYSTEM, "erofs", true},
        {4086, "SWAPSPACE2", 10, SUPERBLOCK_OTHER, "swap space", false},
        {0, "LUKS\xba\xbe", 6, SUPERBLOCK_OTHER, "a LUKS container", false},
        {536, "LVM2 001", 8, SUPERBLOCK_OTHER, "an LVM volume", false},
        {4096, "\xfc\x4e\x2b\xa9", 4, SUPERBLOCK_OTHER, "a member of a RAID", false},
        {SIZE - 8192, "\xfc\x4e\x2b\xa9", 4, SUPERBLOCK_OTHER, "a member of a RAID", false},
        {SIZE - 65536, "\xfc\x4e\x2b\xa9", 4, SUPERBLOCK_OTHER, "a member of a RAID", false},
        {512, "EFI PART", 8, SUPERBLOCK_OTHER, "a table of partitions", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct image image;
        image_new(&image, SIZE);
        put(&image, rows[i].at, rows[i].magic, rows[i].size);
        struct superblock block = seen(&image);
        assert_int_equal(block.content, rows[i].content);
        assert_described(&block, rows[i].text);
        assert_int_equal(block.is_read_only, rows[i].is_read_only);
    }
}

static void two_signs_are_no_file_system(void **state)
{
    (void)state;
    struct image image;
    image_new(&image, SIZE);
    PUT(&image, 1080, "\x53\xef");
    PUT(&image, SIZE - 8192, "\xfc\x4e\x2b\xa9"); /* half of a mirror */
    struct superblock block = seen(&image);
    assert_int_equal(block.content, SUPERBLOCK_OTHER);
    assert_described(&block, "signs of both ext2 and a member of a RAID");
}

static void a_pc_table_needs_an_entry(void **state)
{
    (void)state;
    struct image image;
    image_new(&image, SIZE);
    put_number(&image, 510, 0xaa55, 2);
    assert_int_equal(seen(&image).content, SUPERBLOCK_UNKNOWN);
    image_new(&image, SIZE);
    put_number(&image, 510, 0xaa55, 2);
    put_number(&image, 446 + 4, 0x83, 1);
    put_number(&image, 446 + 12, 2048, 4);
    struct superblock block = seen(&image);
    assert_int_equal(block.content, SUPERBLOCK_OTHER);
    assert_described(&block, "a table of partitions");
}

static void one_of_several_of_a_btrfs_is_none(void **state)
{
    (void)state;
    struct image image;
    image_new(&image, SIZE);
    PUT(&image, 65600, "_BHRfS_M");
    put_number(&image, 65536 + 0x88, 2, 8);
    assert_int_equal(seen(&image).content, SUPERBLOCK_OTHER);
}

static void what_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    struct superblock block = {.content = SUPERBLOCK_OTHER};
    int ends[2];
    assert_int_equal(pipe(ends), 0); /* pread: ESPIPE */
    assert_int_equal(superblock_read(ends[0], SIZE, &block), -ESPIPE);
    assert_int_equal(block.content, SUPERBLOCK_OTHER); /* untouched */
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blank_device_is_called_blank),
        cmocka_unit_test(one_byte_is_not_blank),
        cmocka_unit_test(no_bytes_at_all_are_not_blank),
        cmocka_unit_test(ext_is_told_by_its_features),
        cmocka_unit_test(an_open_journal_is_named_a_write),
        cmocka_unit_test(fat_needs_more_than_a_magic),
        cmocka_unit_test(others_are_told),
        cmocka_unit_test(two_signs_are_no_file_system),
        cmocka_unit_test(a_pc_table_needs_an_entry),
        cmocka_unit_test(one_of_several_of_a_btrfs_is_none),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
