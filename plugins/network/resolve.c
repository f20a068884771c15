/* Names to addresses: in a thread of its own, because a name server may take half a minute and a
 * cancel must not wait for it. */
#include "socket.h"

#include <common/cleanup.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

struct question { /* shared by both threads; the last one frees it */
    char *name;
    char port[8];
    struct addrinfo *found;
    int code;
    int done_fd;
    atomic_int holders;
};

static void leave(struct question *question)
{
    if (atomic_fetch_sub(&question->holders, 1) > 1)
        return;
    if (question->found)
        freeaddrinfo(question->found);
    (void)close(question->done_fd);
    free(question->name);
    free(question);
}

static int look_up(struct question *question, int flags)
{
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    return getaddrinfo(question->name, question->port, &hints, &question->found);
}

static void *ask(void *argument)
{
    struct question *question = argument;
    question->code = look_up(question, 0);
    (void)eventfd_write(question->done_fd, 1);
    leave(question);
    return NULL;
}

static int start(struct question *question)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    atomic_store(&question->holders, 2);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, ask, question);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        atomic_store(&question->holders, 1);
    else
        pthread_detach(thread);
    return -error;
}

static struct question *question_new(const char *name, unsigned port)
{
    struct question *question = calloc(1, sizeof *question);
    if (!question)
        return NULL;
    atomic_store(&question->holders, 1);
    question->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    question->name = strdup(name);
    (void)snprintf(question->port, sizeof question->port, "%u", port % 65536);
    if (question->done_fd >= 0 && question->name)
        return question;
    leave(question);
    return NULL;
}

static int collect(const struct question *question, struct socket_place places[], int max)
{
    int count = 0;
    for (const struct addrinfo *at = question->found; at && count < max; at = at->ai_next) {
        if (at->ai_addrlen > sizeof places[0].address)
            continue;
        memset(&places[count], 0, sizeof places[count]);
        memcpy(&places[count].address, at->ai_addr, at->ai_addrlen);
        places[count++].size = at->ai_addrlen;
    }
    return count ? count : -EHOSTUNREACH;
}

int socket_resolve(const char *name, unsigned port, int cancel_fd, uint64_t deadline_ns,
                   struct socket_place places[], int max)
{
    struct question *question = question_new(name, port);
    int error = 0;
    if (!question)
        return -ENOMEM;
    if (look_up(question, AI_NUMERICHOST) != 0) {
        struct control wait = {.fd = question->done_fd, .cancel_fd = cancel_fd};
        error = start(question);
        if (error == 0)
            error = control_wait(&wait, POLLIN, deadline_ns);
        if (error == 0 && question->code)
            error = question->code == EAI_AGAIN ? -EAGAIN : -EHOSTUNREACH;
    }
    int count = error < 0 ? error : collect(question, places, max);
    leave(question);
    return count;
}
