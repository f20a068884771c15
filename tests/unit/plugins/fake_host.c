#include "fake_host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const struct dyno_target *host_target(struct dyno_run *run)
{
    return &run->target;
}

static const struct fake_option *find(const struct dyno_run *run, const char *key)
{
    for (const struct fake_option *option = run->options; option->key; option++)
        if (strcmp(option->key, key) == 0)
            return option;
    return NULL;
}

static uint64_t host_opt_u64(struct dyno_run *run, const char *key)
{
    const struct fake_option *option = find(run, key);
    return option ? option->number : 0;
}

static const char *host_opt_str(struct dyno_run *run, const char *key)
{
    const struct fake_option *option = find(run, key);
    return option && option->text ? option->text : "";
}

static uint64_t host_interval_ns(struct dyno_run *run)
{
    return run->interval_ns;
}

static uint64_t host_now_ns(struct dyno_run *run)
{
    (void)run;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int host_cancelled(struct dyno_run *run)
{
    eventfd_t value = 0;
    if (eventfd_read(run->cancel_fd, &value) < 0)
        return 0;
    fake_cancel(run); /* stays readable */
    return 1;
}

static int host_cancel_fd(struct dyno_run *run)
{
    return run->cancel_fd;
}

static void host_phase(struct dyno_run *run, const char *name)
{
    pthread_mutex_lock(&run->lock);
    if (run->phase_count < FAKE_PHASES)
        snprintf(run->phases[run->phase_count++], sizeof run->phases[0], "%s", name);
    pthread_mutex_unlock(&run->lock);
    if (run->on_phase)
        run->on_phase(run, name);
}

static void host_progress(struct dyno_run *run, uint64_t done, uint64_t total)
{
    pthread_mutex_lock(&run->lock);
    run->done = done;
    run->total = total;
    pthread_mutex_unlock(&run->lock);
}

static void broken(const char *what)
{
    fprintf(stderr, "the plugin broke the contract: %s\n", what);
    abort();
}

static void host_sample(struct dyno_run *run, unsigned metric, unsigned lane, uint64_t t0_ns,
                        uint64_t t1_ns, double value)
{
    if (metric >= FAKE_METRICS || lane >= FAKE_LANES)
        broken("metric or lane");
    pthread_mutex_lock(&run->lock);
    if (t1_ns <= t0_ns || t0_ns < run->lane_t1[metric][lane] || !isfinite(value) || value < 0)
        broken("times or value of a sample");
    if (run->samples[metric]++ == 0)
        run->first_t0[metric] = t0_ns;
    run->sums[metric] += value;
    run->lane_sums[metric][lane] += value;
    run->last_t1[metric] = run->lane_t1[metric][lane] = t1_ns;
    if (value > run->largest[metric])
        run->largest[metric] = value;
    bool is_due = run->cancel_at[metric] > 0 && run->sums[metric] >= run->cancel_at[metric];
    pthread_mutex_unlock(&run->lock);
    if (is_due)
        fake_cancel(run);
}

static void host_result(struct dyno_run *run, unsigned metric, unsigned lane, double value)
{
    bool is_lane = lane == DYNO_LANE_ALL || lane <= DYNO_LANE_MAX;
    if (!is_lane || !isfinite(value) || run->result_count >= FAKE_RESULTS)
        broken("result");
    run->results[run->result_count].lane = lane;
    run->results[run->result_count].metric = metric;
    run->results[run->result_count++].value = value;
}

static void host_fact(struct dyno_run *run, const char *key, const char *text)
{
    if (run->fact_count >= FAKE_FACTS || strlen(text) > 1024)
        broken("fact");
    snprintf(run->facts[run->fact_count].key, sizeof run->facts[0].key, "%s", key);
    snprintf(run->facts[run->fact_count++].text, FAKE_TEXT, "%s", text);
}

static void host_event(struct dyno_run *run, const char *code, const char *text)
{
    snprintf(run->event_code, sizeof run->event_code, "%s", code);
    snprintf(run->event_text, sizeof run->event_text, "%s", text);
    run->events++;
}

static void host_log(struct dyno_run *run, int level, const char *format, ...)
{
    char text[FAKE_TEXT];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    (void)level;
    run->logs++;
}

static void host_explain(struct dyno_run *run, const char *sentence)
{
    snprintf(run->sentence, sizeof run->sentence, "%s", sentence);
}

const struct dyno_host fake_host = {
    .size = sizeof fake_host,
    .target = host_target,
    .opt_u64 = host_opt_u64,
    .opt_str = host_opt_str,
    .interval_ns = host_interval_ns,
    .now_ns = host_now_ns,
    .cancelled = host_cancelled,
    .cancel_fd = host_cancel_fd,
    .phase = host_phase,
    .progress = host_progress,
    .sample = host_sample,
    .result = host_result,
    .fact = host_fact,
    .event = host_event,
    .log = host_log,
    .explain = host_explain,
};

void fake_open(struct dyno_run *run, const char *folder, const struct fake_option *options)
{
    static const char *const no_leaf[] = {NULL};
    memset(run, 0, sizeof *run);
    pthread_mutex_init(&run->lock, NULL);
    run->interval_ns = 100000000;
    run->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    run->target = (struct dyno_target){.size = sizeof run->target,
                                       .kind = DYNO_FOLDER,
                                       .id = folder ? folder : "",
                                       .path = folder ? folder : "",
                                       .scratch_dirfd = fd,
                                       .free_bytes = UINT64_C(1) << 40,
                                       .logical_block = 512,
                                       .has_tmpfile = 1,
                                       .leaf_stat = no_leaf,
                                       .filesystem = "ext4",
                                       .ifname = "",
                                       .peer_ifname = "",
                                       .raw_fd = -1};
    for (size_t i = 0; options && options[i].key && i + 1 < FAKE_OPTIONS; i++)
        run->options[i] = options[i];
}

void fake_close(struct dyno_run *run)
{
    close(run->cancel_fd);
    if (run->target.scratch_dirfd >= 0)
        close(run->target.scratch_dirfd);
    pthread_mutex_destroy(&run->lock);
}

void fake_cancel(struct dyno_run *run)
{
    (void)eventfd_write(run->cancel_fd, 1);
}

bool fake_lane_result(const struct dyno_run *run, unsigned metric, unsigned lane, double *ret_value)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].metric == metric && run->results[i].lane == lane) {
            if (ret_value)
                *ret_value = run->results[i].value;
            return true;
        }
    return false;
}

bool fake_result(const struct dyno_run *run, unsigned metric, double *ret_value)
{
    return fake_lane_result(run, metric, DYNO_LANE_ALL, ret_value);
}

const char *fake_fact(const struct dyno_run *run, const char *key)
{
    for (size_t i = 0; i < run->fact_count; i++)
        if (strcmp(run->facts[i].key, key) == 0)
            return run->facts[i].text;
    return "";
}

const char *fake_phases(const struct dyno_run *run, char text[128])
{
    text[0] = '\0';
    size_t at = 0;
    for (size_t i = 0; i < run->phase_count; i++)
        at += (size_t)snprintf(text + at, 128 - at, "%s%s", i ? " " : "", run->phases[i]);
    return text;
}

void fake_folder_make(char path[64])
{
    const char *base = getenv("TMPDIR");
    snprintf(path, 64, "%.40s/iodyno-unit-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(path))
        broken("no temporary folder");
}

void fake_folder_remove(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    (void)rmdir(path);
}
