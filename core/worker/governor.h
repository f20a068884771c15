/* governor: holds the CPU's clock up for one run. What it was stands in a file before anything is
 * changed, so that the next worker of any kind puts it back after one that was killed. The file's
 * lock tells a holder from its remains. */
#ifndef WORKER_GOVERNOR_H
#define WORKER_GOVERNOR_H

struct str;

struct governor {
    int fd;     /* of the file, locked; -1: nothing is held */
    char *root; /* below which sys/ lies */
};

/* "schedutil", "policy0 schedutil, policy4 performance"; nothing added when the board has none. */
void governor_tell(const char *root, struct str *into);

/* Sets all policies to "performance". 0, or negative errno with a sentence in `why`: then nothing
 * was changed. `folder`: as places_runtime gives it. */
int governor_hold(const char *root, const char *folder, struct governor *ret_governor,
                  struct str *why);
/* Puts back what was changed, unless somebody else changed it meanwhile. */
void governor_release(struct governor *governor);
/* Puts back what a holder left that is no more. */
void governor_mend(const char *root, const char *folder);

#endif
