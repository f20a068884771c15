#include "device/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "device/uevent.h"

#define MESSAGES_A_TURN 256

struct watch {
    struct loop *loop;
    watch_fn fn;
    void *user;
    int event_fd, mount_fd;
    struct loop_fd *events, *mounts;
    struct loop_timer *timer;
    uint64_t sequence, last_ns;
    bool is_due; /* the timer will tell */
};

static void tell(struct watch *watch)
{
    watch->is_due = false;
    watch->last_ns = clock_mono_ns();
    watch->fn(watch->user);
}

/* The first sign counts at once; what follows within the gap is told together at its end. */
static void notice(struct watch *watch)
{
    uint64_t since_ns = clock_mono_ns() - watch->last_ns;
    if (watch->is_due)
        return;
    if (watch->last_ns == 0 || since_ns >= WATCH_GAP_NS) {
        tell(watch);
        return;
    }
    watch->is_due = loop_timer_set(watch->timer, WATCH_GAP_NS - since_ns, 0) == 0;
}

static void on_timer(void *user)
{
    struct watch *watch = user;
    if (watch->is_due)
        tell(watch);
}

static void on_event(void *user, int fd, uint32_t epoll_events)
{
    struct watch *watch = user;
    enum uevent_news news = UEVENT_NONE;
    (void)epoll_events;
    int rc = uevent_take(fd, MESSAGES_A_TURN, &watch->sequence, &news);
    if (rc < 0) {
        log_say(LOG_WARNING, "devices that come and go are no longer seen: errno %d", -rc);
        watch->events = loop_fd_remove(watch->events);
        return;
    }
    if (news != UEVENT_NONE)
        notice(watch);
}

/* The kernel raises both flags once for each change after a poll; there is nothing to read. */
static void on_mount(void *user, int fd, uint32_t epoll_events)
{
    (void)fd;
    (void)epoll_events;
    notice(user);
}

static int watch_events(struct watch *watch)
{
    int rc = uevent_open(&watch->event_fd);
    return rc < 0 ? rc
                  : loop_add_fd(watch->loop, watch->event_fd, EPOLLIN, on_event, watch,
                                &watch->events);
}

static int watch_mounts(struct watch *watch)
{
    watch->mount_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    return watch->mount_fd < 0 ? -errno
                               : loop_add_fd(watch->loop, watch->mount_fd, EPOLLPRI | EPOLLERR,
                                             on_mount, watch, &watch->mounts);
}

int watch_start(struct loop *loop, watch_fn fn, void *user, struct watch **ret_watch)
{
    struct watch *watch = mem_new(1, sizeof *watch);
    *watch = (struct watch){.loop = loop, .fn = fn, .user = user, .event_fd = -1, .mount_fd = -1};
    int rc = loop_add_timer(loop, 0, 0, on_timer, watch, &watch->timer);
    int events = rc == 0 ? watch_events(watch) : rc;
    int mounts = rc == 0 ? watch_mounts(watch) : rc;
    if (events < 0 && mounts < 0) {
        watch_stop(watch);
        return events;
    }
    *ret_watch = watch;
    return 0;
}

struct watch *watch_stop(struct watch *watch)
{
    if (!watch)
        return NULL;
    loop_timer_remove(watch->timer);
    loop_fd_remove(watch->events);
    loop_fd_remove(watch->mounts);
    if (watch->event_fd >= 0)
        (void)close(watch->event_fd);
    if (watch->mount_fd >= 0)
        (void)close(watch->mount_fd);
    free(watch);
    return NULL;
}
