/* transfer: runs leave for a file of JSON lines and come back from one. A file is whole or not
 * there; an import takes all runs of its file or none. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "report/jsonl.h"
#include "store/command.h"
#include "store/database.h"
#include "store/lines.h"
#include "store/packing.h"
#include "store/record.h"
#include "store/stored.h"

#define SHOW_NS NS_PER_S /* progress is told, so that the asker knows that we live */

static int tell(struct line *line, uint64_t done, uint64_t total, uint64_t *told_ns)
{
    uint64_t now_ns = clock_mono_ns();
    if (now_ns - *told_ns < SHOW_NS)
        return 0;
    *told_ns = now_ns;
    struct frame progress = {.type = FRAME_PROGRESS};
    progress.progress = (struct frame_progress){.done = done, .total = total};
    int r = line_add(line, &progress);
    return r < 0 ? r : line_flush(line);
}

/* ---- export */

struct export
{
    const struct command *command;
    struct database database;
    int fd;
    struct model *model;
    struct jsonl_writer *writer;
    struct str text;
    uint64_t told_ns;
    size_t done;
};

static int write_out(struct export *export, bool is_all)
{
    const char *bytes = str_text(&export->text);
    size_t left = export->text.size;
    if (!is_all && left < 65536)
        return 0;
    while (left > 0) {
        ssize_t put = write(export->fd, bytes, left);
        if (put < 0 && errno != EINTR)
            return -errno;
        if (put > 0) {
            bytes += put;
            left -= (size_t)put;
        }
    }
    str_clear(&export->text);
    return tell(export->command->line, export->done, export->command->count - 1, &export->told_ns);
}

static int export_frame(struct export *export, const struct frame *frame)
{
    int r = model_apply(export->model, frame);
    if (r == 0)
        r = jsonl_write(export->writer, frame, &export->text);
    return r < 0 ? r : write_out(export, false);
}

static int export_stored(struct export *export, struct stored *stored)
{
    struct frame frame;
    int r = 0;
    bool is_growing = stored_is_growing(stored);
    while ((r = stored_next(stored, &frame)) > 0) {
        r = export_frame(export, &frame);
        if (r < 0)
            return r;
    }
    if (r < 0 || stored->has_end || stored->given == 0)
        return r;
    if (is_growing)
        return -EBUSY;
    stored_interruption(stored, &frame);
    return export_frame(export, &frame);
}

static int export_run(struct export *export, const char *word, struct str *why)
{
    struct stored stored = {0};
    int64_t run = 0;
    const char *path = export->command->words[0];
    int r = command_run(word, &run);
    if (r == 0)
        r = stored_open(export->database.db, run, &stored);
    if (r < 0) {
        str_addf(why, "there is no run %s in %s", word, path);
        return r;
    }
    export->model = model_new();
    export->model->run_id = (uint64_t)run;
    export->writer = jsonl_writer_new(export->model);
    r = export_stored(export, &stored);
    if (r == -EBUSY)
        str_addf(why, "run %s is still running: stop it or wait for its end", word);
    else if (r == -EPROTO || r == -EUCLEAN)
        str_addf(why, "the record of run %s in %s is damaged", word, path);
    export->writer = jsonl_writer_free(export->writer);
    export->model = model_free(export->model);
    stored_done(&stored);
    export->done++;
    return r;
}

static int export_runs(struct export *export, struct str *why)
{
    int r = 0;
    for (size_t i = 1; i < export->command->count && r == 0; i++)
        r = export_run(export, export->command->words[i], why);
    if (r == 0)
        r = write_out(export, true);
    return r == 0 && fsync(export->fd) < 0 ? -errno : r;
}

static void sync_folder(const char *path)
{
    AUTO_FREE char *folder = mem_copy_text(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    AUTO_CLOSE int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        (void)fsync(fd);
}

/* The file that `output` leads to. What is no file (a device, a FIFO) must not be taken over by the
 * rename, nor a link's own place. */
static int find_place(const char *output, struct str *place, struct str *why)
{
    struct stat about;
    AUTO_FREE char *real = realpath(output, NULL);
    if (real && (stat(real, &about) < 0 || S_ISDIR(about.st_mode)))
        return -EISDIR;
    if (real && !S_ISREG(about.st_mode)) {
        str_addf(why, "cannot write %s: it is not a regular file", output);
        return -EINVAL;
    }
    if (!real && lstat(output, &about) == 0) {
        str_addf(why, "cannot write %s: it is a symbolic link that leads nowhere", output);
        return -ENOENT;
    }
    str_add(place, real ? real : output);
    return 0;
}

/* Into a file beside the wanted one, which takes its name when it is whole and on the disk. */
static int export_file(struct export *export, struct str *why)
{
    AUTO(str_done) struct str temporary = {0}, place = {0};
    int r = find_place(export->command->output, &place, why);
    if (r < 0)
        return r;
    const char *output = place.text;
    str_addf(&temporary, "%s.XXXXXX", output);
    export->fd = mkostemp(temporary.text, O_CLOEXEC);
    if (export->fd < 0)
        return -errno;
    mode_t mask = umask(0);
    (void)umask(mask);
    r = export_runs(export, why);
    if (r == 0 && fchmod(export->fd, 0666 & ~mask) < 0)
        r = -errno;
    if (close(export->fd) < 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(temporary.text, output) < 0)
        r = -errno;
    if (r < 0)
        (void)unlink(temporary.text);
    else
        sync_folder(output);
    return r;
}

static int fail(const struct command *command, const char *path, const char *what, int code,
                struct str *why)
{
    if (why->size == 0)
        database_explain(path, what, code, why);
    line_refuse(command->line, path, str_text(why));
    return COMMAND_FAILED;
}

/* One row a run, as an import answers. */
static int tell_exported(const struct command *command)
{
    int r = 0;
    for (size_t i = 1; i < command->count && r == 0; i++) {
        AUTO(str_done) struct str pairs = {0};
        str_add_pair(&pairs, "id", command->words[i]);
        str_add_pair(&pairs, "file", command->output);
        r = line_row(command->line, pairs.text, pairs.size);
    }
    return r;
}

int transfer_export(const struct command *command)
{
    AUTO(str_done) struct str why = {0};
    struct export export = {.command = command, .told_ns = clock_mono_ns()};
    if (!command->output)
        return COMMAND_USAGE;
    int r = database_open(command->words[0], DATABASE_READ, &export.database, &why);
    if (r < 0)
        return fail(command, command->words[0], "read", r, &why);
    r = export_file(&export, &why);
    database_done(&export.database);
    str_done(&export.text);
    if (r < 0)
        return fail(command, command->output, "write", r, &why);
    return tell_exported(command) < 0 ? COMMAND_FAILED : COMMAND_OK;
}

/* ---- import */

struct import {
    const struct command *command;
    struct database database;
    struct jsonl_reader *reader;
    struct record record;
    struct model *model; /* knows whether a line fits those before it */
    struct packet packet;
    bool is_between; /* an end was read: the next line begins a run */
    struct str rows; /* answers, each behind its size, sent when all is committed */
    struct str *why;
    size_t done;
    uint64_t told_ns;
};

static int import_packet(struct import *import)
{
    struct record *record = &import->record;
    if (import->packet.size == 0)
        return 0;
    int r = record_take(record, import->packet.bytes, import->packet.size);
    import->packet.size = 0;
    if (r < 0 || record->queue.size < RECORD_QUEUE_MAX / 8)
        return r;
    r = record_store(record, import->database.db);
    record_settled(record, r == 0);
    return r < 0 ? r : tell(import->command->line, import->done, 0, &import->told_ns);
}

static int import_end(struct import *import)
{
    struct record *record = &import->record;
    AUTO(str_done) struct str pairs = {0};
    if (!import->model->has_start) {
        str_addf(import->why, "%s holds no run", import->command->words[1]);
        return -EINVAL;
    }
    int r = import_packet(import);
    if (r == 0)
        r = record_store(record, import->database.db);
    record_settled(record, r == 0);
    if (r == 0)
        r = packing_run(import->database.db, record->id);
    if (r < 0)
        return r;
    str_add_pairf(&pairs, "id", "%lld", (long long)record->id);
    str_add_pair(&pairs, "test", record->test ? record->test : "");
    str_add_pair(&pairs, "label", record->label ? record->label : "");
    size_t size = pairs.size;
    str_add_bytes(&import->rows, &size, sizeof(size));
    str_add_bytes(&import->rows, pairs.text, size);
    record_done(record);
    import->done++;
    import->is_between = true;
    return 0;
}

static int import_frame(void *user, const struct frame *frame)
{
    struct import *import = user;
    int r = model_apply(import->model, frame);
    if (r == 0)
        r = packet_add(&import->packet, frame);
    if (r == -EMSGSIZE) {
        r = import_packet(import);
        if (r == 0)
            r = packet_add(&import->packet, frame);
    }
    return r == 0 && frame->type == FRAME_END ? import_end(import) : r;
}

static int import_line(void *user, const char *line, size_t size)
{
    struct import *import = user;
    if (import->is_between || !import->reader) {
        jsonl_reader_free(import->reader);
        import->reader = jsonl_reader_new(import_frame, import);
        model_free(import->model);
        import->model = model_new();
        import->is_between = false;
    }
    int r = jsonl_read_line(import->reader, line, size, import->why);
    if (r < 0 && import->done > 0 && import->why->size > 0) /* its lines are counted anew */
        str_addf(import->why, " (of run %zu in the file)", import->done + 1);
    return r;
}

static int import_all(struct import *import)
{
    int r = lines_read(import->command->words[1], import_line, import, import->why);
    if (r == 0 && import->reader && !import->is_between)
        r = jsonl_read_finish(import->reader);
    if (r == 0 && import->done == 0) {
        str_addf(import->why, "%s holds no run", import->command->words[1]);
        r = -EINVAL;
    }
    return r;
}

static int send_ids(const struct import *import)
{
    int r = 0;
    for (size_t at = 0; at < import->rows.size && r == 0;) {
        size_t size = 0;
        memcpy(&size, import->rows.text + at, sizeof(size));
        at += sizeof(size);
        r = line_row(import->command->line, import->rows.text + at, size);
        at += size;
    }
    return r;
}

int transfer_import(const struct command *command)
{
    AUTO(str_done) struct str why = {0};
    const char *path = command->words[0];
    struct import import = {.command = command, .why = &why, .told_ns = clock_mono_ns()};
    int r = database_open(path, DATABASE_WRITE, &import.database, &why);
    if (r < 0)
        return fail(command, path, "write results to", r, &why);
    r = database_begin(&import.database, true);
    if (r == 0)
        r = database_end(&import.database, import_all(&import));
    jsonl_reader_free(import.reader);
    model_free(import.model);
    record_done(&import.record);
    database_done(&import.database);
    if (r == 0)
        r = send_ids(&import) < 0 ? COMMAND_FAILED : COMMAND_OK;
    else
        r = fail(command, command->words[1], "import", r, &why);
    str_done(&import.rows);
    return r;
}
