#include "worker/target.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char *const no_leaf[] = {NULL};

void target_name(const struct order *order, struct target *ret_target)
{
    bool is_net = order->target_kind == DYNO_NET;
    const char *peer = frame_pair(&order->frame, "target.peer");
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
                  .peer_ifname = peer ? peer : ""},
        .scope = {.dirfd = -1},
    };
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
    int code = guard_admit(&request, &target->scope, why);
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
    if (scope->leaf_stat)
        table->leaf_stat = (const char *const *)scope->leaf_stat;
    return 0;
}
