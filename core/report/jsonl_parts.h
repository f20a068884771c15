/* jsonl_parts: what the reader of JSON lines is made of. Private to the room; needs jansson. */
#ifndef REPORT_JSONL_PARTS_H
#define REPORT_JSONL_PARTS_H

#include <jansson.h>

#include "base/str.h"
#include "report/jsonl.h"

#define JSONL_ZERO_NS 2000000000000000000ull /* second 0: a file has no clock of its own */
#define JSONL_SECONDS_MAX 1e9                /* of a run, either side of its zero */

struct jsonl_reader {
    jsonl_frame_fn fn;
    void *user;
    unsigned long line;
    bool has_start, has_end;
    struct frame_metric metrics[FRAME_METRICS_MAX];
    size_t metric_count;
    uint64_t last_ns; /* newest time read */
    struct str pairs;
    struct str *why; /* while a line is read */
    struct packet packet;
};

/* Adds "line N: …" to the sentence and returns -EPROTO. */
int jsonl_fail(struct jsonl_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Gives the frame and the reader's pairs through the codec, so that a file can say no more than a
 * worker could. */
int jsonl_hand_on(struct jsonl_reader *reader, struct frame *frame);

/* Members of a line with their types; -EPROTO and a sentence when they do not fit. */
int jsonl_take_text(struct jsonl_reader *reader, const json_t *line, const char *key,
                    const char **ret_text);
/* Absent and null leave *ret_text as it is. */
int jsonl_take_optional(struct jsonl_reader *reader, const json_t *line, const char *key,
                        const char **ret_text);
int jsonl_take_number(struct jsonl_reader *reader, const json_t *line, const char *key, double min,
                      double max, double *ret_number);
/* A whole number; absent: 0. */
int jsonl_take_whole(struct jsonl_reader *reader, const json_t *line, const char *key, double min,
                     double max, double *ret_number);
int jsonl_take_time(struct jsonl_reader *reader, const json_t *line, const char *key,
                    uint64_t *ret_ns);
int jsonl_take_metric(struct jsonl_reader *reader, const json_t *line, uint16_t *ret_metric);
int jsonl_take_lane(struct jsonl_reader *reader, const json_t *line, uint16_t *ret_lane);
bool jsonl_is_true(const json_t *line, const char *key);

int jsonl_read_start(struct jsonl_reader *reader, const json_t *line);

#endif
