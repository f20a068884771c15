#include "store/stored.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/moment.h"

static int read_head(struct stored *stored)
{
    AUTO(sql_done) sqlite3_stmt *head = NULL;
    int r = sql_prepare(stored->db,
                        "SELECT state, owner_pid, owner_start, recorder_pid, recorder_start,"
                        " owner_boot FROM runs WHERE id = ?1",
                        &head);
    if (r < 0)
        return r;
    sql_bind_number(head, 1, (uint64_t)stored->run);
    r = sql_step(head);
    if (r <= 0)
        return r < 0 ? r : -ENOENT;
    stored->state = (unsigned)sqlite3_column_int(head, 0);
    stored->owner.pid = sqlite3_column_int(head, 1);
    stored->owner.start = (unsigned long long)sqlite3_column_int64(head, 2);
    stored->recorder.pid = sqlite3_column_int(head, 3);
    stored->recorder.start = (unsigned long long)sqlite3_column_int64(head, 4);
    const char *boot = sql_text(head, 5);
    size_t size = strnlen(boot, sizeof(stored->boot) - 1);
    memcpy(stored->boot, boot, size);
    stored->boot[size] = '\0';
    return 0;
}

int stored_open(sqlite3 *db, int64_t run, struct stored *ret_stored)
{
    *ret_stored = (struct stored){.db = db, .run = run, .seq = -1};
    return read_head(ret_stored);
}

void stored_done(struct stored *stored)
{
    pack_done(&stored->part);
    *stored = (struct stored){0};
}

/* Fetches the row after `seq` and, in the same snapshot, whether the run is packed by now.
 * 1: a row, 0: none. */
static int fetch_row(struct stored *stored, bool *ret_is_packed)
{
    AUTO(sql_done) sqlite3_stmt *fetch = NULL;
    int r = sql_prepare(stored->db,
                        "SELECT runs.packed, frames.seq, frames.packet FROM runs LEFT JOIN frames"
                        " ON frames.run = runs.id AND frames.seq > ?2 WHERE runs.id = ?1"
                        " ORDER BY frames.seq LIMIT 1",
                        &fetch);
    if (r < 0)
        return r;
    sql_bind_number(fetch, 1, (uint64_t)stored->run);
    sql_bind_number(fetch, 2, (uint64_t)stored->seq);
    r = sql_step(fetch);
    if (r <= 0)
        return r < 0 ? r : -ENOENT;
    *ret_is_packed = sqlite3_column_int(fetch, 0) != 0;
    const void *blob = sqlite3_column_blob(fetch, 2);
    size_t size = (size_t)sqlite3_column_bytes(fetch, 2);
    if (!blob)
        return 0;
    if (size > sizeof(stored->row.bytes))
        return -EPROTO;
    memcpy(stored->row.bytes, blob, size);
    stored->row.size = size;
    stored->seq = sqlite3_column_int64(fetch, 1);
    stored->at = 0;
    return 1;
}

static int load_series(struct stored *stored)
{
    AUTO(sql_done) sqlite3_stmt *rows = NULL;
    int r = sql_prepare(stored->db,
                        "SELECT metric, lane, blob FROM series WHERE run = ?1 AND part = ?2"
                        " ORDER BY ordinal",
                        &rows);
    if (r < 0)
        return r;
    sql_bind_number(rows, 1, (uint64_t)stored->run);
    sql_bind_number(rows, 2, (uint64_t)stored->part_number);
    while ((r = sql_step(rows)) > 0) {
        const void *blob = sqlite3_column_blob(rows, 2);
        r = pack_add_series(&stored->part, (uint16_t)sqlite3_column_int(rows, 0),
                            (uint16_t)sqlite3_column_int(rows, 1), blob ? blob : "",
                            (size_t)sqlite3_column_bytes(rows, 2));
        if (r < 0)
            return -EPROTO;
    }
    return r;
}

/* 1: the next part is loaded, 0: there is none. */
static int load_part(struct stored *stored)
{
    AUTO(sql_done) sqlite3_stmt *part = NULL;
    pack_done(&stored->part);
    int r =
        sql_prepare(stored->db, "SELECT sequence FROM parts WHERE run = ?1 AND part = ?2", &part);
    if (r < 0)
        return r;
    sql_bind_number(part, 1, (uint64_t)stored->run);
    sql_bind_number(part, 2, (uint64_t)stored->part_number);
    r = sql_step(part);
    if (r <= 0)
        return r;
    const void *order = sqlite3_column_blob(part, 0);
    str_add_bytes(&stored->part.order, order ? order : "", (size_t)sqlite3_column_bytes(part, 0));
    r = load_series(stored);
    stored->part_number++;
    return r < 0 ? r : 1;
}

/* The next frame of the rows: 1, 0: no row yet, or the run was packed since (is_packed is set). */
static int next_in_rows(struct stored *stored, struct frame *ret_frame)
{
    while (stored->at == stored->row.size) {
        bool is_packed = false;
        int r = fetch_row(stored, &is_packed);
        if (r < 0)
            return r;
        if (is_packed != stored->is_packed) {
            stored->is_packed = true;
            return 0;
        }
        if (r == 0)
            return 0;
    }
    return frame_next(stored->row.bytes, stored->row.size, &stored->at, ret_frame);
}

static int next_packed(struct stored *stored, struct frame *ret_frame)
{
    for (;;) {
        int r = stored->has_part ? pack_next(&stored->part, ret_frame) : PACK_END;
        if (r < 0 || r == PACK_SAMPLE)
            return r;
        if (r == PACK_OTHER) {
            r = next_in_rows(stored, ret_frame);
            return r == 0 ? -EPROTO : r;
        }
        r = load_part(stored);
        stored->has_part = r > 0;
        if (r <= 0)
            return r;
    }
}

/* The rows gave way to blobs while they were read: find the same place in these. */
static int go_on_packed(struct stored *stored, struct frame *ret_frame)
{
    stored->row.size = stored->at = 0;
    stored->seq = -1;
    for (uint64_t i = 0; i < stored->given; i++) {
        int r = next_packed(stored, ret_frame);
        if (r <= 0)
            return r < 0 ? r : -EPROTO;
    }
    return next_packed(stored, ret_frame);
}

static void note(struct stored *stored, const struct frame *frame)
{
    uint64_t t_ns = moment_of(frame);
    if (t_ns > stored->newest_ns)
        stored->newest_ns = t_ns;
    if (frame->type == FRAME_END)
        stored->has_end = true;
    stored->given++;
}

int stored_next(struct stored *stored, struct frame *ret_frame)
{
    int r = 0;
    if (stored->is_packed) {
        r = next_packed(stored, ret_frame);
    } else {
        r = next_in_rows(stored, ret_frame);
        if (r == 0 && stored->is_packed)
            r = go_on_packed(stored, ret_frame);
    }
    if (r > 0) {
        note(stored, ret_frame);
        return 1;
    }
    return r;
}

bool stored_is_growing(const struct stored *stored)
{
    return !stored->has_end && stored->state == RUN_RUNNING &&
           owner_lives(&stored->owner, stored->boot) &&
           owner_lives(&stored->recorder, stored->boot);
}

void stored_interruption(const struct stored *stored, struct frame *ret_frame)
{
    static const char pairs[] = "sentence\0the record has no end: the program that owned the run "
                                "was killed, or the power failed";
    *ret_frame = (struct frame){
        .type = FRAME_END, .flags = FRAME_OWNER, .pairs = pairs, .pairs_size = sizeof(pairs)};
    ret_frame->end = (struct frame_end){.state = RUN_INTERRUPTED, .t_ns = stored->newest_ns};
}
