/* condition: what the tested disks were like before a run and what it did to them: fill level,
 * discard, planned and reported wear, errors that their host counted. Told as facts. Reads sysfs
 * and debugfs text, never asks a card. */
#ifndef WORKER_CONDITION_H
#define WORKER_CONDITION_H

#include <stdint.h>

#include "base/str.h"
#include "device/edac.h"

#define CONDITION_DISKS 8
#define CONDITION_COUNTERS 24 /* of one host's err_stats */
#define CONDITION_CYCLES 3000 /* a nominal life in whole writes of the capacity */

struct condition_plan {
    const char *root;             /* "" */
    const char *const *leaf_stat; /* as struct dyno_target has it */
    int dirfd;                    /* on the tested file system; -1 none */
    uint64_t planned_bytes;       /* that the run will write; 0 none or unknown */
    bool is_memory;               /* the memory is what is tested */
};

struct condition_counter {
    char name[48];
    uint64_t value;
};
struct condition_disk {
    char *folder; /* in sysfs, without a slash at its end */
    char *name;   /* "mmcblk0" */
    char *host;   /* "mmc0"; NULL */
    char *life;   /* as a person reads it; NULL unknown */
    struct condition_counter counters[CONDITION_COUNTERS];
    unsigned counter_count;
};
struct condition {
    struct condition_plan plan;
    struct condition_disk disks[CONDITION_DISKS];
    unsigned count;
    struct edac edac;
};

typedef void (*condition_fn)(void *user, const char *key, const char *text);

/* Looks before the run; facts go to `fn`. May block as the file system does. */
void condition_before(const struct condition_plan *plan, condition_fn fn, void *user,
                      struct condition *ret_condition);
void condition_after(struct condition *condition, condition_fn fn, void *user);
void condition_done(struct condition *condition);

/* "up to 10 % and 20 % used" of "0x01 0x02"; false when the card does not tell. Pure. */
bool condition_life(const char *text, struct str *into);
/* Takes the counters of an err_stats text. Pure. */
unsigned condition_counters(const char *text, struct condition_counter *counters, unsigned most);

#endif
