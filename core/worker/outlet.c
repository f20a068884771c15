#include "worker/outlet.h"

#include <errno.h>
#include <float.h>
#include <iodyno/plugin.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sys/timerfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "wire/channel.h"

#define LANES (DYNO_LANE_MAX + 1)
#define BURST_NS (1 * NS_PER_MS) /* samples that follow each other within share packets */
#define FULL_NS (5 * NS_PER_MS)  /* next look at a line that was full, by the timer … */
#define RETRY_NS 100000          /* … and by a sample that comes meanwhile */
#define ROOM_WAIT_MS 200         /* one wait of a frame for room */

struct cell {          /* one lane of one metric */
    struct cell *next; /* in the order of waiting */
    uint16_t metric, lane;
    bool is_waiting;
    uint32_t merged;
    uint64_t t0_ns, t1_ns; /* of the waiting sample */
    uint64_t last_t1_ns;   /* of the last sample taken */
    double value;
};

struct outlet {
    int line_fd, timer_fd;
    const struct frame_metric *metrics;
    size_t metric_count;
    pthread_mutex_t mutex;                 /* of all below */
    struct cell *cells[FRAME_METRICS_MAX]; /* LANES of them, from the metric's first sample on */
    struct cell *head, **tail;
    size_t waiting;
    struct frame_progress progress;
    bool has_progress, is_armed, is_dead;
    uint64_t sent_ns;  /* last time samples went out */
    uint64_t retry_ns; /* the line was full: no use in asking before */
    struct packet packet;
};

/* A plugin may cancel its threads at any time; one must not take the lock along. */
static int lock(struct outlet *outlet)
{
    int before = 0;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    (void)pthread_mutex_lock(&outlet->mutex);
    return before;
}

static void unlock(struct outlet *outlet, int cancel_state)
{
    (void)pthread_mutex_unlock(&outlet->mutex);
    (void)pthread_setcancelstate(cancel_state, NULL);
}

static void arm(struct outlet *outlet, uint64_t after_ns)
{
    struct itimerspec when = {.it_value = {.tv_nsec = (long)after_ns}};
    outlet->is_armed = timerfd_settime(outlet->timer_fd, 0, &when, NULL) == 0;
}

static int send_packet(struct outlet *outlet)
{
    int code = channel_send(outlet->line_fd, &outlet->packet);
    if (code < 0 && code != -EAGAIN)
        outlet->is_dead = true;
    return code;
}

/* Fills the packet with the first cells that wait; they stay in the list. Returns their number. */
static size_t fill(struct outlet *outlet)
{
    outlet->packet.size = 0;
    size_t count = 0;
    for (struct cell *cell = outlet->head; cell && count < FRAME_SAMPLES_MAX - 1;
         cell = cell->next, count++) {
        struct frame frame = {.type = FRAME_SAMPLE,
                              .sample = {.metric = cell->metric,
                                         .lane = cell->lane,
                                         .merged = cell->merged,
                                         .t0_ns = cell->t0_ns,
                                         .t1_ns = cell->t1_ns,
                                         .value = cell->value}};
        (void)packet_add(&outlet->packet, &frame); /* fits: 63 small frames */
    }
    if (outlet->has_progress) {
        struct frame frame = {.type = FRAME_PROGRESS, .progress = outlet->progress};
        (void)packet_add(&outlet->packet, &frame);
    }
    return count;
}

static void drop_first(struct outlet *outlet, size_t count)
{
    for (; count > 0; count--, outlet->waiting--) {
        struct cell *cell = outlet->head;
        outlet->head = cell->next;
        cell->is_waiting = false;
        cell->merged = 0;
    }
    if (!outlet->head)
        outlet->tail = &outlet->head;
}

/* 0 when nothing waits any more, -EAGAIN while the line is full, other negative errno when it is
 * dead. */
static int flush(struct outlet *outlet)
{
    outlet->retry_ns = 0;
    while (!outlet->is_dead && (outlet->head || outlet->has_progress)) {
        size_t count = fill(outlet);
        int code = send_packet(outlet);
        if (code == -EAGAIN) {
            outlet->retry_ns = clock_mono_ns() + RETRY_NS;
            arm(outlet, FULL_NS);
            return code;
        }
        drop_first(outlet, count);
        outlet->has_progress = false;
    }
    return outlet->is_dead ? -EPIPE : 0;
}

/* A lone sample goes at once; one that follows closely waits a moment for its neighbours. */
static void flush_in_time(struct outlet *outlet)
{
    uint64_t now_ns = clock_mono_ns();
    if (now_ns < outlet->retry_ns)
        return;
    if (outlet->waiting >= FRAME_SAMPLES_MAX - 1 || now_ns - outlet->sent_ns >= BURST_NS) {
        outlet->sent_ns = now_ns;
        (void)flush(outlet);
    } else if (!outlet->is_armed) {
        arm(outlet, BURST_NS);
    }
}

static struct cell *cell_of(struct outlet *outlet, unsigned metric, unsigned lane)
{
    if (!outlet->cells[metric]) {
        outlet->cells[metric] = mem_new(LANES, sizeof(struct cell));
        for (unsigned i = 0; i < LANES; i++) {
            outlet->cells[metric][i].metric = (uint16_t)metric;
            outlet->cells[metric][i].lane = (uint16_t)i;
        }
    }
    return &outlet->cells[metric][lane];
}

static void take(struct outlet *outlet, struct cell *cell, uint64_t t0_ns, uint64_t t1_ns,
                 double value)
{
    bool is_delta = outlet->metrics[cell->metric].kind == DYNO_DELTA;
    if (cell->is_waiting && clock_mono_ns() >= outlet->retry_ns)
        (void)flush(outlet); /* keeps the two apart when there is room */
    if (cell->is_waiting) {
        cell->merged++;
        /* Two finite amounts may sum to what is none, which no frame could carry. */
        cell->value = is_delta ? fmin(fmax(cell->value + value, -DBL_MAX), DBL_MAX) : value;
        cell->t0_ns = is_delta ? cell->t0_ns : t0_ns;
    } else {
        cell->value = value;
        cell->t0_ns = t0_ns;
        cell->is_waiting = true;
        cell->next = NULL;
        *outlet->tail = cell;
        outlet->tail = &cell->next;
        outlet->waiting++;
    }
    cell->t1_ns = t1_ns;
    cell->last_t1_ns = t1_ns;
}

static int check(const struct outlet *outlet, unsigned metric, unsigned lane, struct str *why)
{
    if (metric >= outlet->metric_count)
        str_addf(why, "a sample of metric %u, there are %zu", metric, outlet->metric_count);
    else if (outlet->metrics[metric].kind == DYNO_TOTAL)
        str_addf(why, "a sample of %s, which is a result", outlet->metrics[metric].key);
    else if (lane > DYNO_LANE_MAX)
        str_addf(why, "a sample of lane %u, the last one is %d", lane, DYNO_LANE_MAX);
    else
        return 0;
    return -EINVAL;
}

static int check_values(const struct outlet *outlet, const struct cell *cell, uint64_t t0_ns,
                        uint64_t t1_ns, double value, struct str *why)
{
    const char *key = outlet->metrics[cell->metric].key;
    if (!isfinite(value))
        str_addf(why, "a sample of %s, lane %u, that is no number", key, (unsigned)cell->lane);
    else if (t1_ns <= t0_ns)
        str_addf(why, "a sample of %s, lane %u, that ends before it begins", key,
                 (unsigned)cell->lane);
    else if (t0_ns < cell->last_t1_ns)
        str_addf(why, "a sample of %s, lane %u, that begins before the last one ended", key,
                 (unsigned)cell->lane);
    else
        return 0;
    return -EINVAL;
}

int outlet_sample(struct outlet *outlet, unsigned metric, unsigned lane, uint64_t t0_ns,
                  uint64_t t1_ns, double value, struct str *why)
{
    int code = check(outlet, metric, lane, why);
    if (code < 0)
        return code;
    int state = lock(outlet);
    struct cell *cell = cell_of(outlet, metric, lane);
    code = check_values(outlet, cell, t0_ns, t1_ns, value, why);
    if (code == 0) {
        take(outlet, cell, t0_ns, t1_ns, value);
        flush_in_time(outlet);
    }
    unlock(outlet, state);
    return code;
}

void outlet_progress(struct outlet *outlet, uint64_t done, uint64_t total)
{
    int state = lock(outlet);
    outlet->progress = (struct frame_progress){.done = done, .total = total};
    outlet->has_progress = true;
    flush_in_time(outlet);
    unlock(outlet, state);
}

int outlet_send(struct outlet *outlet, const struct frame *frame)
{
    for (;;) {
        int state = lock(outlet);
        int code = flush(outlet);
        if (code == 0) {
            outlet->packet.size = 0;
            code = packet_add(&outlet->packet, frame);
            if (code == 0)
                code = send_packet(outlet);
        }
        unlock(outlet, state);
        if (code != -EAGAIN)
            return code;
        struct pollfd room = {.fd = outlet->line_fd, .events = POLLOUT};
        (void)poll(&room, 1, ROOM_WAIT_MS);
    }
}

void outlet_on_timer(struct outlet *outlet)
{
    uint64_t shots;
    (void)!read(outlet->timer_fd, &shots, sizeof(shots));
    if (pthread_mutex_trylock(&outlet->mutex) != 0) {
        struct itimerspec again = {.it_value = {.tv_nsec = (long)BURST_NS}};
        (void)timerfd_settime(outlet->timer_fd, 0, &again, NULL);
        return;
    }
    outlet->is_armed = false;
    outlet->sent_ns = clock_mono_ns();
    (void)flush(outlet);
    (void)pthread_mutex_unlock(&outlet->mutex);
}

int outlet_timer_fd(const struct outlet *outlet)
{
    return outlet->timer_fd;
}

void outlet_set_metrics(struct outlet *outlet, const struct frame_metric *metrics, size_t count)
{
    outlet->metrics = metrics;
    outlet->metric_count = count;
}

int outlet_new(int line_fd, struct outlet **ret_outlet)
{
    int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer_fd < 0)
        return -errno;
    struct outlet *outlet = mem_new(1, sizeof(*outlet));
    outlet->line_fd = line_fd;
    outlet->timer_fd = timer_fd;
    outlet->tail = &outlet->head;
    (void)pthread_mutex_init(&outlet->mutex, NULL);
    *ret_outlet = outlet;
    return 0;
}

struct outlet *outlet_free(struct outlet *outlet)
{
    if (!outlet)
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(outlet->cells); i++)
        free(outlet->cells[i]);
    (void)pthread_mutex_destroy(&outlet->mutex);
    (void)close(outlet->timer_fd);
    free(outlet);
    return NULL;
}
