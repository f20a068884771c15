/* Messages of the kernel, and rows of the probe, as any bytes: nothing outside them is read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/ethtool.h"
#include "device/linkevent.h"
#include "fuzz.h"
#include "wire/frame.h"

static const uint8_t link_message[] = {
    /* RTM_NEWLINK of index 7, up, named eth0, with a carrier */
    52, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0,   0,   0,   0,   0, 0, 0, 0, 1, 0, 7,  0, 0, 0, 1, 0,
    1,  0, 0, 0, 0,  0, 9, 0, 3, 0, 'e', 't', 'h', '0', 0, 0, 0, 0, 5, 0, 33, 0, 1, 0, 0, 0};
static const uint8_t modes_answer[] = {5, 0, 2, 0, 1,   0, 0,  0, 28, 0, 3, 128, 8, 0, 2,  0, 32, 0,
                                       0, 0, 8, 0, 4,   0, 47, 0, 0,  0, 8, 0,   5, 0, 47, 0, 0,  0,
                                       8, 0, 5, 0, 100, 0, 0,  0, 5,  0, 6, 0,   1, 0, 0,  0};
static const char row[] = "index\0007\0carrier\0true\0speed_mbps\000100\0duplex\0half\0"
                          "addresses\00010.0.0.1/24 fe80::1/64\0rx_bytes\00018446744073709551615";

static const struct {
    const void *bytes;
    size_t size;
} seeds[] = {
    {link_message, sizeof link_message}, {modes_answer, sizeof modes_answer}, {row, sizeof row}};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= ARRAY_SIZE(seeds))
        return 0;
    memcpy(into, seeds[index].bytes, seeds[index].size);
    return seeds[index].size;
}

static void on_event(void *user, const struct linkevent *event)
{
    (void)user;
    FUZZ_HOLDS(memchr(event->name, '\0', sizeof event->name) != NULL);
    FUZZ_HOLDS(event->kind != LINKEVENT_LINK || event->index > 0);
}

static void look_at(const struct link *link)
{
    AUTO(str_done) struct str text = {0};
    FUZZ_HOLDS(link->carrier != LINK_NO || (link->speed_mbps == 0 && !link->duplex));
    link_mode(link, &text);
    link_remark(link, &text);
    link_add_pairs(link, &text);
    (void)link_shares_subnet(link->addresses, "10.0.0.2/24 2001:db8::1/64");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ethtool_message messages[] = {ETHTOOL_LINKINFO, ETHTOOL_LINKMODES,
                                                    ETHTOOL_LINKSTATE, ETHTOOL_PAUSE, ETHTOOL_EEE};
    AUTO(link_done) struct link link = {0}, placed = {0};
    /* An exact copy, so that reading one byte beyond it is seen. */
    AUTO_FREE uint8_t *bytes = mem_new(size ? size : 1, 1);
    memcpy(bytes, data, size);
    linkevent_parse(bytes, size, on_event, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
        ethtool_take(messages[i], bytes, size, &link);
    look_at(&link);
    /* As a row only what came through the codec's checks. */
    static struct packet packet;
    struct frame frame = {.type = FRAME_ROW, .pairs = (const char *)bytes, .pairs_size = size};
    size_t offset = 0;
    packet.size = 0;
    if (packet_add(&packet, &frame) == 0 &&
        frame_next(packet.bytes, packet.size, &offset, &frame) == 1) {
        (void)link_take_row(&placed, &frame);
        link_merge(&link, &placed);
        look_at(&link);
    }
    return 0;
}
