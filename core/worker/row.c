#include "worker/row.h"

#include "base/str.h"
#include "wire/channel.h"
#include "wire/frame.h"

#define SEND_MS 1000

int row_send(const struct str *row)
{
    struct packet packet = {.size = 0};
    struct frame frame = {.type = FRAME_ROW, .pairs = row->text, .pairs_size = row->size};
    int rc = packet_add(&packet, &frame);
    return rc < 0 ? rc : channel_send_wait(CHANNEL_FD, &packet, SEND_MS);
}
