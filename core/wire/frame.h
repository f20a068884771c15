/* frame: what travels between worker, owner and store: little structs of fixed layout in native
 * byte order (both ends are one build), one to 64 in a packet. Decoding checks all that one frame
 * can show: type, length, alignment, finite numbers, t1 > t0, NUL-ended text within its limits.
 * Bytes come from untrusted plugins; decoding never reads outside the packet. Pure.
 *
 * A frame = head (8 bytes) + the type's fixed struct + (start only) metrics + pairs, padded with
 * zeros to 8. Pairs are "key\0value\0" repeated; a key is 1 to FRAME_KEY_MAX printable ASCII
 * characters, a phase's name at most FRAME_KEY_MAX bytes. Ticks are never 0 nor above the report
 * interval. Reserved members are 0. Times are CLOCK_MONOTONIC ns of the machine that measured. */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_PACKET_MAX 32768 /* bytes */
#define FRAME_SAMPLES_MAX 64   /* frames in one packet */
#define FRAME_METRICS_MAX 68   /* 62 of a test, six of the worker's host */
#define FRAME_FACT_MAX 1024    /* bytes of text */
#define FRAME_EVENT_MAX 4096
#define FRAME_LOG_MAX 1024
#define FRAME_SENTENCE_MAX 1024
#define FRAME_KEY_MAX 64

enum frame_type {
    FRAME_ORDER = 1, /* owner -> worker, the only one in that direction */
    FRAME_START,
    FRAME_FACT,  /* one pair: key, text */
    FRAME_PHASE, /* one pair: "name", name */
    FRAME_SAMPLE,
    FRAME_PROGRESS,
    FRAME_RESULT,
    FRAME_EVENT, /* one pair: code, text */
    FRAME_LOG,   /* one pair: "text", line */
    FRAME_END,   /* one pair: "sentence", sentence ("" when all went well) */
    /* description of a plugin, from iodyno-worker --describe */
    FRAME_PLUGIN,  /* pairs: id title version license path */
    FRAME_TEST,    /* pairs: id title summary */
    FRAME_OPTION,  /* pairs: key label help default (absent: unset) choice… ; belongs to the last
                      TEST */
    FRAME_METRIC,  /* belongs to the last TEST */
    FRAME_REFUSED, /* pairs: path, reason */
    /* answers of iodyno-worker --probe and iodyno-store query: one row of pairs each */
    FRAME_ROW,
    FRAME_RECORDED, /* store -> owner: the run's id */
    FRAME_TYPES
};

enum frame_flag { FRAME_OWNER = 1 }; /* added by the run's owner, not by the worker */

enum run_state { /* state of FRAME_END; 0 = running */
                 RUN_RUNNING = 0,
                 RUN_DONE,
                 RUN_FAILED,
                 RUN_CANCELLED,
                 RUN_REFUSED,
                 RUN_REMOVED,
                 RUN_ABANDONED,
                 RUN_INTERRUPTED,
                 RUN_STATES
};
const char *run_state_name(unsigned state); /* "done"; "unknown" beyond the table */
int run_state_from_name(const char *name, unsigned *ret_state);

/* "block" for DYNO_BLOCK (enum dyno_target_kind), as target.kind says it; NULL when it is none. */
const char *target_kind_name(unsigned kind);
unsigned target_kind_from_name(const char *name); /* 0 when it is none */

struct frame_metric {            /* 80 bytes */
    uint16_t unit, kind, better; /* enums of plugin.h */
    uint16_t is_host;            /* appended by the worker's host */
    char key[32];
    char label[40];
};

struct frame_order {
    uint64_t tick_ns, report_ns;
}; /* pairs: plugin=FILE test=ID target.kind=block|folder|mem|net target.id= target.path= target.*=
      option.KEY=TEXT label= expect= (repeated) machine.*= confirm= (repeated); target.raw= or
      target.private=MAJOR:MINOR of a device to be read raw, or to be mounted privately */

struct frame_start {
    uint32_t abi;   /* major << 16 | minor */
    uint32_t flags; /* enum dyno_test_flag */
    uint64_t tick_ns, report_ns;
    uint64_t mono_ns, wall_ns; /* one moment on both clocks: second 0 of the run */
    uint32_t metric_count, reserved;
}; /* pairs: those of the order, options now complete with defaults; title= */

struct frame_phase {
    uint64_t t_ns;
};
struct frame_sample { /* 40 bytes with the head */
    uint16_t metric, lane;
    uint32_t merged; /* samples that the line could not take, added into this one */
    uint64_t t0_ns, t1_ns;
    double value;
};
struct frame_progress {
    uint64_t done, total;
};
struct frame_result {
    uint16_t metric, lane; /* lane DYNO_LANE_ALL: the whole test */
    uint32_t reserved;
    double value;
};
struct frame_event {
    uint64_t t_ns;
};
struct frame_log {
    uint32_t level, reserved;
};
struct frame_end {
    uint32_t state; /* enum run_state, never RUN_RUNNING */
    int32_t code;   /* 0 or negative errno */
    uint32_t signal, reserved;
    uint64_t t_ns;
};
struct frame_plugin {
    uint16_t abi_major, abi_minor;
    uint32_t reserved;
};
struct frame_test {
    uint32_t targets, flags;
};
struct frame_option {
    uint32_t type, reserved;
    uint64_t min, max;
};
struct frame_recorded {
    uint64_t id;
};

struct frame {
    uint16_t type;  /* enum frame_type */
    uint16_t flags; /* enum frame_flag */
    union {
        struct frame_order order;
        struct frame_start start;
        struct frame_phase phase;
        struct frame_sample sample;
        struct frame_progress progress;
        struct frame_result result;
        struct frame_event event;
        struct frame_log log;
        struct frame_end end;
        struct frame_plugin plugin;
        struct frame_test test;
        struct frame_option option;
        struct frame_metric metric;
        struct frame_recorded recorded;
    };
    const struct frame_metric *metrics; /* FRAME_START: metric_count of them */
    const char *pairs;                  /* pairs_size bytes, "key\0value\0"… ; NULL when 0 */
    size_t pairs_size;
};

struct packet {
    size_t size;
    _Alignas(8) uint8_t bytes[FRAME_PACKET_MAX];
};

/* Appends one frame. -EMSGSIZE when it does not fit (packet unchanged), -EINVAL when decoding would
 * refuse it. Text above its limit is cut (at a UTF-8 boundary) for fact, event, log and end. */
int packet_add(struct packet *packet, const struct frame *frame);

/* Walks a packet: *offset starts at 0. 1: *ret_frame is filled (pointers into `bytes`, which must
 * be 8-aligned and outlive it), 0: end, -EPROTO: bad bytes; ret untouched. */
int frame_next(const void *bytes, size_t size, size_t *offset, struct frame *ret_frame);

/* Walks pairs: *pos starts at 0. */
bool frame_pair_next(const struct frame *frame, size_t *pos, const char **ret_key,
                     const char **ret_value);
/* First value of a key, NULL when absent. */
const char *frame_pair(const struct frame *frame, const char *key);

#endif
