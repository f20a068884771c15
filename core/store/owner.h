/* owner: the processes a running record depends on, named by pid, start time and boot, so that a
 * reused pid or a reboot is not taken for them. */
#ifndef STORE_OWNER_H
#define STORE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

struct owner {
    pid_t pid;
    unsigned long long start; /* clock ticks after boot */
};

#define OWNER_BOOT_MAX 64

/* Who `pid` is now; start 0 when it is gone or unreadable. */
struct owner owner_of(pid_t pid);
/* Does it still live? `boot` is what owner_boot said when it was noted down. */
bool owner_lives(const struct owner *owner, const char *boot);
/* This boot's id, "" when unknown; returns `into`. */
const char *owner_boot(char into[OWNER_BOOT_MAX]);

#endif
