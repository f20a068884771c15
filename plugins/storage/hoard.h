/* hoard: the files that a verify fills. They bear names of their own and stay until all has been
 * compared, so that after a cancel, a power cut or a removal another run goes on with them; what is
 * not such a file of ours is never touched. Errors: negative errno, with one sentence in `why`
 * where there is one. May block as the filesystem does. */
#ifndef STORAGE_HOARD_H
#define STORAGE_HOARD_H

#include "scratch.h"

#define HOARD_FILE_BYTES (1ull << 30) /* FAT takes less than 4 GiB */
#define HOARD_FILES_MOST 65536u
#define HOARD_ID_MASK 0xffffffu

struct hoard { /* owned: hoard_close */
    struct scratch_request request;
    uint32_t id; /* of all its files, in their names; what they hold follows from it */
    uint64_t total, part_bytes;
    unsigned count;   /* files that are there */
    uint64_t written; /* bytes they hold, in order */
    uint64_t settled; /* of these had reached the device for certain: a difference is damage */
    struct scratch file;
    unsigned number; /* of the open one */
};

/* A new one: no file yet. part_bytes is a multiple of the caller's block. */
void hoard_begin(struct hoard *hoard, const struct scratch_request *request, uint32_t id,
                 uint64_t total, uint64_t part_bytes);
/* The largest one that was left in the folder by a run that is over. -ENOENT: there is none;
 * -EBUSY: another run is on it; -EBADMSG: a file of it is missing or was cut. */
int hoard_find(struct hoard *hoard, const struct scratch_request *request,
               char why[SCRATCH_WHY_MAX]);

/* Opens the file that holds the byte at `offset`, or creates the next one; positioned there. */
int hoard_open(struct hoard *hoard, uint64_t offset, char why[SCRATCH_WHY_MAX]);
uint64_t hoard_file_end(const struct hoard *hoard, uint64_t offset); /* of the data, in that file */
void hoard_name(const struct hoard *hoard, uint64_t offset, char name[STAMP_FILE_MAX + 1]);
/* The open file has been flushed up to its end: its stamp says so from now on. */
int hoard_settle(struct hoard *hoard);
/* What lies behind `offset` is not what was written: it will be written again. */
int hoard_cut(struct hoard *hoard, uint64_t offset, char why[SCRATCH_WHY_MAX]);

int hoard_close(struct hoard *hoard);   /* keeps the files; the error of close */
void hoard_remove(struct hoard *hoard); /* closes it and removes its files */
/* Removes what runs that are over left, and returns how many files and bytes it was. */
unsigned hoard_sweep(int dirfd, const char *filesystem, uint64_t *ret_bytes);

#endif
