/* setting: what all memory tests find out and are told before they begin: CPUs, caches, room,
 * instruction set, pages. Refuses with a sentence. */
#ifndef MEMORY_SETTING_H
#define MEMORY_SETTING_H

#include "cpus.h"
#include "crew.h"
#include "kernel.h"
#include "llc.h"
#include "room.h"
#include "set.h"
#include "watch.h"

#include <iodyno/plugin.h>

struct setting {
    const struct dyno_host *host;
    struct dyno_run *run;
    struct cpus cpus;
    unsigned threads; /* asked for; 0: not asked */
    struct llc llc;
    struct room room;
    const struct kernel_isa *isa; /* forced; NULL: the best */
    uint64_t asked_bytes, time_ns;
    uint64_t begin_ns;  /* of the run: what is left is counted from here */
    bool counts_taking; /* its time is that of the taking of memory too */
    size_t slack;       /* bytes of each area besides the set; AREA_SLACK unless changed */
    bool is_alone;      /* set.h */
    bool wants_huge;
    unsigned taken; /* number of the metric that shows how memory is taken */
    char pages[96]; /* what was obtained, after setting_crew */
};

/* 0, or negative errno explained to the host. Tells facts: cpus, caches, where they are from. */
int setting_read(struct setting *setting, const struct dyno_host *host, struct dyno_run *run,
                 unsigned taken);

/* A watch whose progress counts from the beginning of the run, the taking of memory included. */
void setting_watch(const struct setting *setting, struct watch *watch);

/* The set for that many threads; explained to the host when there is none. */
int setting_set(const struct setting *setting, unsigned threads, struct set *ret_set);

/* A crew whose areas hold the fill and have room for `set` and its alignment. `set` shrinks when
 * the room gives out meanwhile (said in its text); explained to the host when that is too little.
 * -ECANCELED when the run is cancelled. */
int setting_crew(struct setting *setting, unsigned threads, struct set *set,
                 struct crew **ret_crew);

/* Lets the OOM killer, should it ever come, take this process first. */
void setting_offer(void);

#endif
