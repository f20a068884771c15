#include "ports.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "device/link.h"
#include "device/linkevent.h"
#include "device/net.h"
#include "history/history.h"

#define PACKETS_A_TURN 64

struct ports {
    struct loop *loop;
    struct inventory *inventory;
    ports_fn fn;
    void *user;
    struct link *answers; /* of the last question, then kept true by events */
    size_t count;
    struct link *coming; /* of the question that is under way */
    size_t coming_count;
    struct history_query *query;
    struct str key; /* the ports it was asked for */
    int fd;
    struct loop_fd *events;
    struct loop_timer *timer;
    uint64_t asked_ns, stale_ns;
    bool is_due, is_stale, wants_answer, is_changed;
};

static void drop(struct link **links, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        link_done(&(*links)[i]);
    free(*links);
    *links = NULL;
    *count = 0;
}

static struct link *answer_of(const struct ports *ports, uint64_t index)
{
    for (size_t i = 0; i < ports->count; i++)
        if (ports->answers[i].index == index)
            return &ports->answers[i];
    return NULL;
}

static struct device *device_of(const struct ports *ports, uint64_t index)
{
    for (size_t i = 0; i < ports->inventory->count; i++) {
        struct device *device = &ports->inventory->devices[i];
        if (device->link && index > 0 && device->link->index == index)
            return device;
    }
    return NULL;
}

static void place(struct ports *ports)
{
    struct inventory *inventory = ports->inventory;
    for (size_t i = 0; i < inventory->count; i++) {
        struct link *link = inventory->devices[i].link;
        const struct link *answer = link && link->index ? answer_of(ports, link->index) : NULL;
        if (answer)
            link_merge(link, answer);
    }
    net_settle(inventory->devices, inventory->count);
}

static void ask(struct ports *ports);

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct ports *ports = user;
    if (row) {
        struct link link = {0};
        if (link_take_row(&link, row) < 0)
            return;
        ports->coming = mem_grow(ports->coming, ports->coming_count + 1, sizeof *ports->coming);
        ports->coming[ports->coming_count++] = link;
        return;
    }
    ports->query = history_free(ports->query);
    if (problem && ports->coming_count == 0) {
        log_say(LOG_WARNING, "network ports were not asked for: %s", problem);
    } else {
        drop(&ports->answers, &ports->count);
        ports->answers = ports->coming;
        ports->count = ports->coming_count;
        ports->coming = NULL;
        ports->coming_count = 0;
        place(ports);
    }
    if (ports->wants_answer)
        ask(ports);
    ports->fn(ports->user, PORTS_FACTS);
}

static void look(struct ports *ports)
{
    const char *const arguments[] = {"--probe", "ports", "all", NULL};
    ports->wants_answer = false;
    ports->asked_ns = clock_mono_ns();
    drop(&ports->coming, &ports->coming_count);
    (void)history_ask_program(ports->loop, "iodyno-worker", arguments, PORTS_LIMIT_NS, on_row,
                              ports, &ports->query);
}

static void tell_stale(struct ports *ports)
{
    ports->is_stale = false;
    ports->stale_ns = clock_mono_ns();
    ports->fn(ports->user, PORTS_STALE);
}

/* At once for the first sign; what follows within the gap is done together at its end. */
static void on_timer(void *user)
{
    struct ports *ports = user;
    ports->is_due = false;
    if (ports->wants_answer && !ports->query)
        look(ports);
    if (ports->is_stale)
        tell_stale(ports);
}

static bool is_early(struct ports *ports, uint64_t last_ns)
{
    uint64_t since_ns = clock_mono_ns() - last_ns;
    if (last_ns == 0 || since_ns >= PORTS_GAP_NS)
        return false;
    if (!ports->is_due)
        ports->is_due = loop_timer_set(ports->timer, PORTS_GAP_NS - since_ns, 0) == 0;
    return true;
}

static void ask(struct ports *ports)
{
    ports->wants_answer = true;
    if (!ports->query && !is_early(ports, ports->asked_ns))
        look(ports);
}

static void call_stale(struct ports *ports)
{
    ports->is_stale = true;
    if (!is_early(ports, ports->stale_ns))
        tell_stale(ports);
}

/* Carrier and state are true at once; speed and partner have to be asked for. */
static void take_change(struct ports *ports, const struct linkevent *event)
{
    struct link *answer = answer_of(ports, event->index);
    struct device *device = device_of(ports, event->index);
    if (!device || (event->name[0] && strcmp(device->id, event->name) != 0)) {
        call_stale(ports);
        return;
    }
    if (answer && answer->carrier == event->carrier && answer->up == event->up)
        return;
    const struct link news = {.index = event->index, .carrier = event->carrier, .up = event->up};
    if (answer)
        link_merge(answer, &news);
    link_merge(device->link, &news);
    ports->is_changed = true;
    ask(ports);
}

static void on_event(void *user, const struct linkevent *event)
{
    struct ports *ports = user;
    switch (event->kind) {
    case LINKEVENT_LINK:
        take_change(ports, event);
        break;
    case LINKEVENT_GONE:
        if (device_of(ports, event->index))
            call_stale(ports);
        break;
    case LINKEVENT_ADDRESS:
        ask(ports);
        break;
    case LINKEVENT_LOST:
        ask(ports);
        call_stale(ports);
        break;
    }
}

static void on_packet(void *user, int fd, uint32_t epoll_events)
{
    struct ports *ports = user;
    (void)epoll_events;
    ports->is_changed = false;
    int rc = linkevent_take(fd, PACKETS_A_TURN, on_event, ports);
    if (rc < 0) {
        log_say(LOG_WARNING, "network ports that come and go are no longer seen: errno %d", -rc);
        ports->events = loop_fd_remove(ports->events);
        return;
    }
    if (!ports->is_changed)
        return;
    net_settle(ports->inventory->devices, ports->inventory->count);
    ports->fn(ports->user, PORTS_FACTS);
}

struct ports *ports_new(struct loop *loop, struct inventory *inventory, ports_fn fn, void *user)
{
    struct ports *ports = mem_new(1, sizeof *ports);
    *ports = (struct ports){.loop = loop, .inventory = inventory, .fn = fn, .user = user, .fd = -1};
    return ports;
}

struct ports *ports_free(struct ports *ports)
{
    if (!ports)
        return NULL;
    loop_fd_remove(ports->events);
    loop_timer_remove(ports->timer);
    if (ports->fd >= 0)
        (void)close(ports->fd);
    history_free(ports->query);
    drop(&ports->answers, &ports->count);
    drop(&ports->coming, &ports->coming_count);
    str_done(&ports->key);
    free(ports);
    return NULL;
}

void ports_refresh(struct ports *ports)
{
    struct str key AUTO(str_done) = {0};
    for (size_t i = 0; i < ports->inventory->count; i++) {
        const struct device *device = &ports->inventory->devices[i];
        if (device->link && device->link->index)
            str_addf(&key, "%llu %s\n", (unsigned long long)device->link->index, device->id);
    }
    place(ports);
    if (strcmp(str_text(&key), str_text(&ports->key)) == 0)
        return;
    str_clear(&ports->key);
    str_add(&ports->key, str_text(&key));
    if (key.size > 0)
        ask(ports);
}

bool ports_are_pending(const struct ports *ports)
{
    return ports->query != NULL;
}

int ports_follow(struct ports *ports)
{
    if (ports->events)
        return 0;
    int rc = linkevent_open(&ports->fd);
    if (rc == 0)
        rc = loop_add_fd(ports->loop, ports->fd, EPOLLIN, on_packet, ports, &ports->events);
    if (rc == 0 && !ports->timer)
        rc = loop_add_timer(ports->loop, 0, 0, on_timer, ports, &ports->timer);
    return rc;
}
