#include "store/packing.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "run/model.h"
#include "store/owner.h"
#include "store/pack.h"
#include "store/sql.h"
#include "store/summary.h"

struct packing {
    sqlite3 *db;
    int64_t run;
    struct pack part;
    int64_t part_number;
    struct packet others; /* frames that are no samples, not yet written */
    int64_t next_seq;     /* behind all rows that were there before */
    unsigned other_frames;
    uint64_t frames; /* in the open part */
    struct model *model;
};

static int write_others(struct packing *packing)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    if (packing->others.size == 0)
        return 0;
    int r = sql_prepare(packing->db, "INSERT INTO frames VALUES(?1, ?2, ?3)", &insert);
    if (r < 0)
        return r;
    sql_bind_number(insert, 1, (uint64_t)packing->run);
    sql_bind_number(insert, 2, (uint64_t)packing->next_seq++);
    sql_bind_blob(insert, 3, packing->others.bytes, packing->others.size);
    packing->others.size = packing->other_frames = 0;
    return sql_finish(insert);
}

static int keep_other(struct packing *packing, const uint8_t *bytes, size_t size)
{
    struct packet *others = &packing->others;
    if (others->size + size > sizeof(others->bytes) || packing->other_frames == FRAME_SAMPLES_MAX) {
        int r = write_others(packing);
        if (r < 0)
            return r;
    }
    memcpy(others->bytes + others->size, bytes, size);
    others->size += size;
    packing->other_frames++;
    return 0;
}

static int write_series(const struct packing *packing)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    int r =
        sql_prepare(packing->db, "INSERT INTO series VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)", &insert);
    for (size_t i = 0; i < packing->part.count && r == 0; i++) {
        const struct pack_series *series = &packing->part.series[i];
        sql_bind_number(insert, 1, (uint64_t)packing->run);
        sql_bind_number(insert, 2, (uint64_t)packing->part_number);
        sql_bind_number(insert, 3, i);
        sql_bind_number(insert, 4, series->metric);
        sql_bind_number(insert, 5, series->lane);
        sql_bind_number(insert, 6, series->samples);
        sql_bind_blob(insert, 7, series->blob.text, series->blob.size);
        r = sql_finish(insert);
    }
    return r;
}

static int write_part(struct packing *packing)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    pack_finish(&packing->part);
    int r = write_series(packing);
    if (r == 0)
        r = sql_prepare(packing->db, "INSERT INTO parts VALUES(?1, ?2, ?3, ?4)", &insert);
    if (r < 0)
        return r;
    sql_bind_number(insert, 1, (uint64_t)packing->run);
    sql_bind_number(insert, 2, (uint64_t)packing->part_number++);
    sql_bind_number(insert, 3, packing->part.samples);
    sql_bind_blob(insert, 4, packing->part.order.text, packing->part.order.size);
    r = sql_finish(insert);
    pack_done(&packing->part);
    packing->frames = 0;
    return r;
}

static int pack_frame(struct packing *packing, const struct frame *frame, const uint8_t *bytes,
                      size_t size)
{
    int r = packing->part.samples < PACKING_SAMPLES ? pack_add(&packing->part, frame) : -E2BIG;
    if (r == -E2BIG) {
        r = write_part(packing);
        if (r == 0)
            r = pack_add(&packing->part, frame);
    }
    packing->frames++;
    (void)model_apply(packing->model, frame); /* only for the summary */
    return r < 0 || frame->type == FRAME_SAMPLE ? r : keep_other(packing, bytes, size);
}

static int pack_row(struct packing *packing, const void *blob, size_t size)
{
    struct packet row = {.size = size};
    struct frame frame;
    size_t at = 0, before = 0;
    int r = 0;
    if (size > sizeof(row.bytes))
        return -EPROTO;
    memcpy(row.bytes, blob, size);
    while ((r = frame_next(row.bytes, size, &at, &frame)) > 0) {
        r = pack_frame(packing, &frame, row.bytes + before, at - before);
        if (r < 0)
            return r;
        before = at;
    }
    return r;
}

static int pack_rows(struct packing *packing)
{
    AUTO(sql_done) sqlite3_stmt *rows = NULL;
    int r = sql_prepare(
        packing->db, "SELECT packet FROM frames WHERE run = ?1 AND seq < ?2 ORDER BY seq", &rows);
    if (r < 0)
        return r;
    sql_bind_number(rows, 1, (uint64_t)packing->run);
    sql_bind_number(rows, 2, (uint64_t)packing->next_seq);
    while ((r = sql_step(rows)) > 0) {
        const void *blob = sqlite3_column_blob(rows, 0);
        r = pack_row(packing, blob ? blob : "", (size_t)sqlite3_column_bytes(rows, 0));
        if (r < 0)
            return r;
    }
    if (r == 0)
        r = write_others(packing);
    return r == 0 && packing->frames > 0 ? write_part(packing) : r;
}

static int run_with(sqlite3 *db, const char *text, int64_t run, int64_t seq)
{
    AUTO(sql_done) sqlite3_stmt *statement = NULL;
    int r = sql_prepare(db, text, &statement);
    if (r < 0)
        return r;
    sql_bind_number(statement, 1, (uint64_t)run);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sql_bind_number(statement, 2, (uint64_t)seq);
    return sql_finish(statement);
}

static int find_end(sqlite3 *db, int64_t run, int64_t *ret_seq)
{
    AUTO(sql_done) sqlite3_stmt *newest = NULL;
    int r = sql_prepare(db, "SELECT max(seq) FROM frames WHERE run = ?1", &newest);
    if (r < 0)
        return r;
    sql_bind_number(newest, 1, (uint64_t)run);
    r = sql_step(newest);
    if (r > 0)
        *ret_seq = sqlite3_column_int64(newest, 0) + 1;
    return r < 0 ? r : 0;
}

/* 1: it is packed already. */
static int is_packed(sqlite3 *db, int64_t run)
{
    AUTO(sql_done) sqlite3_stmt *packed = NULL;
    int r = sql_prepare(db, "SELECT packed FROM runs WHERE id = ?1", &packed);
    if (r < 0)
        return r;
    sql_bind_number(packed, 1, (uint64_t)run);
    r = sql_step(packed);
    if (r <= 0)
        return r < 0 ? r : -ENOENT;
    return sqlite3_column_int(packed, 0) != 0;
}

int packing_run(sqlite3 *db, int64_t run)
{
    struct packing packing = {.db = db, .run = run};
    int r = is_packed(db, run);
    if (r != 0)
        return r < 0 ? r : 0;
    r = find_end(db, run, &packing.next_seq);
    if (r < 0)
        return r;
    int64_t end_seq = packing.next_seq;
    packing.model = model_new();
    r = pack_rows(&packing);
    if (r == 0)
        r = summary_store(db, run, packing.model);
    packing.model = model_free(packing.model);
    pack_done(&packing.part);
    if (r == 0)
        r = run_with(db, "DELETE FROM frames WHERE run = ?1 AND seq < ?2", run, end_seq);
    return r < 0 ? r : run_with(db, "UPDATE runs SET packed = 1 WHERE id = ?1", run, 0);
}

/* The newest run that nobody packed, below `before`: 1 and its number, 0: none. */
static int find_left(sqlite3 *db, int64_t before, int64_t *ret_run)
{
    AUTO(sql_done) sqlite3_stmt *left = NULL;
    int r = sql_prepare(db,
                        "SELECT id, recorder_pid, recorder_start, owner_boot FROM runs"
                        " WHERE packed = 0 AND id < ?1 ORDER BY id DESC",
                        &left);
    if (r < 0)
        return r;
    sql_bind_number(left, 1, (uint64_t)before);
    while ((r = sql_step(left)) > 0) {
        struct owner recorder = {
            .pid = sqlite3_column_int(left, 1),
            .start = (unsigned long long)sqlite3_column_int64(left, 2),
        };
        if (owner_lives(&recorder, sql_text(left, 3)))
            continue;
        *ret_run = sqlite3_column_int64(left, 0);
        return 1;
    }
    return r;
}

int packing_left(struct database *database)
{
    int64_t run = INT64_MAX;
    int r = 0;
    for (int i = 0; i < PACKING_LEFT_MAX; i++) {
        r = find_left(database->db, run, &run);
        if (r <= 0)
            return r;
        r = database_begin(database, false);
        if (r == 0)
            r = database_end(database, packing_run(database->db, run));
        if (r < 0 && r != -EPROTO)
            return r;
    }
    return 0;
}
