/* lease: the exclusive hold on one leaf disk while a run measures it. The lock is flock on the
 * disk's sysfs `stat` file, where root and plain users meet; who holds it stands in
 * places_runtime()/lock-MAJOR:MINOR as lines "pid=", "owner=" (the parent process, which owns the
 * run) and "holder=", valid only while the lock is held. Never blocks. */
#ifndef RUN_LEASE_H
#define RUN_LEASE_H

struct str;

struct lease {
    int fd;     /* -1 none */
    char *file; /* the holder's file; NULL when it could not be written */
};

/* Takes the disk whose resolved sysfs folder is given. -EBUSY with one sentence in `why` that names
 * the holder, other negative errno with a sentence as well. */
int lease_take(const char *disk_folder, const char *holder, struct lease *ret_lease,
               struct str *why);
/* Frees and unlocks one that was taken, or does nothing on {.fd = -1}. */
void lease_drop(struct lease *lease);

#endif
