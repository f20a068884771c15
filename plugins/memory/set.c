#include "set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct set_size set_size(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    struct set_size out;
    uint64_t unit = 1;
    unsigned power = 0;
    while (power < 4 && bytes / unit >= 1024) {
        unit *= 1024;
        power++;
    }
    uint64_t tenths = bytes % unit * 10 / unit;
    if (tenths)
        snprintf(out.text, sizeof out.text, "%" PRIu64 ".%" PRIu64 " %s", bytes / unit, tenths,
                 units[power]);
    else
        snprintf(out.text, sizeof out.text, "%" PRIu64 " %s", bytes / unit, units[power]);
    return out;
}

/* The first level that holds it. Those below the last are a core's own; the last one holds what all
 * threads have, or does not. */
static const char *level_of(const struct llc *llc, uint64_t of_thread, uint64_t of_all)
{
    static const char *const names[] = {"cache", "L1", "L2", "L3", "L4"};
    for (unsigned i = 0; i + 1 < llc->levels; i++)
        if (of_thread <= llc->level[i].bytes)
            return names[llc->level[i].level < 5 ? llc->level[i].level : 0];
    if (of_all <= llc->bytes)
        return llc->levels && llc->level[llc->levels - 1].level < 5
                   ? names[llc->level[llc->levels - 1].level]
                   : names[0];
    return "DRAM";
}

static void describe(const struct llc *llc, const struct set_wish *wish, uint64_t of_thread,
                     const char *reason, struct set *set)
{
    uint64_t all = of_thread * wish->threads, seen = wish->is_alone ? of_thread : all;
    char note[96] = "";
    set->bytes = of_thread;
    set->level = level_of(llc, of_thread, seen);
    set->is_dram = seen >= SET_LLC_TIMES * llc->bytes;
    set->is_doubtful =
        !set->is_dram && llc->bytes > SET_LLC_OWNED && (!wish->asked || all >= SET_TOTAL_MOST);
    bool is_cached = strcmp(set->level, "DRAM") != 0;
    if (set->is_doubtful) {
        set->level = "DRAM";
        snprintf(note, sizeof note, "; may be partly in the last-level cache, told to have %s",
                 set_size(llc->bytes).text);
    } else if (is_cached) {
        snprintf(note, sizeof note, ": %s, not DRAM", set->level);
    } else if (!set->is_dram) {
        snprintf(note, sizeof note, ": less than 8 times the last-level cache, partly cached");
    }
    snprintf(set->text, sizeof set->text, "%s%s, %s%s", set_size(all).text,
             wish->threads > 1 ? " in all" : "", reason, note);
}

static uint64_t whole_pages(uint64_t bytes)
{
    return bytes / SET_WORKER_LEAST * SET_WORKER_LEAST;
}

static int choose_asked(const struct llc *llc, const struct set_wish *wish, struct set *ret_set,
                        char why[SET_TEXT])
{
    uint64_t of_thread = whole_pages(wish->asked / wish->threads);
    uint64_t besides = wish->slack * wish->threads;
    uint64_t most = wish->allocatable > besides ? whole_pages(wish->allocatable - besides) : 0;
    if (of_thread < SET_WORKER_LEAST) {
        snprintf(why, SET_TEXT,
                 "size=%s leaves less than 4 KiB for each of %u threads: size=%uK is "
                 "the least",
                 set_size(wish->asked).text, wish->threads, 4 * wish->threads);
        return -EINVAL;
    }
    if (wish->asked > most) {
        snprintf(why, SET_TEXT,
                 "size=%s is more than may be taken here: at most %s (%.160s); without size one "
                 "that fits is chosen",
                 set_size(wish->asked).text, set_size(most).text, wish->limit);
        return -ENOSPC;
    }
    describe(llc, wish, of_thread, "as asked", ret_set);
    return 0;
}

int set_choose(const struct llc *llc, const struct set_wish *wish, struct set *ret_set,
               char why[SET_TEXT])
{
    if (wish->asked)
        return choose_asked(llc, wish, ret_set, why);
    uint64_t wanted = SET_LLC_TIMES * llc->bytes * (wish->is_alone ? wish->threads : 1);
    uint64_t least = wanted;
    bool is_foreign = llc->bytes > SET_LLC_OWNED;
    char reason[160];
    if (wanted < SET_THREAD_LEAST * wish->threads)
        wanted = SET_THREAD_LEAST * wish->threads;
    snprintf(reason, sizeof reason, "8 times the last-level cache of %s, at least 32 MiB a thread",
             set_size(llc->bytes).text);
    if (wanted > SET_TOTAL_MOST) {
        wanted = SET_TOTAL_MOST;
        snprintf(reason, sizeof reason, "the most that is taken without being asked");
    }
    uint64_t half = wish->allocatable / 2, besides = wish->slack * wish->threads;
    /* Whole pages above, so that all together are not a page short of eight times the cache. */
    uint64_t of_thread =
        whole_pages((wanted + wish->threads - 1) / wish->threads + SET_WORKER_LEAST - 1);
    if (of_thread * wish->threads + besides > half) {
        wanted = half > besides ? half - besides : 0;
        of_thread = whole_pages(wanted / wish->threads);
        snprintf(reason, sizeof reason, "reduced to half of what may be taken: %.110s",
                 wish->limit);
    }
    if (of_thread < SET_WORKER_LEAST ||
        (!is_foreign && of_thread * wish->threads < least && wanted < SET_TOTAL_MOST)) {
        snprintf(why, SET_TEXT,
                 "too little memory is free to see past the caches: %s may be used and %s are "
                 "needed, 8 times the last-level cache (%.160s)",
                 set_size(wanted).text, set_size(least).text, wish->limit);
        return -ENOSPC;
    }
    describe(llc, wish, of_thread, reason, ret_set);
    return 0;
}
