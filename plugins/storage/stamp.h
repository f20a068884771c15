/* stamp: the sidecar text that says "this file is iodyno's", kept beside a file because nothing may
 * stand inside it (dd's zeros stay zeros). Every judgement errs towards "not ours".
 * Errors: negative errno. May block as the filesystem does. */
#ifndef STORAGE_STAMP_H
#define STORAGE_STAMP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define STAMP_BOOT_MAX 40
#define STAMP_FILE_MAX 200 /* bytes of a file's name, so that the sidecar's fits as well */

struct stamp {
    char name[STAMP_FILE_MAX + 1];
    char boot[STAMP_BOOT_MAX]; /* boot id of the owner */
    uint64_t pid, start;       /* start: /proc/PID/stat field 22, so that a reused pid is noticed */
    uint64_t device, inode, planned_bytes;
    uint64_t total_bytes; /* of several files that belong together; 0: it stands alone */
    bool is_final;        /* the run ended in order: the two below are what it left */
    uint64_t final_bytes;
    int64_t mtime_s;
};

/* ".iodyno-NAME.stamp", or "NAME.stamp" for a name that begins with ".iodyno-". */
void stamp_sidecar(const char *file, char ret_name[NAME_MAX + 1]);

/* Fills the owner (this process) and the file's identity. */
void stamp_make(struct stamp *stamp, const char *file, const struct stat *status,
                uint64_t planned_bytes);
int stamp_write(int dirfd, const struct stamp *stamp); /* takes an earlier one's place at
                                                               once; on the device */
int stamp_read(int dirfd, const char *file, struct stamp *ret_stamp);
int stamp_remove(int dirfd, const char *file);

bool stamp_owner_alive(const struct stamp *stamp);
/* The file is the one that was stamped. `has_inodes`: inode numbers of this filesystem last (FAT's
 * do not outlive a mount; there the size must fit instead). Pure. */
bool stamp_fits(const struct stamp *stamp, const struct stat *status, bool has_inodes);
/* And nobody has written into it since the run ended. Pure. */
bool stamp_untouched(const struct stamp *stamp, const struct stat *status);

const char *stamp_boot_id(void); /* "" when the machine has none */

#endif
