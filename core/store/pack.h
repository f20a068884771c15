/* pack: the samples of a run as one blob per metric and lane, and the order in which frames came as
 * one more, so that unpacking gives the same frames in the same order. Exact: times, value, merged
 * and flags return bit for bit. Pure.
 *
 * A sample: a byte of flags, then as varints what the flags do not say: the gap to the sample
 * before, the change of its span, an integral value or its change, else 8 bytes of the value. The
 * order: run lengths of "the same series followed as the last time", with the exceptions between.
 * Blobs are read back from a file that may be damaged: decoding checks every byte. */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include "base/str.h"
#include "wire/frame.h"

#define PACK_SERIES_MAX 16384 /* 64 metrics of 256 lanes */

struct pack_series {
    uint16_t metric, lane;
    uint64_t samples;
    struct str blob;
    uint64_t last_t1_ns, last_span_ns; /* both writer and reader walk along with these */
    double last_value;
    size_t at; /* reader: place in the blob */
    uint32_t next;
};

struct pack {
    struct pack_series *series; /* in order of their first sample */
    size_t count, capacity;
    uint64_t samples;
    struct str order;
    uint32_t last, after_other; /* what came last; what follows a frame that is no sample */
    uint64_t run;               /* right predictions not yet written, or still to be read */
    size_t at;                  /* reader: place in `order` */
    int is_at_exception;        /* reader: a symbol follows the run */
};

void pack_done(struct pack *pack);

/* Takes the next frame of a run: samples are kept here, of any other only its place; the caller
 * keeps the frame. 0 or -E2BIG (too many series; nothing was changed). */
int pack_add(struct pack *pack, const struct frame *frame);
void pack_finish(struct pack *pack); /* `order` and the blobs are whole now */

/* Reading: give `order` its bytes, add the series in the same order, then ask for the frames. */
int pack_add_series(struct pack *pack, uint16_t metric, uint16_t lane, const void *blob,
                    size_t size);

enum pack_next { PACK_END = 0, PACK_SAMPLE = 1, PACK_OTHER = 2 };
/* PACK_SAMPLE: *ret_frame is filled; PACK_OTHER: the next kept frame comes now; PACK_END; or
 * -EPROTO when the blobs are damaged. */
int pack_next(struct pack *pack, struct frame *ret_frame);

#endif
