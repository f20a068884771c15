#include "device/remark.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/card.h"
#include "device/link.h"

static void part_off(struct str *into)
{
    str_add(into, into->size > 0 ? "  " : "");
}

static void add(struct str *into, const char *text)
{
    if (!text || !text[0])
        return;
    part_off(into);
    str_add(into, text);
}

static void add_health(const struct device_health *health, struct str *into)
{
    unsigned used = health->used[0] > health->used[1] ? health->used[0] : health->used[1];
    if (health->is_past)
        add(into, "past its life");
    else if (used > 0) {
        part_off(into);
        str_addf(into, "up to %u %% of its life used", used);
    }
    if (health->reserved > 1) {
        part_off(into);
        str_addf(into, "spare blocks: %s", card_reserved_name(health->reserved));
    }
}

int remark_is_aligned(const struct device *part, const struct device *disk)
{
    uint64_t unit = disk ? disk->card.erase_bytes : 0;
    if (part->kind != DEVICE_PARTITION || unit == 0 || part->start_bytes == 0)
        return -1;
    return part->start_bytes % unit == 0;
}

static void add_start(const struct device *part, const struct device *disk, struct str *into)
{
    if (remark_is_aligned(part, disk) != 0)
        return;
    part_off(into);
    str_addf(into, "starts within an allocation unit of its card (%s), which may slow writing",
             units_bytes_binary((double)disk->card.erase_bytes).text);
}

void remark_add(const struct device *device, const struct device *disk, struct str *into)
{
    add_health(&device->card.health, into);
    if (device->usb.uas_off)
        add(into, "UAS capable, but off");
    add(into, device->usb.advice);
    add(into, device->card.doubt);
    if (device->kind != DEVICE_SLOT && device->bus_error) { /* a slot's stands in its `why` */
        part_off(into);
        str_addf(into, "the kernel said: %s", device->bus_error);
    }
    add_start(device, disk, into);
    if (!device->link)
        return;
    AUTO(str_done) struct str text = {0};
    link_remark(device->link, &text);
    add(into, str_text(&text));
}
