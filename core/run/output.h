/* output: what a worker prints, as lines for the log: split, shortened, and limited to so many a
 * second that a chatty test drowns nothing. Until the run has begun they are held. Never blocks. */
#ifndef RUN_OUTPUT_H
#define RUN_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define OUTPUT_LINE_MAX 1024 /* bytes; longer lines become several */
#define OUTPUT_LINES_A_SECOND 64
#define OUTPUT_HELD_MAX 16384 /* bytes kept while lines cannot be said yet */

struct output {         /* starts as {0} */
    bool is_open;       /* lines may be said */
    struct str held;    /* what came before */
    struct str line;    /* the unfinished one */
    uint64_t window_ns; /* begin of the second that is counted */
    unsigned in_window;
    uint64_t left_out; /* lines not said since the last one that was */
};

/* One clean line without its end; valid during the call. */
typedef void (*output_fn)(void *user, const char *line);

/* From now on lines are said, those held first. */
void output_open(struct output *output, uint64_t now_ns, output_fn fn, void *user);
void output_push(struct output *output, uint64_t now_ns, const char *bytes, size_t size,
                 output_fn fn, void *user);
/* Pushes what a non-blocking descriptor has, at most 256 KiB. False at its end-of-file. */
bool output_read(struct output *output, uint64_t now_ns, int fd, output_fn fn, void *user);
/* Says an unfinished last line and how many lines were left out. */
void output_finish(struct output *output, output_fn fn, void *user);
void output_done(struct output *output);

#endif
