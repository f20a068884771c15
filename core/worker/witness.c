#include "worker/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "device/climate.h"
#include "device/kmsg.h"

#define STACK_BYTES (128u << 10)
#define TURN_RECORDS 256 /* of the log in one go */

struct witness {
    struct witness_plan plan;
    struct climate climate;
    pthread_t thread;
    int stop_fd;
    atomic_bool is_mute;
    uint64_t last_ns; /* end of the last sample */
    unsigned lines;
    char record[KMSG_RECORD_MAX];
};

static void sample(struct witness *witness, unsigned metric, uint64_t t1_ns, double value)
{
    AUTO(str_done) struct str why = {0};
    if (!atomic_load(&witness->is_mute))
        (void)outlet_sample(witness->plan.outlet, witness->plan.first_metric + metric, 0,
                            witness->last_ns, t1_ns, value, &why);
}

static void look_at_climate(struct witness *witness)
{
    struct climate_reading reading;
    climate_read(&witness->climate, &reading);
    uint64_t now_ns = clock_mono_ns();
    if (now_ns <= witness->last_ns)
        return;
    if (reading.has_temperature)
        sample(witness, WITNESS_TEMPERATURE, now_ns, reading.celsius);
    if (reading.has_clock)
        sample(witness, WITNESS_CLOCK, now_ns, reading.clock_hz);
    if (reading.has_limit)
        sample(witness, WITNESS_LIMIT, now_ns, reading.limit_hz);
    if (reading.has_memory)
        sample(witness, WITNESS_MEMORY, now_ns, reading.memory_hz);
    witness->last_ns = now_ns;
}

static void send_pair(struct witness *witness, struct frame *frame, const struct str *pair)
{
    frame->pairs = pair->text;
    frame->pairs_size = pair->size;
    if (!atomic_load(&witness->is_mute))
        (void)outlet_send(witness->plan.outlet, frame);
}

static bool is_ours(const struct witness *witness, const char *text)
{
    for (size_t i = 0; i < WITNESS_NAMES && witness->plan.names[i]; i++)
        if (kmsg_names(text, witness->plan.names[i]))
            return true;
    return false;
}

static void take_record(struct witness *witness, size_t size)
{
    AUTO(str_done) struct str text = {0}, pair = {0};
    unsigned level = 0;
    if (kmsg_parse(witness->record, size, &level, &text) < 0 || level > KMSG_WARNING ||
        !is_ours(witness, str_text(&text)) || witness->lines++ >= WITNESS_LINES)
        return;
    struct frame frame = {.type = FRAME_EVENT, .event = {.t_ns = clock_mono_ns()}};
    str_add_pair(&pair, "kernel", text.text);
    send_pair(witness, &frame, &pair);
}

static void look_at_kernel(struct witness *witness)
{
    for (unsigned i = 0; witness->plan.kmsg_fd >= 0 && i < TURN_RECORDS; i++) {
        ssize_t size = read(witness->plan.kmsg_fd, witness->record, sizeof witness->record);
        if (size < 0 && (errno == EPIPE || errno == EINTR)) /* some were overwritten meanwhile */
            continue;
        if (size <= 0)
            return;
        take_record(witness, (size_t)size);
    }
}

static void tell_rest(struct witness *witness)
{
    AUTO(str_done) struct str pair = {0};
    struct frame frame = {.type = FRAME_FACT};
    if (witness->lines <= WITNESS_LINES)
        return;
    str_add_pairf(&pair, "kernel-lines", "%u, of which the first %d are told as events",
                  witness->lines, WITNESS_LINES);
    send_pair(witness, &frame, &pair);
}

static int left_ms(uint64_t until_ns)
{
    uint64_t now_ns = clock_mono_ns();
    return until_ns > now_ns ? (int)((until_ns - now_ns) / NS_PER_MS) + 1 : 0;
}

/* Lines of the kernel are waited for only between two looks: a flood of them must not keep this
 * thread busier than the test. */
static void *watch(void *argument)
{
    struct witness *witness = argument;
    uint64_t next_ns = witness->last_ns + witness->plan.interval_ns;
    for (;;) {
        struct pollfd stop = {.fd = witness->stop_fd, .events = POLLIN};
        bool is_over = poll(&stop, 1, left_ms(next_ns)) > 0;
        if (!is_over && clock_mono_ns() < next_ns)
            continue;
        look_at_kernel(witness);
        look_at_climate(witness);
        if (is_over)
            break;
        next_ns += witness->plan.interval_ns;
    }
    tell_rest(witness);
    return NULL;
}

int witness_open_kmsg(void)
{
    int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        (void)lseek(fd, 0, SEEK_END);
    return fd;
}

static int start_thread(struct witness *witness)
{
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0)
        return -code;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* The thread inherits a full mask: no signal of the plugin's making runs a handler on it. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&witness->thread, &attributes, watch, witness);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return -code;
}

static void witness_free(struct witness *witness)
{
    if (witness->stop_fd >= 0)
        (void)close(witness->stop_fd);
    climate_done(&witness->climate);
    free(witness);
}

int witness_start(const struct witness_plan *plan, struct witness **ret_witness)
{
    struct witness *witness = mem_new(1, sizeof *witness);
    witness->plan = *plan;
    witness->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    climate_find(plan->root, &witness->climate);
    if (plan->with_memory)
        climate_find_memory(plan->root, &witness->climate);
    witness->last_ns = clock_mono_ns();
    int code = witness->stop_fd < 0 ? -errno : start_thread(witness);
    if (code < 0) {
        witness_free(witness);
        return code;
    }
    *ret_witness = witness;
    return 0;
}

struct witness *witness_stop(struct witness *witness)
{
    struct timespec until;
    if (!witness)
        return NULL;
    (void)eventfd_write(witness->stop_fd, 1);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WITNESS_STOP_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (pthread_timedjoin_np(witness->thread, NULL, &until) == 0)
        witness_free(witness);
    else /* it lives as long as the process, which is about to end */
        atomic_store(&witness->is_mute, true);
    return NULL;
}
