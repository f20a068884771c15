/* moment: when a frame says that it happened. Pure. */
#ifndef STORE_MOMENT_H
#define STORE_MOMENT_H

#include "wire/frame.h"

/* CLOCK_MONOTONIC of the machine that measured; 0: this kind of frame bears no time. */
static inline uint64_t moment_of(const struct frame *frame)
{
    switch (frame->type) {
    case FRAME_START:
        return frame->start.mono_ns;
    case FRAME_SAMPLE:
        return frame->sample.t1_ns;
    case FRAME_PHASE:
        return frame->phase.t_ns;
    case FRAME_EVENT:
        return frame->event.t_ns;
    case FRAME_END:
        return frame->end.t_ns;
    default:
        return 0;
    }
}

#endif
