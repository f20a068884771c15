#include "worker/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/node.h"

static const char *const no_leaf[] = {NULL};

static double ceiling_of(const struct order *order)
{
    const char *text = frame_pair(&order->frame, "target.ceiling");
    double bps = 0;
    return text && units_parse_double(text, &bps) == 0 && bps > 0 ? bps : 0;
}

void target_name(const struct order *order, struct target *ret_target)
{
    bool is_net = order->target_kind == DYNO_NET;
    const char *peer = frame_pair(&order->frame, "target.peer");
    const char *ceiling_source = frame_pair(&order->frame, "target.ceiling_source");
    *ret_target = (struct target){
        .table = {.size = sizeof(struct dyno_target),
                  .kind = order->target_kind,
                  .id = order->target_id,
                  .path = order->target_path,
                  .scratch_dirfd = -1,
                  .logical_block = 512,
                  .leaf_stat = no_leaf,
                  .filesystem = "",
                  .ifname = is_net ? order->target_id : "",
                  .peer_ifname = peer ? peer : "",
                  .raw_fd = -1,
                  .ceiling_bps = ceiling_of(order),
                  .ceiling_source = ceiling_source ? ceiling_source : ""},
        .scope = {.dirfd = -1},
    };
}

static bool take_number(const char *number, struct guard_request *request)
{
    return node_number(number, strlen(number), &request->raw_major, &request->raw_minor) == 0;
}

/* Whether this test may have a device raw is decided here, not by the owner. */
static int ask_for_raw(const struct order *order, const struct catalog_test *test,
                       struct guard_request *request, struct str *why)
{
    const char *number = frame_pair(&order->frame, "target.raw");
    if (!number)
        return 0;
    const struct option *option = catalog_option(test, "raw");
    bool may = option && option->type == DYNO_BOOL && !(test->flags & DYNO_WRITES);
    if (!may || !take_number(number, request)) {
        str_addf(why, "%s does not read devices raw", test->id);
        return -EINVAL;
    }
    request->is_raw = true;
    request->will_write = false;
    return 0;
}

/* The person's word for this device; else the last one that was given. */
static const char *confirmed(const struct order *order)
{
    const char *key, *value, *last = NULL;
    size_t pos = 0;
    while (frame_pair_next(&order->frame, &pos, &key, &value)) {
        if (strcmp(key, "confirm") != 0)
            continue;
        last = value;
        if (strcmp(value, order->target_id) == 0)
            break;
    }
    return last;
}

static int ask_for_private(const struct order *order, struct guard_request *request,
                           struct str *why)
{
    const char *number = frame_pair(&order->frame, "target.private");
    if (!number)
        return 0;
    if (request->is_raw || !take_number(number, request)) {
        str_add(why, "the order names no device to mount");
        return -EINVAL;
    }
    request->is_private = true;
    request->confirmed = confirmed(order);
    return 0;
}

int target_admit(const struct order *order, const struct catalog_test *test, uint64_t room_bytes,
                 struct target *target, struct str *why)
{
    if (!(order->target_kind & (DYNO_BLOCK | DYNO_FOLDER)))
        return 0;
    AUTO(str_done) struct str holder = {0};
    str_addf(&holder, "run of %s", test->id);
    struct guard_request request = {
        .root = "",
        .target_id = order->target_id,
        .folder = order->target_path,
        .will_write = (test->flags & DYNO_WRITES) || room_bytes > 0,
        .room_bytes = room_bytes,
        .is_exclusive = (test->flags & DYNO_EXCLUSIVE) != 0,
        .holder = holder.text,
    };
    int code = ask_for_raw(order, test, &request, why);
    if (code == 0)
        code = ask_for_private(order, &request, why);
    if (code == 0)
        code = guard_admit(&request, &target->scope, why);
    if (code < 0)
        return code;

    const struct guard_scope *scope = &target->scope;
    struct dyno_target *table = &target->table;
    table->scratch_dirfd = scope->dirfd;
    table->free_bytes = scope->free_bytes;
    table->max_file_bytes = scope->max_file_bytes;
    table->logical_block = scope->logical_block;
    table->has_tmpfile = scope->has_tmpfile;
    table->filesystem = scope->filesystem ? scope->filesystem : "";
    if (scope->private.point)
        table->path = scope->private.point;
    if (scope->raw_path) {
        table->raw_fd = scope->raw_fd;
        table->path = scope->raw_path;
    }
    if (scope->leaf_stat)
        table->leaf_stat = (const char *const *)scope->leaf_stat;
    return 0;
}
