#include "device/card.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "device/folder.h"

#define SSR_BYTES 64
#define LIFE_STEP 10 /* percent */
#define LIFE_PAST 0x0b

struct maker {
    unsigned char number;
    const char *name;
};

/* The number is what the maker of the controller or card was given; brands share some. */
static const struct maker sd_makers[] = {
    {0x01, "Panasonic"}, {0x02, "Toshiba"},       {0x03, "SanDisk"},   {0x08, "Silicon Power"},
    {0x1b, "Samsung"},   {0x1c, "Transcend"},     {0x1d, "ADATA"},     {0x27, "Phison"},
    {0x28, "Lexar"},     {0x31, "Silicon Power"}, {0x41, "Kingston"},  {0x74, "Transcend"},
    {0x76, "Patriot"},   {0x82, "Sony"},          {0x9c, "Angelbird"}, {0x9f, "Kingston"},
    {0xad, "Longsys"},
};

static const struct maker emmc_makers[] = {
    {0x02, "SanDisk"}, {0x03, "Toshiba"},  {0x11, "Toshiba"}, {0x13, "Micron"},
    {0x15, "Samsung"}, {0x2c, "Kingston"}, {0x37, "KingMax"}, {0x44, "ATP"},
    {0x45, "SanDisk"}, {0x70, "Kingston"}, {0x88, "Foresee"}, {0x90, "SK hynix"},
    {0x9b, "YMTC"},    {0xd6, "Foresee"},  {0xf4, "Biwin"},   {0xfe, "Micron"},
};

const char *card_maker(bool is_emmc, uint64_t manfid)
{
    const struct maker *makers = is_emmc ? emmc_makers : sd_makers;
    size_t count = is_emmc ? ARRAY_SIZE(emmc_makers) : ARRAY_SIZE(sd_makers);
    for (size_t i = 0; i < count; i++)
        if (makers[i].number == manfid)
            return makers[i].name;
    return NULL;
}

static unsigned nibble(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, tolower((unsigned char)digit)) : NULL;
    return at ? (unsigned)(at - digits) : 16;
}

/* Two digits a byte, nothing else. */
static int parse_hex(const char *text, size_t count, unsigned char *into)
{
    if (strlen(text) != count * 2)
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        unsigned high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);
        if (high > 15 || low > 15)
            return -EINVAL;
        into[i] = (unsigned char)(high << 4 | low);
    }
    return 0;
}

/* Physical Layer Specification 4.10.2: byte k holds bits 511-8k … 504-8k. */
int card_claims(const char *ssr, struct device_claims *ret_claims)
{
    enum { SPEED_CLASS = 8, UNIT_SIZE = 10, UHS_GRADE = 14, VIDEO_CLASS = 15, APPLICATION = 21 };
    static const unsigned classes[] = {0, 2, 4, 6, 10};
    static const uint32_t units_kib[16] = {0,    16,   32,   64,    128,   256,   512,   1024,
                                           2048, 4096, 8192, 12288, 16384, 24576, 32768, 65536};
    unsigned char bytes[SSR_BYTES], any = 0;
    int rc = parse_hex(ssr, SSR_BYTES, bytes);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < SSR_BYTES; i++)
        any |= bytes[i];
    if (!any)
        return -ENODATA;
    *ret_claims = (struct device_claims){
        .speed_class = bytes[SPEED_CLASS] < ARRAY_SIZE(classes) ? classes[bytes[SPEED_CLASS]] : 0,
        .uhs = bytes[UHS_GRADE] >> 4 <= 3 ? bytes[UHS_GRADE] >> 4 : 0,
        .video = bytes[VIDEO_CLASS] <= 90 ? bytes[VIDEO_CLASS] : 0,
        .application = (bytes[APPLICATION] & 0xf) <= 2 ? bytes[APPLICATION] & 0xf : 0,
        .unit_bytes = (uint64_t)units_kib[bytes[UNIT_SIZE] >> 4] << 10,
    };
    return 0;
}

unsigned card_bus_lines(const char *scr)
{
    enum { SCR_BYTES = 8, BUS_WIDTHS = 1, FOUR_BIT = 1 << 2, ONE_BIT = 1 << 0 };
    unsigned char bytes[SCR_BYTES];
    if (parse_hex(scr, SCR_BYTES, bytes) < 0)
        return 0;
    return bytes[BUS_WIDTHS] & FOUR_BIT ? 4 : bytes[BUS_WIDTHS] & ONE_BIT ? 1 : 0;
}

void card_claims_text(const struct device_claims *claims, struct str *into)
{
    const struct {
        char letter;
        unsigned value;
    } parts[] = {{'C', claims->speed_class},
                 {'U', claims->uhs},
                 {'V', claims->video},
                 {'A', claims->application}};
    bool is_first = true;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (parts[i].value == 0)
            continue;
        str_addf(into, "%s%c%u", is_first ? "" : " ", parts[i].letter, parts[i].value);
        is_first = false;
    }
}

/* Kernels print the same byte as "0x01" or "01": hexadecimal either way. -1: it is none. */
static int take_byte(const char **text)
{
    *text += strspn(*text, " \t\n");
    if (str_starts(*text, "0x") || str_starts(*text, "0X"))
        *text += 2;
    unsigned value = 0, digits = 0;
    for (; nibble(**text) < 16; (*text)++, digits++) {
        if (digits == 2)
            return -1;
        value = value << 4 | nibble(**text);
    }
    return digits > 0 && (**text == '\0' || isspace((unsigned char)**text)) ? (int)value : -1;
}

void card_health(const char *life_time, const char *pre_eol, struct device_health *ret_health)
{
    struct device_health health = {0};
    for (size_t i = 0; life_time && i < ARRAY_SIZE(health.used); i++) {
        int step = take_byte(&life_time);
        if (step < 0)
            break;
        if (step > 0 && step < LIFE_PAST)
            health.used[i] = (unsigned)step * LIFE_STEP;
        else if (step == LIFE_PAST) {
            health.used[i] = 100;
            health.is_past = true;
        }
    }
    int reserved = pre_eol ? take_byte(&pre_eol) : -1;
    if (reserved >= 1 && reserved <= 3)
        health.reserved = (unsigned)reserved;
    *ret_health = health;
}

bool card_health_is_known(const struct device_health *health)
{
    return health->used[0] > 0 || health->used[1] > 0 || health->reserved > 0;
}

const char *card_reserved_name(unsigned reserved)
{
    static const char *const names[] = {NULL, "normal", "warning", "urgent"};
    return reserved < ARRAY_SIZE(names) ? names[reserved] : NULL;
}

bool card_is_cid(const char *cid)
{
    unsigned char bytes[16];
    return parse_hex(cid, sizeof bytes, bytes) == 0;
}

/* 0x3733313033353137 of an eMMC 5 is the text "73103517"; else the number as it stands. */
static char *read_firmware(const struct folder *folder)
{
    AUTO_FREE char *text = folder_label(folder, "fwrev");
    unsigned char bytes[8];
    if (!text || !str_starts(text, "0x") || parse_hex(text + 2, sizeof bytes, bytes) < 0)
        return take_pointer(&text);
    for (size_t i = 0; i < sizeof bytes; i++)
        if (!isprint(bytes[i]))
            return take_pointer(&text);
    struct str firmware = {0};
    str_add_bytes(&firmware, bytes, sizeof bytes);
    return str_take(&firmware);
}

/* Signs that a collection of counterfeits has in common. A hint, never a verdict. */
static const char *doubt_of(const struct device *device, uint64_t manfid, bool has_manfid)
{
    static const char *const names[] = {"SMI", "N/A", "00000", "ASTC"};
    if (device->kind != DEVICE_SD)
        return NULL;
    if (has_manfid && manfid == 0)
        return "its maker's number is 0, as on many counterfeits";
    for (size_t i = 0; device->name && i < ARRAY_SIZE(names); i++)
        if (strcmp(device->name, names[i]) == 0)
            return "its name is one that many counterfeits bear";
    if (device->card.firmware && strlen(device->card.firmware) > 4)
        return "its firmware number is longer than an SD card's, as on many counterfeits";
    return NULL;
}

static void read_claims(const struct folder *folder, struct device *device)
{
    AUTO(str_done) struct str ssr = {0};
    AUTO_FREE char *scr = folder_label(folder, "scr");
    device->card.bus_lines = scr ? card_bus_lines(scr) : 0;
    if (folder_text(folder, "ssr", &ssr) < 0)
        return;
    if (card_claims(str_text(&ssr), &device->card.claims) == -EINVAL)
        log_say(LOG_WARNING, "%s/ssr is skipped: it is no status register", folder->path);
}

static void read_health(const struct folder *folder, struct device *device)
{
    AUTO_FREE char *life = folder_label(folder, "life_time");
    AUTO_FREE char *spare = folder_label(folder, "pre_eol_info");
    AUTO_FREE char *revision = folder_label(folder, "rev");
    const char *at = revision;
    int number = at ? take_byte(&at) : -1;
    device->card.revision = number > 0 ? (unsigned)number : 0;
    card_health(life, spare, &device->card.health);
}

static void read_cid(const struct folder *folder, struct device *device)
{
    device->cid = folder_label(folder, "cid");
    if (device->cid && !card_is_cid(device->cid)) {
        log_say(LOG_WARNING, "%s/cid is skipped: it is no card identity", folder->path);
        free(device->cid);
        device->cid = NULL;
    }
    if (device->cid)
        device->identity = mem_copy_text(device->cid);
}

void card_read(const struct folder *folder, struct device *device)
{
    AUTO_FREE char *manfid = folder_label(folder, "manfid");
    struct device_card *card = &device->card;
    unsigned char maker[3];
    bool has_manfid =
        manfid && str_starts(manfid, "0x") && parse_hex(manfid + 2, sizeof maker, maker) == 0;
    uint64_t number = has_manfid ? maker[0] * 65536u + maker[1] * 256u + maker[2] : 0;
    const char *name = has_manfid ? card_maker(device->kind == DEVICE_EMMC, number) : NULL;
    device->name = folder_label(folder, "name");
    device->serial = folder_label(folder, "serial");
    read_cid(folder, device);
    card->maker = name ? mem_copy_text(name) : NULL;
    card->firmware = read_firmware(folder);
    card->date = folder_label(folder, "date");
    (void)folder_number(folder, "preferred_erase_size", &card->erase_bytes);
    if (device->kind == DEVICE_EMMC)
        read_health(folder, device);
    else
        read_claims(folder, device);
    const char *doubt = doubt_of(device, number, has_manfid);
    card->doubt = doubt ? mem_copy_text(doubt) : NULL;
}
