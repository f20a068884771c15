/* stream: dd's loop. One block after the other, short transfers continued, nothing else: per block
 * two relaxed stores and a look at a flag. */
#ifndef STORAGE_STREAM_H
#define STORAGE_STREAM_H

#include "meter.h"
#include "parts.h"
#include "pattern.h"

struct stream {
    struct parts *file;
    struct pattern *pattern; /* the source of a write, the target of a read */
    struct meter *meter;
    size_t bs;
    uint64_t total; /* bytes */
    uint64_t done, steps;
    bool is_direct;      /* all files are */
    bool ended_buffered; /* the last, partial block of a direct write */
    /* The page cache's share once DIRECT_PROBE_AT bytes have moved with O_DIRECT. */
    bool is_probed, is_cache_known;
    uint64_t probed_bytes, cached_bytes;
};

/* 0 all written, -ECANCELED, or the error of write(); `done` tells how far it came. */
int stream_write(struct stream *stream);
/* The same for reading; 0 also at the end of the file. */
int stream_read(struct stream *stream);
/* Looks at the cache now, unless that was done; for transfers below DIRECT_PROBE_AT. */
void stream_probe(struct stream *stream);

#endif
