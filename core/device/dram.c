#include "device/dram.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/boardfile.h"
#include "device/inventory.h"
#include "device/smbios.h"
#include "device/sysfs.h"

#define MTPS_MAX 100000
#define BITS_MAX 8192
#define MBPS_MAX 1e7 /* 10 TB/s */
#define PER_CLOCK 2  /* double data rate */

static double peak_of(const struct dram *dram)
{
    return (double)dram->mtps * 1e6 * dram->bits / 8;
}

/* A number that ends with `text` or before `stop`. */
static bool number_before(const char *text, const char *stop, unsigned most, unsigned *ret_value)
{
    AUTO(str_done) struct str digits = {0};
    uint64_t value;
    str_add_bytes(&digits, text, stop ? (size_t)(stop - text) : strlen(text));
    if (!isdigit((unsigned char)str_text(&digits)[0]) ||
        units_parse_u64(str_text(&digits), &value) < 0 || value == 0 || value > most)
        return false;
    *ret_value = (unsigned)value;
    return true;
}

int dram_parse(const char *text, struct dram *ret_dram)
{
    static const char times[] = "\xc3\x97"; /* × */
    struct dram dram = {.source = ""};
    const char *dash = strchr(text, '-'), *x = dash ? strpbrk(dash, "xX") : NULL;
    size_t size = 1;
    if (dash && !x) {
        x = strstr(dash, times);
        size = strlen(times);
    }
    if (!x || dash == text || (size_t)(dash - text) >= sizeof dram.kind || !strcasestr(text, "ddr"))
        return -EINVAL;
    for (const char *at = text; at < dash; at++) {
        if (!isalnum((unsigned char)*at))
            return -EINVAL;
        /* "DDR3L", "LPDDR4X": as the standards spell them */
        dram.kind[at - text] = (char)toupper((unsigned char)*at);
    }
    if (!number_before(dash + 1, x, MTPS_MAX, &dram.mtps) ||
        !number_before(x + size, NULL, BITS_MAX, &dram.bits) || dram.bits % 8)
        return -EINVAL;
    dram.peak_bps = peak_of(&dram);
    *ret_dram = dram;
    return 0;
}

double dram_option(const char *text)
{
    struct dram dram;
    double mbps;
    if (dram_parse(text, &dram) == 0)
        return dram.peak_bps;
    return units_parse_double(text, &mbps) == 0 && mbps > 0 && mbps <= MBPS_MAX ? mbps * 1e6 : 0;
}

char *dram_devfreq(const char *root)
{
    static const char *const words[] = {"dmc", "ddr", "memory-controller"};
    AUTO_FREE char *class = NULL;
    char **names = NULL, *found = NULL;
    if (sysfs_resolve(root, "/sys/class/devfreq", &class) < 0 || sysfs_list(class, &names) < 0)
        return NULL;
    for (size_t word = 0; word < ARRAY_SIZE(words) && !found; word++)
        for (size_t i = 0; names[i] && !found; i++)
            if (strstr(names[i], words[word]) && sysfs_follow(root, class, names[i], &found) < 0)
                found = NULL;
    sysfs_list_free(names);
    return found;
}

/* Rockchip's dmc counts the clock of the memory, which moves twice as many transfers. Others count
 * other clocks: they tell no rate. */
static unsigned devfreq_mtps(const char *root)
{
    AUTO_FREE char *folder = dram_devfreq(root);
    uint64_t hertz;
    if (!folder || !strstr(sysfs_base(folder), "dmc") ||
        sysfs_number(folder, "max_freq", &hertz) < 0 || hertz > MTPS_MAX * 1000000ull / PER_CLOCK)
        return 0;
    return (unsigned)(hertz * PER_CLOCK / 1000000);
}

/* [dram] bus = ddr4-1600x16, or width = 32 where the rate stands in devfreq; at-most = yes. */
static bool from_board_file(const char *root, struct dram *dram)
{
    AUTO(str_done) struct str value = {0}, name = {0}, most = {0}, other = {0};
    if (boardfile_get(root, "dram", "bus", &value, &name) == 0) {
        if (dram_parse(value.text, dram) < 0)
            return false;
        (void)snprintf(dram->source, sizeof dram->source, "board file %.80s", name.text);
        dram->is_at_most = boardfile_get(root, "dram", "at-most", &most, &other) == 0 &&
                           strcmp(most.text, "yes") == 0 && strcmp(other.text, name.text) == 0;
        return true;
    }
    unsigned mtps = devfreq_mtps(root);
    if (mtps == 0 || boardfile_get(root, "dram", "width", &value, &name) < 0 ||
        !number_before(value.text, NULL, BITS_MAX, &dram->bits))
        return false;
    dram->mtps = mtps;
    dram->peak_bps = peak_of(dram);
    (void)snprintf(dram->source, sizeof dram->source, "devfreq and board file %.70s", name.text);
    return true;
}

static bool from_smbios(const char *root, struct dram *dram)
{
    AUTO_FREE char *folder = NULL;
    AUTO(str_done) struct str table = {0};
    struct smbios_memory memory;
    if (sysfs_resolve(root, "/sys/firmware/dmi/tables", &folder) < 0 ||
        sysfs_file(folder, "DMI", SMBIOS_TABLE_MAX, &table) < 0 ||
        !smbios_memory(table.text, table.size, &memory))
        return false;
    if (memory.kind)
        (void)snprintf(dram->kind, sizeof dram->kind, "%s", memory.kind);
    dram->mtps = memory.mtps;
    dram->bits = memory.bits <= BITS_MAX ? memory.bits : 0;
    dram->peak_bps = peak_of(dram);
    dram->is_at_most = !memory.has_channels && memory.devices > 1;
    (void)snprintf(dram->source, sizeof dram->source, "SMBIOS");
    return true;
}

/* D-Robotics' boards name the kind of their memory and no more. */
static bool from_vendor(const char *root, struct dram *dram)
{
    AUTO_FREE char *folder = NULL;
    if (sysfs_resolve(root, "/sys/class/boardinfo", &folder) < 0)
        return false;
    AUTO_FREE char *kind = sysfs_label(folder, "ddr_type");
    if (!kind || strlen(kind) >= sizeof dram->kind || !strcasestr(kind, "ddr"))
        return false;
    (void)snprintf(dram->kind, sizeof dram->kind, "%s", kind);
    (void)snprintf(dram->source, sizeof dram->source, "boardinfo");
    return true;
}

void dram_find(const char *root, struct dram *ret_dram)
{
    static bool (*const sources[])(const char *, struct dram *) = {from_board_file, from_smbios,
                                                                   from_vendor};
    *ret_dram = (struct dram){.source = ""};
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
        if (sources[i](root, ret_dram))
            return;
}

/* "DDR4 1600 MT/s × 16 bit"; NULL when nothing is known. */
static char *name_of(const struct dram *dram)
{
    struct str name = {0};
    str_add(&name, dram->kind);
    if (dram->mtps > 0)
        str_addf(&name, "%s%u MT/s", name.size ? " " : "", dram->mtps);
    if (dram->mtps > 0 && dram->bits > 0)
        str_addf(&name, " \xc3\x97 %u bit", dram->bits);
    if (name.size > 0)
        return str_take(&name);
    str_done(&name);
    return NULL;
}

void dram_place(const struct dram *dram, struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->count; i++) {
        struct device *device = &inventory->devices[i];
        if (device->kind != DEVICE_DRAM || device->name || !dram->source[0])
            continue;
        device->name = name_of(dram);
        if (dram->peak_bps > 0) {
            struct str mode = {0};
            str_addf(&mode, "%s-%u", dram->kind[0] ? dram->kind : "DRAM", dram->mtps);
            device->bus_mode = str_take(&mode);
            device->bus_width = dram->bits;
            device->ceiling_bps = dram->peak_bps;
            device->bus_source = mem_copy_text(dram->source);
            device->is_bus_at_most = dram->is_at_most;
        }
    }
}
