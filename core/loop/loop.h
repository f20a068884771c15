/* loop: one epoll, one thread; descriptors, timers, signals and own children as callbacks.
 * Handles may be removed from within any callback, their own included. Nothing here blocks except
 * loop_turn, which waits for the next event. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include <stdint.h>
#include <sys/types.h>

struct loop;
struct loop_fd;
struct loop_timer;
struct loop_child;

typedef void (*loop_fd_fn)(void *user, int fd, uint32_t epoll_events);
typedef void (*loop_timer_fn)(void *user);
/* `value` came with a signal that was queued (sigqueue); 0 of any other. */
typedef void (*loop_signal_fn)(void *user, int signo, int value);
typedef void (*loop_child_fn)(void *user, pid_t pid, int wait_status); /* as waitpid gives it */

int loop_new(struct loop **ret_loop);      /* blocks SIGCHLD and reads it from a signalfd */
struct loop *loop_free(struct loop *loop); /* returns NULL; frees what is still registered */

int loop_add_fd(struct loop *loop, int fd, uint32_t epoll_events, loop_fd_fn fn, void *user,
                struct loop_fd **ret_handle); /* does not own fd: remove first, then close */
int loop_fd_want(struct loop_fd *handle, uint32_t epoll_events);
struct loop_fd *loop_fd_remove(struct loop_fd *handle); /* accepts NULL, returns NULL */

/* First shot after `first_ns`, then each `every_ns` (0: once; the handle stays valid until
 * removed), on an absolute grid. */
int loop_add_timer(struct loop *loop, uint64_t first_ns, uint64_t every_ns, loop_timer_fn fn,
                   void *user, struct loop_timer **ret_handle);
int loop_timer_set(struct loop_timer *handle, uint64_t first_ns,
                   uint64_t every_ns); /* 0,0 disarms */
struct loop_timer *loop_timer_remove(struct loop_timer *handle);
/* How late a shot of any timer came at most, against its plan. */
uint64_t loop_worst_late_ns(const struct loop *loop);

int loop_on_signal(struct loop *loop, int signo, loop_signal_fn fn, void *user);

/* Calls `fn` once when the own child `pid` has ended, always from a turn. It is reaped here, after
 * the call: until then its pid, and its group, name nobody else. The handle stays valid until it is
 * removed. -ECHILD: no child of ours. */
int loop_add_child(struct loop *loop, pid_t pid, loop_child_fn fn, void *user,
                   struct loop_child **ret_handle);
struct loop_child *
loop_child_remove(struct loop_child *handle); /* the child is still reaped later */

/* Handles pending events; waits up to `timeout_ms` (-1: until something happens) for the first.
 * Returns the number of callbacks made, or negative errno. */
int loop_turn(struct loop *loop, int timeout_ms);
int loop_run(struct loop *loop); /* until loop_stop; returns its code */
void loop_stop(struct loop *loop, int code);

/* In a child between fork and exec: the mask and all handlers as a new program expects them. */
void loop_child_setup(void);

#endif
