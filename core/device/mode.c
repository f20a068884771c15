#include "device/mode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/mmc.h"
#include "device/sysfs.h"
#include "device/tree.h"
#include "wire/frame.h"

#define ERROR_BYTES_MAX 160

struct allowance {
    const char *property, *mode;
};

/* The fastest first. */
static const struct allowance emmc_allowances[] = {
    {"mmc-hs400-enhanced-strobe", "HS400ES"},
    {"mmc-hs400-1_8v", "HS400"},
    {"mmc-hs400-1_2v", "HS400"},
    {"mmc-hs200-1_8v", "HS200"},
    {"mmc-hs200-1_2v", "HS200"},
    {"mmc-ddr-1_8v", "DDR52"},
    {"mmc-ddr-3_3v", "DDR52"},
    {"mmc-ddr-1_2v", "DDR52"},
    {"cap-mmc-highspeed", "high speed"},
};
static const struct allowance sd_allowances[] = {
    {"sd-uhs-sdr104", "SDR104"}, {"sd-uhs-sdr50", "SDR50"}, {"sd-uhs-ddr50", "DDR50"},
    {"sd-uhs-sdr25", "SDR25"},   {"sd-uhs-sdr12", "SDR12"}, {"cap-sd-highspeed", "high speed"},
};

static const char *allowed(const char *node, const struct allowance *rows, size_t count)
{
    bool has_low_voltage = !tree_has(node, "no-1-8-v");
    for (size_t i = 0; i < count; i++) {
        bool is_low = strstr(rows[i].property, "_8v") || str_starts(rows[i].property, "sd-uhs") ||
                      str_starts(rows[i].property, "mmc-hs400");
        if ((has_low_voltage || !is_low) && tree_has(node, rows[i].property))
            return rows[i].mode;
    }
    return NULL;
}

static void set_mode(struct device *device, const char *mode, const char *source)
{
    free(device->bus_mode);
    free(device->bus_source);
    device->bus_mode = mem_copy_text(mode);
    device->bus_source = mem_copy_text(source);
}

/* The node of a card's host: its own or its controller's. A card may have one as well, which allows
 * nothing, and so have the buses above. */
static int host_node(const char *root, const char *folder, char **ret_node)
{
    static const char class[] = "/mmc_host/";
    AUTO_FREE char *path = mem_copy_text(folder), *node = NULL;
    char *host = strstr(path, class);
    if (!host)
        return -ENODEV;
    char *name = host + strlen(class);
    name[strcspn(name, "/")] = '\0';
    if (tree_node(root, path, &node) < 0) {
        *host = '\0';
        int rc = tree_node(root, path, &node);
        if (rc < 0)
            return rc;
    }
    *ret_node = take_pointer(&node);
    return 0;
}

void mode_read_tree(const char *root, const char *folder, struct device *device)
{
    AUTO_FREE char *node = NULL;
    bool is_emmc = device->kind == DEVICE_EMMC;
    if (host_node(root, folder, &node) < 0)
        return;
    const char *name = is_emmc ? allowed(node, emmc_allowances, ARRAY_SIZE(emmc_allowances))
                               : allowed(node, sd_allowances, ARRAY_SIZE(sd_allowances));
    const struct mmc_mode *mode = name ? mmc_mode_find(name) : NULL;
    if (!mode)
        return;
    uint32_t width = 1, clock_hz = 0; /* the binding's default width */
    (void)tree_u32(node, "bus-width", &width);
    (void)tree_u32(node, "max-frequency", &clock_hz);
    set_mode(device, name, "device tree");
    device->is_bus_at_most = true;
    device->bus_width = width == 4 || width == 8 ? width : 1;
    device->bus_clock_hz = clock_hz > 0 && clock_hz < mode->clock_hz ? clock_hz : mode->clock_hz;
    device->ceiling_bps = mmc_mode_ceiling(mode, device->bus_width, device->bus_clock_hz);
    free(device->bus_allowed);
    device->bus_allowed = mem_copy_text(name);
    device->bus_allowed_width = device->bus_width;
    device->bus_allowed_hz = clock_hz;
}

/* ---- the kernel log */

static const struct {
    const char *words, *mode;
    const char *card; /* "MMC", or NULL: any */
} announcements[] = {
    {"ultra high speed SDR104", "SDR104", NULL},
    {"ultra high speed SDR50", "SDR50", NULL},
    {"ultra high speed DDR50", "DDR50", NULL},
    {"ultra high speed SDR25", "SDR25", NULL},
    {"ultra high speed SDR12", "SDR12", NULL},
    {"HS400 Enhanced strobe", "HS400ES", NULL},
    {"HS400", "HS400", NULL},
    {"HS200", "HS200", NULL},
    {"high speed DDR", "DDR52", "MMC"}, /* kernels before 3.19 */
    {"DDR", "DDR52", "MMC"},
    {"high speed", "high speed", NULL},
    {"", "legacy", NULL},
};

static void take_card(struct mode_log *log, const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(announcements); i++) {
        const char *rest = text;
        if (!str_starts(rest, announcements[i].words))
            continue;
        rest += strlen(announcements[i].words);
        rest += *rest == ' ';
        const char *card = announcements[i].card;
        if (card ? !str_starts(rest, card) : !str_starts(rest, "MMC") && !str_starts(rest, "SD"))
            continue;
        memset(log->mode, 0, sizeof log->mode);
        memcpy(log->mode, announcements[i].mode, strlen(announcements[i].mode));
        free(log->error); /* what went wrong before it worked is past */
        log->error = NULL;
        return;
    }
}

static bool tells_trouble(unsigned priority, const char *text)
{
    static const char *const words[] = {"error",     "fail",  "timeout",
                                        "timed out", "stuck", "Timeout"};
    if ((priority & 7) <= 3) /* KERN_ERR and worse; the rest of the number is the facility */
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

void mode_take_line(struct mode_log *log, const char *host, const char *record, size_t size)
{
    const char *semicolon = memchr(record, ';', size);
    if (!semicolon)
        return;
    unsigned priority = 0;
    for (const char *at = record; at < semicolon && *at >= '0' && *at <= '9' && priority < 1000;
         at++)
        priority = priority * 10 + (unsigned)(*at - '0');
    AUTO(str_done) struct str line = {0};
    size_t left = size - (size_t)(semicolon + 1 - record);
    const char *end = memchr(semicolon + 1, '\n', left);
    str_add_bytes(&line, semicolon + 1, end ? (size_t)(end - semicolon - 1) : left);
    const char *text = str_text(&line);
    size_t host_size = strlen(host);
    if (strncmp(text, host, host_size) != 0 || !str_starts(text + host_size, ": "))
        return;
    text += host_size + 2;
    if (str_starts(text, "new ")) {
        take_card(log, text + strlen("new "));
    } else if (str_starts(text, "card ") && strstr(text, " removed")) {
        log->mode[0] = '\0';
    } else if (tells_trouble(priority, text)) {
        struct str error = {0};
        size_t error_size = strlen(text);
        str_add_clean(&error, text, error_size < ERROR_BYTES_MAX ? error_size : ERROR_BYTES_MAX);
        free(log->error);
        log->error = str_take(&error);
    }
}

void mode_log_done(struct mode_log *log)
{
    free(log->error);
    *log = (struct mode_log){0};
}

/* ---- the probe's answer */

/* Is `device` a card in, or the empty place of, an MMC host? Adds the host's name. */
static bool has_host(const struct device *device, struct str *host)
{
    bool is_card = device->kind == DEVICE_EMMC || device->kind == DEVICE_SD;
    if (!device->sysfs_path || (!is_card && device->kind != DEVICE_SLOT))
        return false;
    str_clear(host);
    return mmc_host_of(device->sysfs_path, host) == 0;
}

char **mode_hosts(const struct inventory *inventory)
{
    char **hosts = mem_new(inventory->count + 1, sizeof *hosts);
    size_t count = 0;
    AUTO(str_done) struct str host = {0};
    for (size_t i = 0; i < inventory->count; i++) {
        if (!has_host(&inventory->devices[i], &host))
            continue;
        bool is_known = false;
        for (size_t k = 0; k < count; k++)
            is_known = is_known || strcmp(hosts[k], host.text) == 0;
        if (!is_known)
            hosts[count++] = mem_copy_text(host.text);
    }
    return hosts;
}

void mode_host_key(const struct inventory *inventory, const char *host, struct str *into)
{
    AUTO(str_done) struct str own = {0};
    for (size_t i = 0; i < inventory->count; i++) {
        const struct device *device = &inventory->devices[i];
        if (has_host(device, &own) && strcmp(own.text, host) == 0)
            str_addf(into, "%s %s %llu;", device->id, device->cid ? device->cid : "",
                     (unsigned long long)device->disk_sequence);
    }
}

static uint64_t number_of(const struct frame *row, const char *key)
{
    uint64_t value = 0;
    const char *text = frame_pair(row, key);
    return text && units_parse_u64(text, &value) == 0 ? value : 0;
}

static bool take_mode(struct device *device, const struct frame *row)
{
    const char *name = frame_pair(row, "mode"), *source = frame_pair(row, "source");
    if (!name || !source || device->kind == DEVICE_SLOT)
        return false;
    bool is_same = device->bus_mode && strcmp(device->bus_mode, name) == 0 && device->bus_source &&
                   strcmp(device->bus_source, source) == 0;
    unsigned width = (unsigned)number_of(row, "width");
    uint64_t clock_hz = number_of(row, "actual_hz");
    const struct mmc_mode *mode = mmc_mode_find(name);
    /* The log names neither clock nor width: UHS has four lines, else the board's width. */
    if (width == 0 && mode)
        width = device->bus_width > 0 ? device->bus_width : strstr(name, "DR") ? 4 : 0;
    if (clock_hz == 0 && mode)
        clock_hz = mode->clock_hz;
    is_same = is_same && device->bus_width == width && device->bus_clock_hz == clock_hz;
    set_mode(device, name, source);
    device->is_bus_at_most = false;
    device->bus_width = width;
    device->bus_clock_hz = clock_hz;
    device->ceiling_bps = mode ? mmc_mode_ceiling(mode, width, clock_hz) : 0;
    return !is_same;
}

static bool take_error(struct device *device, const struct frame *row)
{
    const char *error = frame_pair(row, "kernel_error");
    if (!error || (device->bus_error && strcmp(device->bus_error, error) == 0))
        return false;
    struct str text = {0};
    str_add_clean(&text, error, strlen(error));
    free(device->bus_error);
    device->bus_error = str_take(&text);
    if (device->kind == DEVICE_SLOT) {
        struct str why = {0};
        str_addf(&why, "it has no card the kernel can use (%s)", device->bus_error);
        free(device->why);
        device->why = str_take(&why);
    }
    return true;
}

bool mode_take_row(struct inventory *inventory, const struct frame *row)
{
    const char *asked = frame_pair(row, "host");
    AUTO(str_done) struct str host = {0};
    bool is_changed = false;
    for (size_t i = 0; asked && i < inventory->count; i++) {
        struct device *device = &inventory->devices[i];
        if (!has_host(device, &host) || strcmp(host.text, asked) != 0)
            continue;
        is_changed = take_mode(device, row) || is_changed;
        is_changed = take_error(device, row) || is_changed;
    }
    return is_changed;
}
