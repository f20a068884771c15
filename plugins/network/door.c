#include "door.h"

#include "datagram.h"

#include <arpa/inet.h>
#include <common/cleanup.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define BACKLOG 128
#define COOKIE_NS (5 * CONTROL_NS_PER_S)
#define ORDER_NS                                                                                   \
    (CONTROL_NS_PER_S / 2) /* so long a caller waits for an earlier one of its host                \
                            */
#define CLEAR_MOST 4096u

static int place_of(const char *address, unsigned port, struct socket_place *ret_place)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    memset(ret_place, 0, sizeof *ret_place);
    if (inet_pton(AF_INET, address, &four.sin_addr) == 1) {
        memcpy(&ret_place->address, &four, sizeof four);
        ret_place->size = sizeof four;
        return 0;
    }
    six.sin6_addr = (struct in6_addr)IN6ADDR_ANY_INIT;
    if (address[0] && inet_pton(AF_INET6, address, &six.sin6_addr) != 1)
        return -EINVAL;
    memcpy(&ret_place->address, &six, sizeof six);
    ret_place->size = sizeof six;
    return 0;
}

/* Both families on one socket, unless an address says which. */
static void set_families(int fd, const struct socket_place *place)
{
    int off = 0;
    if (place->address.ss_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
}

static int make(struct door *door, int type)
{
    AUTO_CLOSE int fd = socket_open(&door->place, type, &door->bind);
    int on = 1;
    if (fd < 0)
        return fd;
    set_families(fd, &door->place);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (type == SOCK_DGRAM)
        (void)socket_set_buffers(fd, 0);
    int taken = fd;
    fd = -1;
    return taken;
}

static int listen_at(struct door *door, int type, int *ret_fd)
{
    AUTO_CLOSE int fd = -1;
    if (type == SOCK_DGRAM && door->spare_count)
        fd = door->spares[--door->spare_count];
    else
        fd = make(door, type);
    if (fd < 0)
        return fd;
    if (bind(fd, (const struct sockaddr *)&door->place.address, door->place.size) < 0)
        return -errno;
    if (type == SOCK_STREAM && listen(fd, BACKLOG) < 0)
        return -errno;
    int error = socket_unblock(fd);
    if (error < 0)
        return error;
    *ret_fd = fd;
    fd = -1;
    return 0;
}

static int open_both(struct door *door)
{
    socklen_t size = sizeof door->place.address;
    int error = listen_at(door, SOCK_STREAM, &door->tcp_fd);
    if (error == 0 && getsockname(door->tcp_fd, (struct sockaddr *)&door->place.address, &size) < 0)
        error = -errno;
    if (error == 0)
        error = listen_at(door, SOCK_DGRAM, &door->udp_fd);
    return error;
}

int door_open(const char *address, const char *device, unsigned port, struct door *ret_door)
{
    struct door *door = ret_door;
    *door = (struct door){.tcp_fd = -1, .udp_fd = -1, .turn_fd = -1, .bind.device = device};
    int error = place_of(address, port, &door->place);
    if (error == 0)
        error = open_both(door);
    if (error == -EAFNOSUPPORT && !address[0]) { /* a kernel without IPv6 */
        door_close(door);
        door->bind.device = device;
        (void)place_of("0.0.0.0", port, &door->place);
        error = open_both(door);
    }
    door->turn_fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (error == 0 && door->turn_fd < 0)
        error = -errno;
    if (error < 0)
        door_close(door);
    return error;
}

static void let_go(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void door_close(struct door *door)
{
    for (unsigned i = 0; i < door->caller_count; i++)
        let_go(&door->callers[i].fd);
    while (door->spare_count)
        let_go(&door->spares[--door->spare_count]);
    let_go(&door->tcp_fd);
    let_go(&door->udp_fd);
    let_go(&door->turn_fd);
    door->caller_count = 0;
}

void door_stock(struct door *door)
{
    while (door->spare_count < DOOR_SPARES_MAX) {
        int fd = make(door, SOCK_DGRAM);
        if (fd < 0)
            return;
        door->spares[door->spare_count++] = fd;
    }
}

unsigned door_watch(const struct door *door, struct pollfd watch[1 + DOOR_CALLERS_MAX])
{
    watch[0] = (struct pollfd){.fd = door->caller_count < DOOR_CALLERS_MAX ? door->tcp_fd : -1,
                               .events = POLLIN};
    for (unsigned i = 0; i < door->caller_count; i++)
        watch[1 + i] = (struct pollfd){.fd = door->callers[i].fd, .events = POLLIN};
    return 1 + door->caller_count;
}

static void let_in(struct door *door)
{
    while (door->caller_count < DOOR_CALLERS_MAX) {
        struct door_caller *caller = &door->callers[door->caller_count];
        socklen_t size = sizeof caller->address;
        *caller = (struct door_caller){.since_ns = control_now_ns()};
        caller->fd = accept4(door->tcp_fd, (struct sockaddr *)&caller->address, &size,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (caller->fd < 0)
            return; /* none left, or one that went away meanwhile */
        socket_guard(caller->fd);
        door->caller_count++;
    }
}

/* False: it went away. */
static bool hear(struct door_caller *caller)
{
    if (caller->got == COOKIE_SIZE)
        return true;
    ssize_t n =
        recv(caller->fd, caller->cookie + caller->got, COOKIE_SIZE - caller->got, MSG_DONTWAIT);
    if (n > 0)
        caller->got += (unsigned)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* A client opens its streams one after another, and they are told apart by their order alone. */
static bool is_behind(const struct door *door, unsigned index, uint64_t now)
{
    for (unsigned i = 0; i < index; i++)
        if (door->callers[i].got < COOKIE_SIZE && now - door->callers[i].since_ns < ORDER_NS &&
            socket_is_same_host(&door->callers[i].address, &door->callers[index].address))
            return true;
    return false;
}

void door_heed(struct door *door, door_arrived *arrived, void *context)
{
    unsigned kept = 0;
    let_in(door);
    uint64_t now = control_now_ns(); /* not before any of them came */
    for (unsigned i = 0; i < door->caller_count; i++)
        if (!hear(&door->callers[i]) ||
            (door->callers[i].got < COOKIE_SIZE && now - door->callers[i].since_ns >= COOKIE_NS))
            let_go(&door->callers[i].fd);
    for (unsigned i = 0; i < door->caller_count; i++) {
        struct door_caller *caller = &door->callers[i];
        if (caller->fd < 0) {
            caller->got = COOKIE_SIZE; /* nobody waits for it */
            continue;
        }
        if (caller->got < COOKIE_SIZE || is_behind(door, i, now))
            continue;
        arrived(context, caller->fd, caller->cookie, &caller->address);
        caller->fd = -1;
    }
    for (unsigned i = 0; i < door->caller_count; i++)
        if (door->callers[i].fd >= 0)
            door->callers[kept++] = door->callers[i];
    door->caller_count = kept;
}

void door_clear_udp(struct door *door)
{
    char byte;
    for (unsigned i = 0; i < CLEAR_MOST && recv(door->udp_fd, &byte, 1, MSG_DONTWAIT) >= 0; i++)
        ;
}

/* The socket becomes the stream; a fresh one stands at the port before the client is answered. */
static int hand_over(struct door *door, const struct sockaddr_storage *from, socklen_t size,
                     int *ret_fd)
{
    int fresh = -1;
    if (connect(door->udp_fd, (const struct sockaddr *)from, size) < 0)
        return -errno;
    int error = listen_at(door, SOCK_DGRAM, &fresh);
    if (error < 0) { /* it stays the door's */
        const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
        (void)connect(door->udp_fd, &nobody, sizeof nobody);
        return error;
    }
    *ret_fd = door->udp_fd;
    door->udp_fd = fresh;
    if (send(*ret_fd, datagram_answer, DATAGRAM_HELLO_SIZE, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        error = -errno;
        let_go(ret_fd);
    }
    return error;
}

int door_take_udp(struct door *door, const struct sockaddr_storage *peer, int cancel_fd,
                  uint64_t deadline_ns, int *ret_fd)
{
    for (;;) {
        struct control wait = {.fd = door->udp_fd, .cancel_fd = cancel_fd};
        struct sockaddr_storage from = {0};
        socklen_t size = sizeof from;
        char hello[DATAGRAM_HELLO_SIZE + 1];
        int error = control_wait(&wait, POLLIN, deadline_ns);
        if (error < 0)
            return error;
        ssize_t n = recvfrom(door->udp_fd, hello, sizeof hello, MSG_DONTWAIT | MSG_TRUNC,
                             (struct sockaddr *)&from, &size);
        if (n < 0 || n > DATAGRAM_HELLO_SIZE || !socket_is_same_host(&from, peer)) {
            if (control_now_ns() >= deadline_ns)
                return -ETIMEDOUT;
            continue; /* a stray one */
        }
        return hand_over(door, &from, size, ret_fd);
    }
}
