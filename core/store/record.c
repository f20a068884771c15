#include "store/record.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/moment.h"
#include "store/sql.h"

struct queued { /* before each packet in the queue; keeps what follows aligned to 8 */
    uint32_t size, frames;
};

void record_done(struct record *record)
{
    str_done(&record->queue);
    free(record->test);
    free(record->title);
    free(record->target);
    free(record->cid);
    free(record->label);
    free(record->plugin);
    free(record->error);
    *record = (struct record){0};
}

static char *copy_pair(const struct frame *frame, const char *key)
{
    const char *value = frame_pair(frame, key);
    return value ? mem_copy_text(value) : NULL;
}

static void take_start(struct record *record, const struct frame *frame)
{
    const struct frame_start *start = &frame->start;
    record->has_start = true;
    record->zero_ns = record->newest_ns = start->mono_ns;
    record->wall_ns = start->wall_ns;
    record->test = copy_pair(frame, "test");
    record->title = copy_pair(frame, "title");
    record->target = copy_pair(frame, "target.id");
    record->cid = copy_pair(frame, "target.identity");
    if (!record->cid)
        record->cid = copy_pair(frame, "target.cid");
    record->label = copy_pair(frame, "label");
    record->plugin = copy_pair(frame, "plugin");
}

static void take_end(struct record *record, const struct frame *frame)
{
    const char *sentence = frame_pair(frame, "sentence");
    record->has_end = true;
    record->state = frame->end.state;
    if (frame->end.state != RUN_DONE && sentence && *sentence)
        record->error = mem_copy_text(sentence);
}

static void take_frame(struct record *record, const struct frame *frame)
{
    uint64_t t_ns = moment_of(frame);
    digest_add_frame(&record->digest, frame);
    if (t_ns > record->newest_ns)
        record->newest_ns = t_ns;
    if (frame->type == FRAME_START)
        take_start(record, frame);
    else if (frame->type == FRAME_END)
        take_end(record, frame);
}

static bool is_of_a_run(const struct frame *frame)
{
    return frame->type >= FRAME_START && frame->type <= FRAME_END;
}

/* Measures the packet up to and with its end frame; -EPROTO when it does not fit this record. */
static int check(const struct record *record, const void *bytes, size_t size,
                 struct queued *ret_head)
{
    struct frame frame;
    struct queued head = {0};
    size_t at = 0;
    bool is_started = record->has_start;
    int r = 0;
    while ((r = frame_next(bytes, size, &at, &frame)) > 0) {
        if (!is_of_a_run(&frame) || (is_started && frame.type == FRAME_START) ||
            (!is_started && frame.type != FRAME_START && frame.type != FRAME_LOG))
            return -EPROTO;
        is_started = is_started || frame.type == FRAME_START;
        head.size = (uint32_t)at;
        head.frames++;
        if (frame.type == FRAME_END)
            break;
    }
    *ret_head = head;
    return r < 0 ? r : 0;
}

int record_take(struct record *record, const void *bytes, size_t size)
{
    struct queued head;
    struct frame frame;
    size_t at = 0;
    if (record->has_end)
        return -EPROTO;
    if (record->queue.size + size > RECORD_QUEUE_MAX)
        return -ENOBUFS;
    int r = check(record, bytes, size, &head);
    if (r < 0)
        return r;
    while (at < head.size && frame_next(bytes, size, &at, &frame) > 0)
        take_frame(record, &frame);
    str_add_bytes(&record->queue, &head, sizeof(head));
    str_add_bytes(&record->queue, bytes, head.size);
    return 0;
}

static int insert_row(struct record *record, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    char boot[OWNER_BOOT_MAX];
    int r = sql_prepare(db,
                        "INSERT INTO runs(test, title, target, cid, label, plugin, started_wall_ns,"
                        " owner_pid, owner_start, recorder_pid, recorder_start, owner_boot, id)"
                        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                        &insert);
    if (r < 0)
        return r;
    sql_bind_text(insert, 1, record->test ? record->test : "");
    sql_bind_text(insert, 2, record->title);
    sql_bind_text(insert, 3, record->target);
    sql_bind_text(insert, 4, record->cid);
    sql_bind_text(insert, 5, record->label);
    sql_bind_text(insert, 6, record->plugin);
    sql_bind_number(insert, 7, record->wall_ns);
    sql_bind_number(insert, 8, (uint64_t)record->owner.pid);
    sql_bind_number(insert, 9, record->owner.start);
    sql_bind_number(insert, 10, (uint64_t)record->recorder.pid);
    sql_bind_number(insert, 11, record->recorder.start);
    sql_bind_text(insert, 12, owner_boot(boot));
    if (record->wanted_id > 0)
        sql_bind_number(insert, 13, (uint64_t)record->wanted_id);
    r = sql_finish(insert);
    if (r == 0)
        record->id = sqlite3_last_insert_rowid(db);
    return r;
}

static int update_row(const struct record *record, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *update = NULL;
    int r = sql_prepare(
        db, "UPDATE runs SET state = ?2, duration_ns = ?3, error = ?4 WHERE id = ?1", &update);
    if (r < 0)
        return r;
    sql_bind_number(update, 1, (uint64_t)record->id);
    sql_bind_number(update, 2, record->state);
    sql_bind_number(update, 3, record->newest_ns - record->zero_ns);
    sql_bind_text(update, 4, record->error);
    return sql_finish(update);
}

static int insert_frames(struct record *record, sqlite3_stmt *insert, const struct packet *row,
                         struct digest *digest)
{
    if (row->size == 0)
        return 0;
    sql_bind_number(insert, 1, (uint64_t)record->id);
    sql_bind_number(insert, 2, record->next_seq++);
    sql_bind_blob(insert, 3, row->bytes, row->size);
    digest_add_bytes(digest, row->bytes, row->size);
    return sql_finish(insert);
}

/* A row may go to a page that was damaged before, where SQLite puts it and does not find it again:
 * now its frames are still here. */
static int check_rows(const struct record *record, sqlite3 *db, uint64_t first_seq,
                      const struct digest *written)
{
    AUTO(sql_done) sqlite3_stmt *rows = NULL;
    struct digest found = {0};
    int r = sql_prepare(db, "SELECT packet FROM frames WHERE run = ?1 AND seq >= ?2 ORDER BY seq",
                        &rows);
    if (r < 0)
        return r;
    sql_bind_number(rows, 1, (uint64_t)record->id);
    sql_bind_number(rows, 2, first_seq);
    while ((r = sql_step(rows)) > 0) {
        const void *blob = sqlite3_column_blob(rows, 0);
        digest_add_bytes(&found, blob ? blob : "", (size_t)sqlite3_column_bytes(rows, 0));
    }
    return r < 0 || digest_is_same(&found, written) ? r : -EUCLEAN;
}

/* Small packets share a row, which costs about as much as a sample; a row stays a packet. */
static int insert_queue(struct record *record, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    int r = sql_prepare(db, "INSERT INTO frames VALUES(?1, ?2, ?3)", &insert);
    struct packet row = {.size = 0};
    struct digest written = {0};
    uint64_t first_seq = record->next_seq;
    unsigned frames = 0;
    for (size_t at = 0; at < record->queue.size && r == 0;) {
        struct queued head;
        memcpy(&head, record->queue.text + at, sizeof(head));
        at += sizeof(head);
        if (row.size + head.size > sizeof(row.bytes) || frames + head.frames > FRAME_SAMPLES_MAX) {
            r = insert_frames(record, insert, &row, &written);
            row.size = 0;
            frames = 0;
        }
        memcpy(row.bytes + row.size, record->queue.text + at, head.size);
        row.size += head.size;
        frames += head.frames;
        at += head.size;
    }
    if (r == 0)
        r = insert_frames(record, insert, &row, &written);
    return r < 0 ? r : check_rows(record, db, first_seq, &written);
}

int record_store(struct record *record, sqlite3 *db)
{
    int r = record->id == 0 ? insert_row(record, db) : 0;
    if (r == 0)
        r = insert_queue(record, db);
    return r < 0 ? r : update_row(record, db);
}

void record_settled(struct record *record, bool is_committed)
{
    if (is_committed) {
        str_clear(&record->queue);
        record->settled_id = record->id;
        record->settled_seq = record->next_seq;
    } else {
        record->id = record->settled_id;
        record->next_seq = record->settled_seq;
    }
}

void record_renew(struct record *record)
{
    record->wanted_id = record->settled_id;
    record->id = record->settled_id = 0;
}
