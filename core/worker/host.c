#include "worker/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/places.h"
#include "base/str.h"
#include "wire/channel.h"
#include "worker/condition.h"
#include "worker/describe_tables.h"
#include "worker/governor.h"
#include "worker/host_table.h"
#include "worker/order.h"
#include "worker/plugin_file.h"
#include "worker/target.h"
#include "worker/watchdog.h"
#include "worker/witness.h"

enum { EXIT_NO_ORDER = 2, EXIT_NO_LINE = 3 };

struct host {
    struct order order;
    struct catalog catalog; /* of the one plugin */
    const struct dyno_test *test;
    const struct catalog_test *about; /* the same test as the catalog knows it */
    struct option_value *options;
    struct frame_metric metrics[FRAME_METRICS_MAX]; /* the plugin's, then the host's */
    size_t metric_count;
    struct target target;
    struct dyno_run run;
    uint64_t room_bytes;
    struct condition condition;
    struct witness *witness;
    struct governor governor;
    int kmsg_fd;
    struct str why; /* of a refusal */
};

struct ending {
    unsigned state;
    int code;
    const char *sentence;
};

#define HOST_TIMES 2 /* the first of these are results, the others WITNESS_METRICS */
/* Appended to every test's metrics, in this order. */
static const struct frame_metric host_metrics[TABLES_HOST_METRICS] = {
    {.unit = DYNO_SECOND,
     .kind = DYNO_TOTAL,
     .better = DYNO_NONE,
     .is_host = 1,
     .key = "cpu_user",
     .label = "CPU time in user mode"},
    {.unit = DYNO_SECOND,
     .kind = DYNO_TOTAL,
     .better = DYNO_NONE,
     .is_host = 1,
     .key = "cpu_sys",
     .label = "CPU time in the kernel"},
    {.unit = DYNO_CELSIUS,
     .kind = DYNO_GAUGE,
     .better = DYNO_NONE,
     .is_host = 1,
     .key = "temperature",
     .label = "Temperature of the board"},
    {.unit = DYNO_HERTZ,
     .kind = DYNO_GAUGE,
     .better = DYNO_NONE,
     .is_host = 1,
     .key = "cpu_clock",
     .label = "Clock of the CPU"},
    {.unit = DYNO_HERTZ,
     .kind = DYNO_GAUGE,
     .better = DYNO_NONE,
     .is_host = 1,
     .key = "cpu_limit",
     .label = "Clock the CPU may have"},
    {.unit = DYNO_HERTZ,
     .kind = DYNO_GAUGE,
     .better = DYNO_NONE,
     .is_host = 1,
     .key = "dram_clock",
     .label = "Clock of the memory"},
};

static void on_cancel(void *user)
{
    struct host *host = user;
    host_table_cancel(&host->run);
}

static void on_timer(void *user)
{
    struct host *host = user;
    outlet_on_timer(host->run.outlet);
}

static int learn(void *user, const struct frame *frame)
{
    struct host *host = user;
    return catalog_apply(&host->catalog, host->order.plugin, frame);
}

/* Loads the plugin and finds the test, in the plugin's own tables and in the catalog. */
static int find_test(struct host *host)
{
    const struct dyno_plugin *plugin = NULL;
    int code = plugin_file_open(host->order.plugin, &plugin, &host->why);
    if (code == 0)
        code = describe_tables(plugin, host->order.plugin, learn, host, &host->why);
    if (code < 0 && host->why.size == 0 && host->catalog.plugin_count > 0 &&
        host->catalog.plugins[0].refused)
        str_add(&host->why, host->catalog.plugins[0].refused);
    if (code < 0)
        return code;
    host->test = describe_tables_find(plugin, host->order.test);
    host->about = catalog_find(&host->catalog, host->order.test);
    if (!host->test || !host->about) {
        str_add(&host->why, "the plugin has no test ");
        str_add_clean(&host->why, host->order.test, strlen(host->order.test));
        return -ENOENT;
    }
    if (!(host->about->targets & host->order.target_kind)) {
        str_addf(&host->why, "%s does not run on this kind of target", host->about->id);
        return -EINVAL;
    }
    for (size_t i = 0; i < host->about->metric_count; i++)
        host->metrics[i] = host->about->metrics[i];
    for (size_t i = 0; i < TABLES_HOST_METRICS; i++)
        host->metrics[host->about->metric_count + i] = host_metrics[i];
    host->metric_count = host->about->metric_count + TABLES_HOST_METRICS;
    return 0;
}

/* All that stands before run(): 0, or negative errno with the refusal in host->why. */
static int prepare(struct host *host)
{
    int code = find_test(host);
    if (code == 0)
        code = order_options(&host->order, host->about, &host->options, &host->why);
    if (code < 0)
        return code;

    host->run.test = host->about;
    host->run.options = host->options;
    host->run.metric_count = host->about->metric_count;
    outlet_set_metrics(host->run.outlet, host->metrics, host->metric_count);
    bool has_room = host->test->size >= offsetof(struct dyno_test, room) + sizeof(void *);
    uint64_t room_bytes =
        has_room && host->test->room ? host->test->room(&host_table, &host->run) : 0;
    host->room_bytes = room_bytes;
    code = target_admit(&host->order, host->about, room_bytes, &host->target, &host->why);
    const struct guard_scope *scope = &host->target.scope;
    host->order.is_elsewhere =
        code == 0 && scope->dirfd >= 0 && !order_is_of(&host->order, scope->major, scope->minor);
    return code;
}

static int send_start(struct host *host)
{
    AUTO(str_done) struct str pairs = {0};
    order_start_pairs(&host->order, host->about, host->options, &pairs);
    struct frame frame = {
        .type = FRAME_START,
        .start = {.abi = (uint32_t)DYNO_ABI_MAJOR << 16 | DYNO_ABI_MINOR,
                  .flags = host->about ? host->about->flags : 0,
                  .tick_ns = host->order.frame.order.tick_ns,
                  .report_ns = host->order.frame.order.report_ns,
                  .mono_ns = clock_mono_ns(),
                  .wall_ns = clock_wall_ns(),
                  .metric_count = (uint32_t)host->metric_count},
        .metrics = host->metric_count ? host->metrics : NULL,
        .pairs = pairs.text,
        .pairs_size = pairs.size,
    };
    int code = outlet_send(host->run.outlet, &frame);
    if (code == 0)
        atomic_store(&host->run.is_started, true);
    return code;
}

static int send_end(struct host *host, const struct ending *ending)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "sentence", ending->sentence);
    struct frame frame = {
        .type = FRAME_END,
        .end = {.state = ending->state, .code = ending->code, .t_ns = clock_mono_ns()},
        .pairs = pairs.text,
        .pairs_size = pairs.size,
    };
    return outlet_send(host->run.outlet, &frame);
}

static double seconds_between(const struct timeval *from, const struct timeval *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_usec - from->tv_usec) / 1e6;
}

static void send_cpu_times(struct host *host, const struct rusage *before,
                           const struct rusage *after)
{
    const double seconds[HOST_TIMES] = {
        seconds_between(&before->ru_utime, &after->ru_utime),
        seconds_between(&before->ru_stime, &after->ru_stime),
    };
    for (size_t i = 0; i < HOST_TIMES; i++) {
        struct frame frame = {.type = FRAME_RESULT,
                              .result = {.metric = (uint16_t)(host->about->metric_count + i),
                                         .lane = DYNO_LANE_ALL,
                                         .value = seconds[i]}};
        (void)outlet_send(host->run.outlet, &frame);
    }
}

/* A test that explains before its first phase why it will not run has refused; only what broke
 * below it (EIO, ENOMEM) is a failure at any time. */
static bool is_refusal(struct dyno_run *run, int code)
{
    return run->sentence && !atomic_load(&run->is_under_way) && code != -EIO && code != -ENOMEM;
}

/* What the return value of run() means. The sentence lives in `into`. */
static struct ending judge(struct host *host, int code, bool is_cancelled, struct str *into)
{
    struct dyno_run *run = &host->run;
    struct ending ending = {.state = RUN_DONE, .code = code};
    (void)pthread_mutex_lock(&run->lock);
    if (run->fault) {
        ending = (struct ending){.state = RUN_FAILED, .code = -EPROTO};
        str_addf(into, "the plugin broke its contract: %s", run->fault);
    } else if (code > 0 || code < -4095) {
        ending = (struct ending){.state = RUN_FAILED, .code = -EPROTO};
        str_addf(into, "the plugin broke its contract: run() returned %d", code);
    } else if (is_cancelled) {
        ending.state = RUN_CANCELLED;
    } else if (code < 0) {
        ending.state = code == -ENODEV         ? RUN_REMOVED
                       : is_refusal(run, code) ? RUN_REFUSED
                                               : RUN_FAILED;
    }
    bool is_told = code < 0 && code != -ECANCELED && into->size == 0;
    if (is_told && run->sentence) {
        str_add(into, run->sentence);
    } else if (is_told) {
        char sentence[FRAME_SENTENCE_MAX];
        str_add(into, err_explain(sentence, sizeof(sentence), code, "run", host->about->id));
    }
    (void)pthread_mutex_unlock(&run->lock);
    ending.sentence = str_text(into);
    return ending;
}

static void tell_fact(void *user, const char *key, const char *text)
{
    struct host *host = user;
    AUTO(str_done) struct str pair = {0};
    str_add_pair(&pair, key, text);
    struct frame frame = {.type = FRAME_FACT, .pairs = pair.text, .pairs_size = pair.size};
    (void)outlet_send(host->run.outlet, &frame);
}

/* What the clock of the CPU hangs on; held up for this run where its option asks for that. */
static void tend_governor(struct host *host)
{
    AUTO(str_done) struct str text = {0}, before = {0}, folder = {0};
    const struct option *option = catalog_option(host->about, "governor");
    const char *wanted = option ? host->options[option - host->about->options].text : NULL;
    governor_tell("", &before);
    host->governor.fd = -1;
    if (!wanted || strcmp(wanted, "performance") != 0)
        str_add(&text, str_text(&before));
    else if (places_runtime(&folder) < 0)
        str_add(&text, "the governor is not held: nothing could be noted to put it back");
    else if (governor_hold("", folder.text, &host->governor, &text) == 0)
        str_addf(&text, "held at performance, before: %s", str_text(&before));
    if (text.size)
        tell_fact(host, "governor", text.text);
}

static void begin_watching(struct host *host)
{
    const bool is_memory = host->order.target_kind == DYNO_MEM;
    if (host->target.scope.private.note)
        tell_fact(host, "mount", host->target.scope.private.note);
    const struct condition_plan before = {.root = "",
                                          .leaf_stat = host->target.table.leaf_stat,
                                          .dirfd = host->target.scope.dirfd,
                                          .planned_bytes = host->room_bytes,
                                          .is_memory = is_memory};
    condition_before(&before, tell_fact, host, &host->condition);
    tend_governor(host);
    host->kmsg_fd = host->condition.count ? witness_open_kmsg() : -1;
    struct witness_plan plan = {
        .outlet = host->run.outlet,
        .root = "",
        .kmsg_fd = host->kmsg_fd,
        .first_metric = (unsigned)(host->about->metric_count + HOST_TIMES),
        .interval_ns = NS_PER_S,
        .with_memory = is_memory,
    };
    size_t count = 0;
    for (unsigned i = 0; i < host->condition.count && count + 1 < WITNESS_NAMES; i++) {
        plan.names[count++] = host->condition.disks[i].name;
        if (host->condition.disks[i].host)
            plan.names[count++] = host->condition.disks[i].host;
    }
    (void)witness_start(&plan, &host->witness); /* without it less is explained */
}

static void end_watching(struct host *host)
{
    host->witness = witness_stop(host->witness);
    governor_release(&host->governor);
    condition_after(&host->condition, tell_fact, host);
}

static int run_test(struct host *host)
{
    int code = send_start(host);
    if (code < 0)
        return code;
    struct rusage before, after;
    begin_watching(host);
    (void)getrusage(RUSAGE_SELF, &before);
    int result = host->test->run(&host_table, &host->run);
    bool is_cancelled = atomic_load(&host->run.is_cancelled);
    (void)getrusage(RUSAGE_SELF, &after);
    end_watching(host);

    AUTO(str_done) struct str sentence = {0};
    struct ending ending = judge(host, result, is_cancelled, &sentence);
    send_cpu_times(host, &before, &after);
    return send_end(host, &ending);
}

static int refuse(struct host *host, int refusal)
{
    if (host->why.size == 0) {
        char sentence[FRAME_SENTENCE_MAX];
        str_add(&host->why,
                err_explain(sentence, sizeof(sentence), refusal, "run", host->order.test));
    }
    int code = send_start(host); /* first, so that the record is complete */
    struct ending ending = {
        .state = RUN_REFUSED, .code = refusal, .sentence = str_text(&host->why)};
    return code < 0 ? code : send_end(host, &ending);
}

static int open_run(struct host *host)
{
    struct dyno_run *run = &host->run;
    (void)pthread_mutex_init(&run->lock, NULL);
    run->target = &host->target.table;
    run->tick_ns = host->order.frame.order.tick_ns;
    run->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (run->cancel_fd < 0)
        return -errno;
    target_name(&host->order, &host->target);
    int code = outlet_new(CHANNEL_FD, &run->outlet);
    if (code < 0)
        return code;
    struct watchdog_plan plan = {.line_fd = CHANNEL_FD,
                                 .timer_fd = outlet_timer_fd(run->outlet),
                                 .on_cancel = on_cancel,
                                 .on_timer = on_timer,
                                 .user = host};
    return watchdog_start(&plan);
}

/* What the test left running goes with it. Where nobody is left to see how we end, so do we. */
static _Noreturn void leave(struct host *host, int code)
{
    (void)signal(SIGTERM, SIG_IGN);
    watchdog_signal_group(SIGTERM);
    guard_release(&host->target.scope);
    if (code < 0)
        watchdog_signal_group(SIGKILL);
    _exit(0); /* no exit handlers: they may be the plugin's */
}

/* When memory runs out, the test goes before the screen. */
static void offer_to_oom_killer(void)
{
    AUTO_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)!write(fd, "500", 3);
}

int host_main(void)
{
    static struct host host; /* stays valid for threads that the plugin leaves behind */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of the shell is EFBIG for the test to explain */
    offer_to_oom_killer();
    if (fcntl(CHANNEL_FD, F_SETFD, FD_CLOEXEC) < 0) {
        (void)fprintf(stderr, "iodyno-worker is started by iodyno, not by hand\n");
        return EXIT_NO_LINE;
    }
    int refusal = order_receive(CHANNEL_FD, &host.order, &host.why);
    if (refusal == 0)
        refusal = open_run(&host);
    if (refusal < 0 && host.run.outlet) { /* the owner can be told */
        str_add(&host.why, "the test cannot be started: too few threads are allowed here");
        leave(&host, refuse(&host, refusal));
    }
    if (refusal < 0) {
        (void)fprintf(stderr, "iodyno-worker: %s\n",
                      host.why.size ? host.why.text : "out of descriptors or memory");
        return EXIT_NO_ORDER;
    }
    refusal = prepare(&host);
    leave(&host, refusal < 0 ? refuse(&host, refusal) : run_test(&host));
}
