/* jsonl: frames as JSON lines and back: one object a line, each complete by itself. Needs jansson.
 */
#ifndef REPORT_JSONL_H
#define REPORT_JSONL_H

#include "run/intervals.h"
#include "run/model.h"

struct str;

/* Writer: called with each frame after the model took it; adds zero or more whole lines to `into`.
 */
struct jsonl_writer;
struct jsonl_writer *jsonl_writer_new(const struct model *model);
struct jsonl_writer *jsonl_writer_free(struct jsonl_writer *writer);
int jsonl_write(struct jsonl_writer *writer, const struct frame *frame, struct str *into);

/* Reader: bytes of an untrusted file -> frames. */
#define JSONL_LINE_MAX 131072 /* bytes; a start of a whole packet of text, escaped, fits */
struct jsonl_reader;
typedef int (*jsonl_frame_fn)(void *user, const struct frame *frame);
struct jsonl_reader *jsonl_reader_new(jsonl_frame_fn fn, void *user);
struct jsonl_reader *jsonl_reader_free(struct jsonl_reader *reader);
/* 0, or -EPROTO with a sentence naming the line. */
int jsonl_read_line(struct jsonl_reader *reader, const char *line, size_t size, struct str *why);
/* At the end of the file: adds an end frame (interrupted) when there was none. */
int jsonl_read_finish(struct jsonl_reader *reader);

#endif
