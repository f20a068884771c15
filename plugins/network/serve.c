/* network.serve: an iperf3 server for several clients at once; each has a lane. */
#include "guest.h"
#include "hall.h"
#include "network.h"
#include "rights.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define GLANCE_NS (CONTROL_NS_PER_S / 10)

struct serve {
    struct door door;
    struct guest_house house;
    struct hall hall;
    bool is_once;
};

static int explain(const struct serve *serve, int code, const char *sentence)
{
    serve->house.host->explain(serve->house.run, sentence);
    return code;
}

static int open_door(struct serve *serve, const char *address, const char *device)
{
    const struct guest_house *house = &serve->house;
    const unsigned port = (unsigned)house->host->opt_u64(house->run, "port");
    char text[256];
    int error = door_open(address, device, port, &serve->door);
    if (error == 0)
        return 0;
    (void)snprintf(text, sizeof text, "cannot listen on %s%sport %u: %s", address,
                   address[0] ? " " : "", port,
                   error == -EADDRINUSE ? "another program does (iperf3 -s?); take another port="
                   : error == -EADDRNOTAVAIL ? "this machine does not have that address"
                   : error == -EINVAL        ? "bind= must be an IPv4 or IPv6 address"
                                             : strerror(-error));
    return explain(serve, error, text);
}

static void tell_open(const struct serve *serve, enum rights rights)
{
    const struct guest_house *house = &serve->house;
    char text[SOCKET_TEXT_MAX];
    socket_text(&serve->door.place.address, text);
    house->host->fact(house->run, "listening", text);
    if (serve->door.bind.is_refused)
        house->host->fact(house->run, "bound", "no: not permitted here, any port is served");
    else if (serve->door.bind.device[0])
        house->host->fact(house->run, "bound", serve->door.bind.device);
    if (rights != RIGHTS_ORDINARY)
        house->host->fact(house->run, "runs-as",
                          rights == RIGHTS_DROPPED ? "nobody" : "root: it cannot be given up here");
    (void)snprintf(text, sizeof text, "iperf3 -s -p %llu",
                   (unsigned long long)house->host->opt_u64(house->run, "port"));
    house->host->fact(house->run, "by-hand", text);
}

static void deny(int fd)
{
    const struct control control = {.fd = fd, .cancel_fd = -1};
    (void)control_write_state(&control, STATE_ACCESS_DENIED, control_now_ns());
    (void)close(fd);
}

static void arrived(void *context, int fd, const char cookie[COOKIE_SIZE],
                    const struct sockaddr_storage *address)
{
    struct serve *serve = context;
    if (hall_give(&serve->hall, fd, cookie))
        return;
    if (serve->is_once && hall_has_served(&serve->hall))
        deny(fd);
    else if (!hall_admit(&serve->hall, fd, cookie, address))
        deny(fd);
}

/* Until the cancel, or until the one client has left. */
static int attend(struct serve *serve)
{
    struct pollfd watch[3 + DOOR_CALLERS_MAX];
    for (;;) {
        eventfd_t count;
        unsigned used = door_watch(&serve->door, watch + 2);
        watch[0] = (struct pollfd){.fd = serve->house.cancel_fd, .events = POLLIN};
        watch[1] = (struct pollfd){.fd = serve->house.done_fd, .events = POLLIN};
        struct timespec timeout = {.tv_nsec = GLANCE_NS};
        int ready = ppoll(watch, 2 + used, used > 1 ? &timeout : NULL, NULL);
        if (ready < 0 && errno != EINTR)
            return -errno;
        if (ready > 0 && watch[0].revents)
            return -ECANCELED;
        if (ready > 0 && watch[1].revents)
            (void)eventfd_read(serve->house.done_fd, &count);
        door_heed(&serve->door, arrived, serve);
        if (serve->is_once && hall_has_served(&serve->hall) && !hall_is_busy(&serve->hall))
            return 0;
    }
}

/* The network port to serve on. */
static const char *device_of(const struct guest_house *house)
{
    const struct dyno_target *target = house->host->target(house->run);
    return target->ifname && !house->host->opt_u64(house->run, "any") ? target->ifname : "";
}

static int run_serve(struct serve *serve)
{
    const struct guest_house *house = &serve->house;
    const char *device = device_of(house);
    int error = open_door(serve, house->host->opt_str(house->run, "bind"), device);
    if (error < 0)
        return error;
    door_stock(&serve->door);
    tell_open(serve, rights_drop());
    house->host->phase(house->run, "serve");
    serve->house.device = device;
    error = hall_open(&serve->hall, house, device,
                      (unsigned)house->host->opt_u64(house->run, "clients"));
    if (error == 0)
        error = attend(serve);
    hall_close(&serve->hall);
    door_close(&serve->door);
    return error;
}

int network_serve(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO_FREE void *room = calloc(1, sizeof(struct serve));
    struct serve *serve = room;
    if (!serve)
        return -ENOMEM;
    AUTO_CLOSE int done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (done_fd < 0)
        return -errno;
    serve->house = (struct guest_house){.host = host,
                                        .run = run,
                                        .door = &serve->door,
                                        .cancel_fd = host->cancel_fd(run),
                                        .done_fd = done_fd,
                                        .most_ns = host->opt_u64(run, "most-time"),
                                        .most_bps = host->opt_u64(run, "most-rate"),
                                        .delay_ns = host->opt_u64(run, "delay")};
    serve->is_once = host->opt_u64(run, "once") != 0;
    return run_serve(serve);
}
