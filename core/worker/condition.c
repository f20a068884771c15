#include "worker/condition.h"

#include <ctype.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "device/dram.h"
#include "device/mmc.h"
#include "device/sysfs.h"
#include "iodyno/plugin.h"

#define SECTOR_BYTES 512
#define STATS_TEXT_MAX 8192

/* --- pure --- */

/* One of the two estimates: tenths of the life, 0 unknown, 11 past its end. */
static bool add_estimate(const char **at, struct str *into)
{
    char *end = NULL;
    unsigned long tenths = strtoul(*at, &end, 16);
    if (end == *at || tenths == 0 || tenths > 11)
        return false;
    *at = end;
    if (tenths == 11)
        str_add(into, "past its estimated life");
    else
        str_addf(into, "up to %lu %% used", tenths * 10);
    return true;
}

bool condition_life(const char *text, struct str *into)
{
    const char *at = text;
    AUTO(str_done) struct str first = {0}, second = {0};
    if (!add_estimate(&at, &first))
        return false;
    str_add(into, first.text);
    if (add_estimate(&at, &second) && strcmp(first.text, second.text) != 0)
        str_addf(into, " (second kind of memory: %s)", second.text);
    return true;
}

static bool take_counter(const char *line, size_t size, struct condition_counter *counter)
{
    const char *colon = memchr(line, ':', size);
    if (!colon)
        return false;
    while (line < colon && (*line == '#' || *line == ' ' || *line == '\t'))
        line++;
    size_t name_size = (size_t)(colon - line);
    const char *end = line + name_size + 1 + (size - (size_t)(colon + 1 - line));
    char digits[24];
    size_t count = 0;
    for (const char *at = colon + 1; at < end && count < sizeof digits - 1; at++)
        if (isdigit((unsigned char)*at))
            digits[count++] = *at;
        else if (count > 0)
            break;
    digits[count] = '\0';
    if (name_size == 0 || units_parse_u64(digits, &counter->value) < 0)
        return false;
    AUTO(str_done) struct str name = {0};
    str_add_clean(&name, line, name_size);
    size_t cut = str_cut_size(str_text(&name), name.size, sizeof counter->name - 1);
    memcpy(counter->name, str_text(&name), cut);
    counter->name[cut] = '\0';
    return true;
}

unsigned condition_counters(const char *text, struct condition_counter *counters, unsigned most)
{
    unsigned count = 0;
    while (*text && count < most) {
        size_t size = strcspn(text, "\n");
        count += take_counter(text, size, &counters[count]);
        text += size + (text[size] == '\n');
    }
    return count;
}

/* --- one disk --- */

static void read_life(struct condition_disk *disk, char **ret_life)
{
    AUTO(str_done) struct str path = {0};
    struct str life = {0};
    str_addf(&path, "%s/device", disk->folder);
    AUTO_FREE char *text = sysfs_label(path.text, "life_time");
    if (text && condition_life(text, &life))
        *ret_life = str_take(&life);
    str_done(&life);
}

static unsigned read_counters(const struct condition *condition, const struct condition_disk *disk,
                              struct condition_counter *counters)
{
    AUTO(str_done) struct str path = {0}, text = {0};
    if (!disk->host)
        return 0;
    str_addf(&path, "%s/sys/kernel/debug/%s/err_stats", condition->plan.root, disk->host);
    if (file_read(path.text, STATS_TEXT_MAX, &text) < 0)
        return 0;
    return condition_counters(str_text(&text), counters, CONDITION_COUNTERS);
}

static void add_disk(struct condition *condition, const char *stat_path)
{
    struct condition_disk *disk = &condition->disks[condition->count];
    if (condition->count == CONDITION_DISKS || !str_ends(stat_path, "/stat"))
        return;
    condition->count++;
    disk->folder = mem_copy_text(stat_path);
    disk->folder[strlen(stat_path) - strlen("/stat")] = '\0';
    disk->name = mem_copy_text(sysfs_base(disk->folder));
    struct str host = {0};
    if (mmc_host_of(disk->folder, &host) == 0)
        disk->host = str_take(&host);
    str_done(&host);
    read_life(disk, &disk->life);
    disk->counter_count = read_counters(condition, disk, disk->counters);
}

/* --- facts --- */

struct teller {
    condition_fn fn;
    void *user;
};

static void tell(const struct teller *teller, const char *key, const struct str *text)
{
    if (text->size)
        teller->fn(teller->user, key, text->text);
}

static void tell_fill(const struct condition *condition, const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    struct statvfs about;
    if (condition->plan.dirfd < 0 || fstatvfs(condition->plan.dirfd, &about) < 0 ||
        about.f_blocks == 0 || about.f_bfree > about.f_blocks)
        return;
    double used = 1 - (double)about.f_bfree / (double)about.f_blocks;
    double bytes = (double)about.f_blocks * (double)(about.f_frsize ? about.f_frsize : 1);
    str_addf(&text, "%s of the file system's ", units_value(used, DYNO_RATIO).text);
    str_addf(&text, "%s in use before", units_bytes(bytes).text);
    tell(teller, "fill", &text);
}

static uint64_t capacity_of(const struct condition *condition)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < condition->count; i++) {
        uint64_t sectors = 0;
        if (sysfs_number(condition->disks[i].folder, "size", &sectors) == 0 &&
            sectors <= UINT64_MAX / SECTOR_BYTES / CONDITION_DISKS)
            bytes += sectors * SECTOR_BYTES;
    }
    return bytes;
}

/* Full percents and no more digits than there is reason for. */
static void add_share(double share, struct str *into)
{
    if (share < 0.0001)
        str_add(into, "less than 0.01 %");
    else
        str_add(into, units_value(share, DYNO_RATIO).text);
}

static void tell_wear(const struct condition *condition, const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    uint64_t capacity = capacity_of(condition);
    if (condition->plan.planned_bytes == 0 || capacity == 0)
        return;
    double writes = (double)condition->plan.planned_bytes / (double)capacity;
    str_addf(&text, "%s to write to %s: ", units_bytes((double)condition->plan.planned_bytes).text,
             units_bytes((double)capacity).text);
    add_share(writes / CONDITION_CYCLES, &text);
    str_addf(&text, " of a nominal %d drive writes", CONDITION_CYCLES);
    tell(teller, "wear", &text);
}

/* Flash that is told nothing of deleted files writes slower the fuller it once was. */
static void tell_discard(const struct condition *condition, const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    for (unsigned i = 0; i < condition->count; i++) {
        uint64_t most = 0;
        if (sysfs_number(condition->disks[i].folder, "queue/discard_max_bytes", &most) < 0)
            continue;
        str_addf(&text, "%s%s %s discard", text.size ? ", " : "", condition->disks[i].name,
                 most > 0 ? "takes" : "takes no");
    }
    tell(teller, "discard", &text);
}

static void tell_life(const struct condition *condition, const char *key,
                      const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    for (unsigned i = 0; i < condition->count; i++)
        if (condition->disks[i].life)
            str_addf(&text, "%s%s: %s", text.size ? ", " : "", condition->disks[i].name,
                     condition->disks[i].life);
    tell(teller, key, &text);
}

static void tell_edac(struct condition *condition, const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    edac_read(condition->plan.root, &condition->edac);
    const struct edac *edac = &condition->edac;
    if (edac->controllers == 0)
        str_add(&text, "no EDAC: nobody counts the errors of this memory");
    else
        str_addf(&text, "%llu corrected and %llu uncorrected errors before",
                 (unsigned long long)edac->corrected, (unsigned long long)edac->uncorrected);
    tell(teller, "edac", &text);
}

/* What its clock could be, and who decides. */
static void tell_dram_clock(const struct condition *condition, const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    AUTO_FREE char *folder = dram_devfreq(condition->plan.root);
    uint64_t highest = 0;
    if (!folder || sysfs_number(folder, "max_freq", &highest) < 0 || highest == 0)
        return;
    AUTO_FREE char *governor = sysfs_label(folder, "governor");
    str_addf(&text, "at most %llu Hz", (unsigned long long)highest);
    if (governor)
        str_addf(&text, ", governor %s", governor);
    tell(teller, "dram-clock", &text);
}

/* A driver that was loaded anew counts from 0. */
static uint64_t growth(uint64_t before, uint64_t now)
{
    return now >= before ? now - before : now;
}

static void tell_edac_growth(const struct condition *condition, const struct teller *teller)
{
    AUTO(str_done) struct str text = {0};
    struct edac now;
    edac_read(condition->plan.root, &now);
    const uint64_t corrected = growth(condition->edac.corrected, now.corrected);
    const uint64_t uncorrected = growth(condition->edac.uncorrected, now.uncorrected);
    if (condition->edac.controllers > 0 && now.controllers > 0 && corrected + uncorrected > 0)
        str_addf(&text, "%llu corrected, %llu uncorrected", (unsigned long long)corrected,
                 (unsigned long long)uncorrected);
    tell(teller, "edac-errors", &text);
}

static void tell_memory(struct condition *condition, const struct teller *teller)
{
    tell_dram_clock(condition, teller);
    tell_edac(condition, teller);
}

void condition_before(const struct condition_plan *plan, condition_fn fn, void *user,
                      struct condition *ret_condition)
{
    const struct teller teller = {fn, user};
    struct condition *condition = ret_condition;
    *condition = (struct condition){.plan = *plan};
    for (size_t i = 0; plan->leaf_stat && plan->leaf_stat[i]; i++)
        add_disk(condition, plan->leaf_stat[i]);
    tell_fill(condition, &teller);
    tell_discard(condition, &teller);
    tell_wear(condition, &teller);
    tell_life(condition, "life-before", &teller);
    if (plan->is_memory)
        tell_memory(condition, &teller);
}

/* A counter that is new counts from 0. */
static void add_growth(const struct condition_disk *disk, const struct condition_counter *now,
                       struct str *text)
{
    uint64_t before = 0;
    for (unsigned i = 0; i < disk->counter_count; i++)
        if (strcmp(disk->counters[i].name, now->name) == 0)
            before = disk->counters[i].value;
    if (now->value > before)
        str_addf(text, "%s%llu × %s", text->size ? ", " : "",
                 (unsigned long long)(now->value - before), now->name);
}

void condition_after(struct condition *condition, condition_fn fn, void *user)
{
    const struct teller teller = {fn, user};
    AUTO(str_done) struct str errors = {0};
    for (unsigned i = 0; i < condition->count; i++) {
        struct condition_disk *disk = &condition->disks[i];
        struct condition_counter counters[CONDITION_COUNTERS];
        unsigned count = read_counters(condition, disk, counters);
        for (unsigned k = 0; k < count; k++)
            add_growth(disk, &counters[k], &errors);
        char *life = NULL;
        read_life(disk, &life);
        free(disk->life);
        disk->life = life;
    }
    tell(&teller, "mmc-errors", &errors);
    tell_life(condition, "life-after", &teller);
    if (condition->plan.is_memory)
        tell_edac_growth(condition, &teller);
}

void condition_done(struct condition *condition)
{
    for (unsigned i = 0; i < condition->count; i++) {
        free(condition->disks[i].folder);
        free(condition->disks[i].name);
        free(condition->disks[i].host);
        free(condition->disks[i].life);
    }
    *condition = (struct condition){0};
}
