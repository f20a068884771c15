/* model: the state of one run, made from its frames alone, live or replayed. Pure: no clock, no
 * device. Read-only outside this room. Strings are owned by the model, live as long as it does and
 * are clean: fit for a terminal. */
#ifndef RUN_MODEL_H
#define RUN_MODEL_H

#include "run/cliff.h"
#include "run/expect.h"
#include "run/lull.h"
#include "run/series.h"
#include "wire/frame.h"

#define MODEL_LANES 8    /* lanes with a series of their own; beyond: the sum and last values */
#define MODEL_PHASES 64  /* further ones are counted, not kept */
#define MODEL_EVENTS 512 /* the newest are kept */
#define MODEL_FACTS 128
#define MODEL_LOGS 256 /* newest kept */
#define MODEL_RESULTS 1024
#define MODEL_NO_METRIC 0xffffu /* of a check whose text does not fit this run: it fails */

struct model_text { /* fact, option, target, machine pair */
    char *key, *value;
};
struct model_phase {
    char *name;
    uint64_t t0_ns, t1_ns; /* t1 0: still in it */
};
struct model_event {
    uint64_t t_ns;
    char *code, *text;
    bool is_owner;
};
struct model_log {
    unsigned level;
    char *text;
};
struct model_result {
    uint16_t metric, lane;
    double value;
};
struct model_check {
    struct expect expect;
    bool has_value, pass;
    double value;
};
struct model_metric {
    struct frame_metric about;
    /* Over all lanes (of a GAUGE their mean); NULL before the first sample. The same object as
     * lanes[0] while there is one lane. */
    struct series *sum;
    struct series *lanes[MODEL_LANES]; /* of the first lanes seen, in that order; else NULL */
    uint16_t lane_numbers[MODEL_LANES];
    unsigned lane_count;  /* all lanes seen, may exceed MODEL_LANES */
    double *last_values;  /* by lane 0..255; NULL before the first sample */
    uint64_t *last_t1_ns; /* by lane */
    struct cliff *cliff;  /* of bytes written; NULL before the first sample, and of all others */
    struct lull *lull;    /* of bytes on a network; the same */
};

struct model {
    uint64_t run_id; /* 0: not recorded (yet) */
    bool has_start, has_end, is_partial;
    unsigned state;              /* enum run_state */
    char *test, *title, *plugin; /* "" until the start */
    char *label;                 /* NULL: none */
    unsigned target_kind;
    char *target_id, *target_path;
    uint32_t flags;
    uint64_t tick_ns, report_ns, zero_ns, wall_ns; /* zero_ns: mono at second 0 */
    uint64_t now_ns;                               /* newest time seen in any frame or model_tick */
    struct model_metric *metrics;
    size_t metric_count;
    struct model_text *options, *target, *machine, *facts;
    size_t option_count, target_count, machine_count, fact_count;
    struct model_phase phases[MODEL_PHASES];
    size_t phase_count;     /* kept */
    unsigned phases_missed; /* came after MODEL_PHASES */
    struct model_event *events;
    size_t event_count, event_bytes;
    struct model_log *logs;
    size_t log_count, log_bytes;
    struct model_result *results;
    size_t result_count;
    struct model_check *checks;
    size_t check_count;
    uint64_t done, total;  /* progress */
    uint64_t merged;       /* merged samples */
    uint64_t last_move_ns; /* t1 of the last non-zero DELTA of the test itself; zero_ns before */
    uint64_t last_tick_ns; /* t1 of the last such DELTA, zero or not */
    bool is_stalled;
    bool has_moved; /* any amount of the test's own */
    unsigned stalls;
    char stalled_pairs[80]; /* of the last event of model_tick */
    char *sentence;         /* of the end; "" */
    int code;
    unsigned signal;
    uint64_t end_ns;
};

struct model *model_new(void);
struct model *model_free(struct model *model);

/* Takes one decoded frame. 0, or -EPROTO when it does not fit what came before (no start yet,
 * unknown metric, time running backwards in a lane, anything after the end). A log line or the end
 * may come without a start, and RECORDED at any time. With the end the checks are settled, and
 * after an I/O error or a removal the headline rates are dropped. */
int model_apply(struct model *model, const struct frame *frame);

/* Lets time pass while running. Fills *ret_event (FRAME_EVENT, flagged OWNER, its text stays in the
 * model) and returns 1 when the run has just become "stalled": no non-zero DELTA for two seconds,
 * counted in whole ticks; with ticks up to 250 ms two fewer, so that it is read within two seconds
 * of the last possible progress. The event says how long it was. The owner then applies and tees
 * that frame like any other. 0: nothing new. */
int model_tick(struct model *model, uint64_t now_ns, struct frame *ret_event);

/* Number of a metric by key, -ENOENT when absent. */
int model_metric(const struct model *model, const char *key);
/* Result of the whole test: 0 and the value, or -ENOENT. */
int model_result(const struct model *model, const char *key, double *ret_value);
const char *model_fact(const struct model *model, const char *key);   /* or NULL */
const char *model_option(const struct model *model, const char *key); /* or NULL */
const char *model_target(const struct model *model,
                         const char *key); /* without "target."; or NULL */
/* Metric to draw first, and the one to draw beside it (device beside application), by the keys of
 * the tests; -ENOENT when there is none. */
int model_headline(const struct model *model, unsigned *ret_metric);
int model_companion(const struct model *model, unsigned *ret_metric);
/* The run goes, or went, around the page cache. */
bool model_is_direct(const struct model *model);
double model_seconds(const struct model *model, uint64_t t_ns); /* since zero */

#endif
