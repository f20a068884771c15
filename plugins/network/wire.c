#include "wire.h"

#include "own.h"

#include <common/cleanup.h>
#include <common/text.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#define ADDRESS_NS                                                                                 \
    (5 * CONTROL_NS_PER_S) /* that no other host has it takes a port a second or two */
#define STEP_NS (CONTROL_NS_PER_S / 5)
#define SENTENCE_MAX 400

static int explain(const struct wire *wire, int code, const char *port, const char *what)
{
    char text[2 * SENTENCE_MAX];
    (void)snprintf(text, sizeof text, "%s %s", port, what);
    wire->house.host->explain(wire->house.run, text);
    return code;
}

static bool has_carrier(const char *port)
{
    char path[TEXT_PATH_MAX];
    uint64_t carrier = 0;
    (void)snprintf(path, sizeof path, "/sys/class/net/%s/carrier", port);
    return text_number("", path, &carrier) == 0 && carrier == 1;
}

/* A port that is down takes its neighbour's link along: it is looked for first. */
static int check(const struct wire *wire, const char *port)
{
    struct sockaddr_in6 address;
    char advice[SENTENCE_MAX];
    int error = own_link_local(port, &address);
    if (error == -ENOENT)
        return explain(wire, error, port, "is no network port of this machine");
    if (error != -ENETDOWN)
        return 0;
    (void)snprintf(advice, sizeof advice, "is down: ip link set %s up", port);
    return explain(wire, error, port, advice);
}

/* The address of a port that is up and has a cable. */
static int find(const struct wire *wire, const char *port, struct sockaddr_in6 *ret_address)
{
    const struct control cancel = {.fd = -1, .cancel_fd = wire->house.cancel_fd};
    const uint64_t end = control_now_ns() + ADDRESS_NS;
    int error;
    while ((error = own_link_local(port, ret_address)) == -EADDRNOTAVAIL || !has_carrier(port)) {
        if (control_now_ns() >= end)
            break;
        if (control_wait(&cancel, POLLIN, control_now_ns() + STEP_NS) == -ECANCELED)
            return -ECANCELED;
    }
    char advice[SENTENCE_MAX];
    if (!has_carrier(port))
        return explain(wire, -ENETDOWN, port, "has no link: is the cable in, from port to port?");
    if (error == -EADDRNOTAVAIL) {
        (void)snprintf(advice, sizeof advice,
                       "has no link-local address: sysctl -w net.ipv6.conf.%s.disable_ipv6=0",
                       port);
        return explain(wire, error, port, advice);
    }
    return error;
}

static void arrived(void *context, int fd, const char cookie[COOKIE_SIZE],
                    const struct sockaddr_storage *address)
{
    struct wire *wire = context;
    bool is_ours = socket_is_same_host(address, &wire->near);
    if (is_ours && wire->guest && guest_is(wire->guest, cookie) && guest_give(wire->guest, fd))
        return;
    if (!is_ours) {
        (void)close(fd);
        return;
    }
    guest_free(wire->guest); /* of the turn before: its good-bye may still be under way */
    wire->guest = guest_new(&wire->house, fd, cookie, address, 0);
}

static void *attend(void *context)
{
    struct wire *wire = context;
    struct pollfd watch[2 + DOOR_CALLERS_MAX];
    for (;;) {
        unsigned used = door_watch(&wire->door, watch + 1);
        watch[0] = (struct pollfd){.fd = wire->stop_fd, .events = POLLIN};
        struct timespec timeout = {.tv_nsec = (long)STEP_NS};
        int ready = ppoll(watch, 1 + used, used > 1 ? &timeout : NULL, NULL);
        if (ready > 0 && watch[0].revents)
            return NULL;
        door_heed(&wire->door, arrived, wire);
    }
}

static int start(struct wire *wire)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = -pthread_create(&wire->thread, NULL, attend, wire);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    wire->is_running = error == 0;
    return error;
}

int wire_open(const struct dyno_host *host, struct dyno_run *run, const char *near, const char *far,
              struct wire *wire)
{
    struct sockaddr_in6 own = {0};
    *wire = (struct wire){.stop_fd = -1, .done_fd = -1};
    wire->door = (struct door){.tcp_fd = -1, .udp_fd = -1, .turn_fd = -1};
    wire->house = (struct guest_house){.host = host,
                                       .run = run,
                                       .door = &wire->door,
                                       .device = far,
                                       .cancel_fd = host->cancel_fd(run),
                                       .is_quiet = true};
    if (strcmp(near, far) == 0)
        return explain(wire, -EINVAL, near, "is both ends: name the other port with peer=");
    int error = check(wire, near);
    if (error == 0)
        error = check(wire, far);
    if (error == 0)
        error = find(wire, near, &own);
    if (error == 0)
        error = find(wire, far, &wire->far);
    if (error < 0)
        return error;
    memcpy(&wire->near, &own, sizeof own);
    error = door_open("", far, 0, &wire->door);
    if (error == 0 && wire->door.bind.is_refused)
        return explain(wire, -EPERM, far, "cannot be bound to: that needs root on this kernel");
    wire->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    wire->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    wire->house.done_fd = wire->done_fd;
    if (error == 0 && (wire->stop_fd < 0 || wire->done_fd < 0))
        error = -errno;
    if (error == 0)
        error = start(wire);
    return error < 0 ? explain(wire, error, far, strerror(-error)) : 0;
}

void wire_close(struct wire *wire)
{
    if (wire->is_running) {
        (void)eventfd_write(wire->stop_fd, 1);
        pthread_join(wire->thread, NULL);
    }
    guest_free(wire->guest);
    door_close(&wire->door);
    if (wire->stop_fd >= 0)
        (void)close(wire->stop_fd);
    if (wire->done_fd >= 0)
        (void)close(wire->done_fd);
    wire->stop_fd = wire->done_fd = -1;
    wire->guest = NULL;
    wire->is_running = false;
}

unsigned wire_port(const struct wire *wire)
{
    struct sockaddr_in6 six;
    memcpy(&six, &wire->door.place.address, sizeof six);
    return ntohs(six.sin6_port);
}
