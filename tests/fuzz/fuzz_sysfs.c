/* Text and bytes that cards, bridges and old kernels put into sysfs and debugfs. The first byte
 * splits the input for the readers of two fields. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/card.h"
#include "device/kmsg.h"
#include "device/mmc.h"
#include "device/mode.h"
#include "device/part.h"
#include "device/port.h"
#include "device/scsi.h"
#include "device/sysfs.h"
#include "device/uevent.h"
#include "device/usb.h"
#include "fuzz.h"

static const char *const SEEDS[] = {
    ("\020clock:\t\t200000000 Hz\nactual clock:\t200000000 Hz\nvdd:\t\t21 (3.3 ~ 3.4 V)\n"
     "bus mode:\t2 (push-pull)\nbus width:\t3 (8 bits)\ntiming spec:\t9 (mmc HS200)\n"),
    "\010CT240BX500SSD1  ",
    "\001480",
    "\0015000",
    "\001mmcblk0boot1",
    "\0016,339,514,-;mmc1: new HS400 Enhanced strobe MMC card at address 0001\n",
    "\0013,2,2,-;mmc1: error -110 whilst initialising SD card\n",
    "\0010x01 0x02",
    "\0018000000000000000040090000003301e0000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000",
    "\001\005\017\026\001\001\012\020\003\001\016\001\001\012\377\007",
    "\001change@/devices/virtual/block/loop3",
    "\001MAJOR=259\nMINOR=7\nDEVNAME=sda7\nDEVTYPE=partition\nPARTN=7\nPARTNAME=0:RPM_1\n",
};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= ARRAY_SIZE(SEEDS))
        return 0;
    size_t size = strlen(SEEDS[index]);
    memcpy(into, SEEDS[index], size);
    return size;
}

static void read_ios(const char *text, size_t size)
{
    struct mmc_ios ios;
    if (mmc_ios_parse(text, size, &ios) < 0)
        return;
    double ceiling = mmc_ios_ceiling(&ios);
    if (ios.width > 8 || !(ceiling >= 0) || (ceiling > 0 && ios.actual_hz == 0))
        abort();
    (void)mmc_ios_mode(&ios);
}

static void read_names(const char *text, size_t size, size_t split)
{
    AUTO_FREE char *name = scsi_name(text, split, text + split, size - split);
    if (name && name[0] == '\0')
        abort();
    for (const char *at = name; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            abort();
}

static void read_card(const char *text)
{
    struct device_claims claims = {0};
    struct device_health health;
    AUTO(str_done) struct str told = {0};
    if (card_claims(text, &claims) == 0)
        card_claims_text(&claims, &told);
    if (claims.speed_class > 10 || claims.uhs > 3 || claims.video > 90 || claims.application > 2)
        abort();
    card_health(text, text, &health);
    if (health.used[0] > 100 || health.used[1] > 100 || health.reserved > 3)
        abort();
    (void)card_is_cid(text);
}

static void read_log(const char *text, size_t size)
{
    AUTO(mode_log_done) struct mode_log log = {0};
    mode_take_line(&log, "mmc1", text, size);
    for (const char *at = log.error; at && *at; at++)
        if ((unsigned char)*at < ' ')
            abort();
    if (log.mode[0] && !mmc_mode_find(log.mode))
        abort();
}

static void read_descriptors(const uint8_t *bytes, size_t size)
{
    struct uevent event;
    unsigned mbps = port_bos_mbps(bytes, size);
    if (mbps != 0 && mbps != 480 && mbps != 5000 && mbps != 10000)
        abort();
    if (uevent_parse((const char *)bytes, size, &event) == 0 &&
        (!event.action[0] || strlen(event.name) >= UEVENT_TEXT_MAX))
        abort();
}

static void read_partition(const char *text)
{
    AUTO(device_done) struct device device = {.kind = DEVICE_PARTITION};
    bool is_part = false, has_numbers = false;
    part_take_uevent(text, &device, &is_part, &has_numbers);
    if ((is_part && !strstr(text, "DEVTYPE=partition")) || (has_numbers && !strstr(text, "MAJOR=")))
        abort();
    for (const char *at = device.name; at && *at; at++)
        if ((unsigned char)*at < ' ')
            abort();
}

static void read_record(const char *record, size_t size)
{
    AUTO(str_done) struct str text = {0};
    unsigned level = 0;
    if (kmsg_parse(record, size, &level, &text) == 0 && level > 7)
        abort();
    (void)kmsg_names(str_text(&text), "mmcblk0");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t left = size - 1, split = left > 0 ? data[0] % (left + 1) : 0;
    AUTO_FREE char *text = mem_new(left + 1, 1);
    memcpy(text, data + 1, left);
    AUTO_FREE char *exact = mem_new(left, 1);
    memcpy(exact, text, left);
    read_ios(exact, left);
    read_names(exact, left, split);
    (void)usb_offers_uas((const uint8_t *)exact, left);
    (void)usb_speed_of(text);
    (void)mmc_is_area(text);
    read_card(text);
    read_log(exact, left);
    read_partition(text);
    read_record(exact, left);
    read_descriptors((const uint8_t *)exact, left);
    if (sysfs_natural(text, text) != 0)
        abort();
    return 0;
}
