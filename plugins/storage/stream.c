#include "stream.h"

#include "cache.h"
#include "direct.h"

#include <errno.h>
#include <unistd.h>

void stream_probe(struct stream *stream)
{
    if (stream->is_probed)
        return;
    stream->is_probed = true;
    /* A last partial block goes through the cache by dd's own rule: it proves nothing. */
    stream->probed_bytes = stream->done - stream->done % stream->bs;
    stream->is_cache_known =
        stream->probed_bytes > 0 &&
        cache_resident(stream->file->fd, 0, stream->probed_bytes, &stream->cached_bytes) == 0;
}

static bool is_probe_due(const struct stream *stream)
{
    return stream->file->is_direct && !stream->is_probed && stream->done >= DIRECT_PROBE_AT;
}

/* One block as dd writes it: what a short write left is tried again. */
static int write_block(struct stream *stream, size_t want)
{
    const unsigned char *block = pattern_block(stream->pattern);
    for (size_t at = 0; at < want;) {
        ssize_t n = write(stream->file->fd, block + at, want - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC; /* dd takes "0 written" for a full device too */
        at += (size_t)n;
        stream->done += (uint64_t)n;
    }
    return 0;
}

/* After a block: tells the sampler, looks for the cancel. */
static int step(struct stream *stream, int error)
{
    meter_publish(stream->meter, stream->done, ++stream->steps);
    if (error < 0)
        return error;
    if (sampler_cancelled(&stream->meter->sampler))
        return stream->done < stream->total ? -ECANCELED : 0;
    if (is_probe_due(stream))
        stream_probe(stream);
    return 0;
}

int stream_write(struct stream *stream)
{
    while (stream->done < stream->total) {
        uint64_t left = stream->total - stream->done;
        size_t want = left < stream->bs ? (size_t)left : stream->bs;
        int error = 0;
        /* dd clears the flag for a last block that is shorter than bs (and flushes after it). */
        if (want < stream->bs && stream->file->is_direct) {
            stream_probe(stream);
            error = scratch_set_direct(stream->file, false);
            stream->ended_buffered = true;
        }
        if (error == 0)
            error = write_block(stream, want);
        error = step(stream, error);
        if (error < 0)
            return error;
    }
    return 0;
}

int stream_read(struct stream *stream)
{
    while (stream->done < stream->total) {
        uint64_t left = stream->total - stream->done;
        /* O_DIRECT wants whole blocks also at the end; the file's end cuts them. */
        size_t want = left < stream->bs && !stream->file->is_direct ? (size_t)left : stream->bs;
        ssize_t n = read(stream->file->fd, pattern_block(stream->pattern), want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            break;
        if (n > 0)
            stream->done += (uint64_t)n < left ? (uint64_t)n : left;
        int error = step(stream, n < 0 ? -errno : 0);
        if (error < 0)
            return error;
    }
    return 0;
}
