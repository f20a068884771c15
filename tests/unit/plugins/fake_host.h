/* fake_host: a dyno_host in this process that keeps all a plugin says. For unit tests. */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include <iodyno/plugin.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define FAKE_OPTIONS 16
#define FAKE_FACTS 64
#define FAKE_PHASES 64
#define FAKE_RESULTS 512
#define FAKE_METRICS 48
#define FAKE_TEXT 1200
#define FAKE_LANES 20 /* whose times are looked at */

struct fake_option {
    const char *key, *text;
    uint64_t number;
};

struct dyno_run { /* the fake's own */
    struct dyno_target target;
    struct fake_option options[FAKE_OPTIONS]; /* key NULL ends */
    uint64_t interval_ns;
    int cancel_fd;
    pthread_mutex_t lock;

    unsigned samples[FAKE_METRICS];
    double sums[FAKE_METRICS];
    double largest[FAKE_METRICS]; /* of one sample */
    uint64_t last_t1[FAKE_METRICS];
    uint64_t lane_t1[FAKE_METRICS][FAKE_LANES]; /* the contract is asserted on arrival */
    double lane_sums[FAKE_METRICS][FAKE_LANES];
    uint64_t first_t0[FAKE_METRICS];
    double cancel_at[FAKE_METRICS]; /* cancels once a metric's sum reaches this; 0 never */
    struct {
        unsigned metric, lane;
        double value;
    } results[FAKE_RESULTS];
    size_t result_count;
    struct {
        char key[64], text[FAKE_TEXT];
    } facts[FAKE_FACTS];
    size_t fact_count;
    char phases[FAKE_PHASES][32];
    size_t phase_count;
    uint64_t done, total; /* progress */
    unsigned logs, events;
    char event_code[64], event_text[FAKE_TEXT];               /* the last one */
    void (*on_phase)(struct dyno_run *run, const char *name); /* what a test does meanwhile */
    char sentence[FAKE_TEXT];
};

extern const struct dyno_host fake_host;

/* A folder as target; `folder` must outlive the run. */
void fake_open(struct dyno_run *run, const char *folder, const struct fake_option *options);
void fake_close(struct dyno_run *run);
void fake_cancel(struct dyno_run *run);
/* Of the whole test, and of one lane. */
bool fake_result(const struct dyno_run *run, unsigned metric, double *ret_value);
bool fake_lane_result(const struct dyno_run *run, unsigned metric, unsigned lane,
                      double *ret_value);
const char *fake_fact(const struct dyno_run *run, const char *key);  /* "" none */
const char *fake_phases(const struct dyno_run *run, char text[128]); /* "write fsync" */

/* A fresh empty folder under $TMPDIR or /tmp, and its removal with all files in it. */
void fake_folder_make(char path[64]);
void fake_folder_remove(const char *path);

#endif
