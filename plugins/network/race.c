#include "race.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int race_init(struct race *race, uint64_t bytes)
{
    atomic_store(&race->state, RACE_READY);
    atomic_store(&race->left, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
    race->is_limited = bytes > 0;
    race->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (race->event_fd < 0)
        return -errno;
    pthread_mutex_init(&race->lock, NULL);
    pthread_cond_init(&race->changed, NULL);
    return 0;
}

void race_done(struct race *race)
{
    (void)close(race->event_fd);
    race->event_fd = -1;
    pthread_cond_destroy(&race->changed);
    pthread_mutex_destroy(&race->lock);
}

void race_set(struct race *race, enum race_state state)
{
    pthread_mutex_lock(&race->lock);
    atomic_store(&race->state, (int)state);
    pthread_cond_broadcast(&race->changed);
    pthread_mutex_unlock(&race->lock);
}

void race_await(struct race *race)
{
    pthread_mutex_lock(&race->lock);
    while (race_state(race) == RACE_READY)
        pthread_cond_wait(&race->changed, &race->lock);
    pthread_mutex_unlock(&race->lock);
}

void race_tell(struct race *race)
{
    (void)eventfd_write(race->event_fd, 1);
}

size_t race_take(struct race *race, size_t want)
{
    if (!race->is_limited)
        return want;
    int64_t left = atomic_load_explicit(&race->left, memory_order_relaxed);
    int64_t take;
    do {
        take = left < (int64_t)want ? left : (int64_t)want;
        if (take <= 0)
            return 0;
    } while (!atomic_compare_exchange_weak(&race->left, &left, left - take));
    return (size_t)take;
}

bool race_is_over(const struct race *race)
{
    return race->is_limited && atomic_load(&race->left) <= 0;
}

void race_got(struct race *race, size_t bytes)
{
    if (!race->is_limited)
        return;
    int64_t before = atomic_fetch_sub(&race->left, (int64_t)bytes);
    if (before > 0 && before <= (int64_t)bytes)
        race_tell(race);
}
