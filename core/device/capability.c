#include "device/capability.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/mmc.h"
#include "device/usb.h"

#define SAME_SHARE 0.95 /* a clock a little below its mode's is that mode */

struct wish { /* of a card: mode, width and who says so */
    const struct mmc_mode *mode;
    unsigned width;
    char reason[64];
};

/* ---- eMMC: the board must allow it and the card's version must know it */

static const struct {
    unsigned revision; /* of the extended CSD, from here on */
    const char *version, *mode;
} versions[] = {
    {8, "eMMC 5.1", "HS400"},
    {7, "eMMC 5.0", "HS400"},
    {6, "eMMC 4.5", "HS200"},
    {3, "eMMC 4.4 or older", "DDR52"},
};

static double speed_of(const struct mmc_mode *mode)
{
    return mmc_mode_ceiling(mode, 8, mode->clock_hz);
}

/* A board that allows a mode to a socket without a card of that version does not promise it. */
static bool wish_of_emmc(const struct device *disk, struct wish *wish)
{
    const struct mmc_mode *board = disk->bus_allowed ? mmc_mode_find(disk->bus_allowed) : NULL;
    const struct mmc_mode *now = mmc_mode_find(disk->bus_mode);
    if (!board || !now)
        return false;
    *wish = (struct wish){.mode = now, .width = disk->bus_allowed_width};
    (void)snprintf(wish->reason, sizeof wish->reason, "the device tree");
    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        if (disk->card.revision < versions[i].revision)
            continue;
        const struct mmc_mode *card = mmc_mode_find(versions[i].mode);
        const struct mmc_mode *both = speed_of(card) < speed_of(board) ? card : board;
        if (speed_of(both) > speed_of(now)) {
            wish->mode = both;
            (void)snprintf(wish->reason, sizeof wish->reason, "the device tree and %s",
                           versions[i].version);
        }
        break;
    }
    return true;
}

/* ---- SD: the marks that a card may only bear when it knows a mode */

/* Physical Layer Specification: speed grades are of UHS-I, whose cards know SDR50; no more than 50
 * MB/s fit through that, so that V60 and V90 take SDR104. Class 10 takes high speed. */
static bool wish_of_sd(const struct device *disk, struct wish *wish)
{
    const struct device_claims *claims = &disk->card.claims;
    const struct {
        unsigned value, least;
        const char *mark, *mode;
    } marks[] = {
        {claims->video, 60, "V", "SDR104"},
        {claims->uhs, 1, "U", "SDR50"},
        {claims->video, 30, "V", "SDR50"},
        {claims->speed_class, 10, "Class ", "high speed"},
    };
    *wish = (struct wish){.mode = mmc_mode_find(disk->bus_mode), .width = disk->card.bus_lines};
    if (!wish->mode)
        return false;
    (void)snprintf(wish->reason, sizeof wish->reason, "its SCR register");
    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        if (marks[i].value < marks[i].least)
            continue;
        const struct mmc_mode *mode = strcmp(marks[i].mode, "high speed") == 0
                                          ? mmc_mode_find("SDR25") /* the same clock */
                                          : mmc_mode_find(marks[i].mode);
        if (speed_of(mode) > speed_of(wish->mode)) {
            wish->mode = mode;
            wish->width = 4;
            (void)snprintf(wish->reason, sizeof wish->reason, "its mark %s%u", marks[i].mark,
                           marks[i].value);
        }
        break;
    }
    return true;
}

static const char *mode_name(const struct device *disk, const struct mmc_mode *mode)
{
    bool is_plain_sd = disk->kind == DEVICE_SD && strcmp(mode->name, "SDR25") == 0;
    return is_plain_sd ? "high speed" : mode->name;
}

static void advise(const struct device *disk, const struct wish *wish, const char *host,
                   struct capability *capability)
{
    char *into = capability->advice;
    size_t size = sizeof capability->advice;
    const struct mmc_mode *board = disk->bus_allowed ? mmc_mode_find(disk->bus_allowed) : NULL;
    bool is_uhs = wish->mode->clock_hz >= 100000000;
    if (disk->bus_width < wish->width)
        (void)snprintf(into, size,
                       "only %u of %u data lines work: look for errors of %s in `dmesg`, at its "
                       "contacts and pin settings",
                       disk->bus_width, wish->width, host);
    else if (board && speed_of(board) < speed_of(wish->mode))
        (void)snprintf(into, size,
                       "the device tree allows no more than %s: it has to name the mode, and a "
                       "1.8 V supply of the signals (vqmmc-supply)",
                       board->name);
    else if (is_uhs)
        (void)snprintf(into, size,
                       "it takes signals of 1.8 V and tuning: look for errors of %s in `dmesg`, at "
                       "vqmmc-supply and the card's contacts",
                       host);
    else
        (void)snprintf(into, size, "look for errors of %s in `dmesg`", host);
}

static bool find_of_card(const struct device *disk, struct capability *capability)
{
    struct wish wish;
    AUTO(str_done) struct str host = {0};
    bool is_known = disk->bus_mode && disk->bus_width && disk->ceiling_bps > 0 &&
                    !disk->is_bus_at_most; /* else it is the board's word, not what was agreed */
    if (!is_known ||
        !(disk->kind == DEVICE_EMMC ? wish_of_emmc(disk, &wish) : wish_of_sd(disk, &wish)))
        return false;
    if (wish.width < disk->bus_width)
        wish.width = disk->bus_width;
    /* Of the same mode the clock is what the host can make of it. */
    bool is_same = wish.mode == mmc_mode_find(disk->bus_mode);
    uint64_t clock_hz = is_same && disk->bus_clock_hz ? disk->bus_clock_hz : wish.mode->clock_hz;
    if (disk->bus_allowed_hz && disk->bus_allowed_hz < clock_hz)
        clock_hz = disk->bus_allowed_hz;
    capability->bps = mmc_mode_ceiling(wish.mode, wish.width, clock_hz);
    if (disk->ceiling_bps >= capability->bps * SAME_SHARE)
        return false;
    (void)snprintf(capability->source, sizeof capability->source, "%s, %u bit, by %s,",
                   mode_name(disk, wish.mode), wish.width, wish.reason);
    if (!disk->sysfs_path || mmc_host_of(disk->sysfs_path, &host) < 0)
        str_add(&host, "its host");
    advise(disk, &wish, str_text(&host), capability);
    return true;
}

/* ---- USB: what its version only hints at is no capability */

static bool find_of_usb(const struct device *disk, struct capability *capability)
{
    char mbps[16];
    if (!disk->usb.is_proven || disk->usb.capable_mbps <= disk->usb.speed_mbps)
        return false;
    (void)snprintf(mbps, sizeof mbps, "%u", disk->usb.capable_mbps);
    const struct usb_speed *speed = usb_speed_of(mbps);
    if (!speed)
        return false;
    capability->bps = speed->ceiling_bps;
    (void)snprintf(capability->source, sizeof capability->source, "%s, by its descriptors,",
                   speed->mode);
    if (disk->usb.advice)
        (void)snprintf(capability->advice, sizeof capability->advice, "%s", disk->usb.advice);
    return true;
}

bool capability_find(const struct device *disk, struct capability *ret_capability)
{
    struct capability capability = {0};
    bool is_card = disk->kind == DEVICE_EMMC || disk->kind == DEVICE_SD;
    if (!(is_card ? find_of_card(disk, &capability) : find_of_usb(disk, &capability)))
        return false;
    *ret_capability = capability;
    return true;
}
