#include "stream.h"

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
        parts_resident(stream->file, stream->probed_bytes, &stream->cached_bytes) == 0;
}

static bool is_probe_due(const struct stream *stream)
{
    return stream->is_direct && !stream->is_probed && stream->done >= DIRECT_PROBE_AT;
}

/* The file that the next bytes belong to, and no more of them than it takes. */
static struct scratch *part(const struct stream *stream, size_t *io_want)
{
    struct part_place place = parts_at(stream->file, stream->done);
    if (*io_want > place.left)
        *io_want = (size_t)place.left;
    return place.number < stream->file->count ? &stream->file->files[place.number] : NULL;
}

/* One block as dd writes it: what a short write left is tried again. */
static int write_block(struct stream *stream, const struct scratch *file, size_t want)
{
    const unsigned char *block = pattern_block(stream->pattern);
    for (size_t at = 0; at < want;) {
        ssize_t n = write(file->fd, block + at, want - at);
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
    stream->is_direct = parts_is_direct(stream->file);
    while (stream->done < stream->total) {
        uint64_t left = stream->total - stream->done;
        size_t want = left < stream->bs ? (size_t)left : stream->bs;
        bool is_last = want < stream->bs;
        struct scratch *file = part(stream, &want);
        int error = 0;
        /* dd clears the flag for a last block that is shorter than bs (and flushes after it). */
        if (is_last && file->is_direct) {
            stream_probe(stream);
            error = scratch_set_direct(file, false);
            stream->ended_buffered = true;
        }
        if (error == 0)
            error = write_block(stream, file, want);
        error = step(stream, error);
        if (error < 0)
            return error;
    }
    return 0;
}

int stream_read(struct stream *stream)
{
    stream->is_direct = parts_is_direct(stream->file);
    while (stream->done < stream->total) {
        uint64_t left = stream->total - stream->done;
        /* O_DIRECT wants whole blocks also at the end; the file's end cuts them. */
        size_t want = left < stream->bs && !stream->is_direct ? (size_t)left : stream->bs;
        size_t room = want; /* the part's end cuts the read as the file's does */
        const struct scratch *file = part(stream, &room);
        ssize_t n = file ? read(file->fd, pattern_block(stream->pattern), want) : 0;
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
