/* stream: all that one run says, in order: frames of its worker, frames of its owner, lines it
 * printed. Each goes to the model, to the record and to the observer. Never blocks. */
#ifndef RUN_STREAM_H
#define RUN_STREAM_H

#include "run/model.h"
#include "run/tee.h"
#include "wire/frame.h"

struct stream;

struct stream_plan {
    struct loop *loop;
    const char *database;      /* NULL: not recorded */
    bool is_replay;            /* frames come from the store: the owner's are among them */
    const struct frame *order; /* what a run that never began is said to have been; outlives it */
    int output_fd;             /* what the worker prints, non-blocking; -1: none; not owned */
    /* After each frame that the model took; NULL: something else changed. May call stream_mute, but
     * not stream_free, unless it came with NULL. */
    void (*said)(void *user, const struct frame *frame);
    void *user;
};

struct stream *stream_new(const struct stream_plan *plan);
struct stream *stream_free(struct stream *stream);
void stream_mute(struct stream *stream); /* the observer is gone: says and takes nothing more */

/* Frames from the line. 0, or -EPROTO at the first that does not fit. */
int stream_feed(struct stream *stream, const struct packet *packet);
/* A frame of the owner, flagged so. 0 or negative errno. */
int stream_put(struct stream *stream, const struct frame *frame);
/* The end as the owner says it, when no other was said; after a start that stands for the order
 * when the run never began. */
void stream_end(struct stream *stream, const struct frame_end *end, const char *sentence);
/* Takes what the worker has printed; false at the end of it. */
bool stream_read_output(struct stream *stream);

/* From now on the end that the line brings is kept back until stream_release: the owner is about to
 * learn something that stands before it. Nothing but the owner's frames comes meanwhile. */
void stream_hold(struct stream *stream);
void stream_release(struct stream *stream); /* harmless when nothing is kept back */
bool stream_end_is_kept(const struct stream *stream);

struct model *stream_model(const struct stream *stream);
const struct tee *stream_tee(const struct stream *stream); /* NULL: not recorded */

#endif
