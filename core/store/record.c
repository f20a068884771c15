#include "store/record.h"

#include <errno.h>
#include <string.h>

#include <iodyno/plugin.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "store/moment.h"
#include "store/sql.h"

/* What stands in a list as the one figure of a run: the first of these that it has. */
static const char *const headline_keys[] = {"rate", "iops", "latency"};

struct queued { /* before each packet in the queue; keeps what follows aligned to 8 */
    uint64_t size;
};

void record_done(struct record *record)
{
    str_done(&record->queue);
    free(record->metrics);
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
    record->metric_count = start->metric_count;
    record->metrics = mem_new(start->metric_count + 1, sizeof(*record->metrics));
    if (start->metric_count > 0)
        memcpy(record->metrics, frame->metrics, start->metric_count * sizeof(*record->metrics));
    record->test = copy_pair(frame, "test");
    record->title = copy_pair(frame, "title");
    record->target = copy_pair(frame, "target.id");
    record->cid = copy_pair(frame, "target.cid");
    record->label = copy_pair(frame, "label");
    record->plugin = copy_pair(frame, "plugin");
}

static void take_result(struct record *record, const struct frame_result *result)
{
    if (result->lane != DYNO_LANE_ALL || result->metric >= record->metric_count)
        return;
    const struct frame_metric *metric = &record->metrics[result->metric];
    for (size_t i = 0; i < ARRAY_SIZE(headline_keys); i++) {
        size_t rank = i + 1;
        if (strncmp(metric->key, headline_keys[i], sizeof(metric->key)) != 0 ||
            (record->rank != 0 && record->rank < rank))
            continue;
        record->rank = rank;
        record->rate = result->value;
        record->rate_unit = metric->unit;
    }
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
    if (t_ns > record->newest_ns)
        record->newest_ns = t_ns;
    if (frame->type == FRAME_START)
        take_start(record, frame);
    else if (frame->type == FRAME_RESULT)
        take_result(record, &frame->result);
    else if (frame->type == FRAME_END)
        take_end(record, frame);
}

static bool is_of_a_run(const struct frame *frame)
{
    return frame->type >= FRAME_START && frame->type <= FRAME_END;
}

/* Length of the packet up to and with its end frame; -EPROTO when it does not fit this record. */
static int check(const struct record *record, const void *bytes, size_t size, size_t *ret_size)
{
    struct frame frame;
    size_t at = 0;
    bool is_started = record->has_start;
    int r = 0;
    while ((r = frame_next(bytes, size, &at, &frame)) > 0) {
        if (!is_of_a_run(&frame) || is_started == (frame.type == FRAME_START))
            return -EPROTO;
        is_started = true;
        if (frame.type == FRAME_END)
            break;
    }
    *ret_size = at;
    return r < 0 ? r : 0;
}

int record_take(struct record *record, const void *bytes, size_t size)
{
    size_t whole = 0, at = 0;
    struct frame frame;
    if (record->has_end)
        return -EPROTO;
    if (record->queue.size + size > RECORD_QUEUE_MAX)
        return -ENOBUFS;
    int r = check(record, bytes, size, &whole);
    if (r < 0)
        return r;
    while (at < whole && frame_next(bytes, whole, &at, &frame) > 0)
        take_frame(record, &frame);
    struct queued head = {.size = whole};
    str_add_bytes(&record->queue, &head, sizeof(head));
    str_add_bytes(&record->queue, bytes, whole);
    return 0;
}

static int insert_row(struct record *record, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    char boot[OWNER_BOOT_MAX];
    int r = sql_prepare(db,
                        "INSERT INTO runs(test, title, target, cid, label, plugin, started_wall_ns,"
                        " owner_pid, owner_start, recorder_pid, recorder_start, owner_boot)"
                        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
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
    r = sql_finish(insert);
    if (r == 0)
        record->id = sqlite3_last_insert_rowid(db);
    return r;
}

static int update_row(const struct record *record, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *update = NULL;
    int r = sql_prepare(db,
                        "UPDATE runs SET state = ?2, duration_ns = ?3, rate = ?4, rate_unit = ?5,"
                        " partial = ?6, error = ?7 WHERE id = ?1",
                        &update);
    if (r < 0)
        return r;
    bool has_rate = record->rank != 0;
    sql_bind_number(update, 1, (uint64_t)record->id);
    sql_bind_number(update, 2, record->state);
    sql_bind_number(update, 3, record->newest_ns - record->zero_ns);
    if (has_rate)
        (void)sqlite3_bind_double(update, 4, record->rate);
    sql_bind_text(update, 5, has_rate ? units_symbol(record->rate_unit) : NULL);
    sql_bind_number(update, 6, has_rate && record->state == RUN_CANCELLED);
    sql_bind_text(update, 7, record->error);
    return sql_finish(update);
}

static int insert_frames(struct record *record, sqlite3_stmt *insert, const struct packet *row)
{
    if (row->size == 0)
        return 0;
    sql_bind_number(insert, 1, (uint64_t)record->id);
    sql_bind_number(insert, 2, record->next_seq++);
    sql_bind_blob(insert, 3, row->bytes, row->size);
    return sql_finish(insert);
}

/* Small packets share a row: a row costs about as much as a sample. */
static int insert_queue(struct record *record, sqlite3 *db)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    int r = sql_prepare(db, "INSERT INTO frames VALUES(?1, ?2, ?3)", &insert);
    struct packet row = {.size = 0};
    for (size_t at = 0; at < record->queue.size && r == 0;) {
        struct queued head;
        memcpy(&head, record->queue.text + at, sizeof(head));
        at += sizeof(head);
        if (row.size + head.size > sizeof(row.bytes)) {
            r = insert_frames(record, insert, &row);
            row.size = 0;
        }
        memcpy(row.bytes + row.size, record->queue.text + at, head.size);
        row.size += head.size;
        at += head.size;
    }
    return r < 0 ? r : insert_frames(record, insert, &row);
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
