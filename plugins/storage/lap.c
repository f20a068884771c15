#include "lap.h"

#include <sys/resource.h>
#include <time.h>

uint64_t lap_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t timeval_ns(const struct timeval *value)
{
    return (uint64_t)value->tv_sec * NS_PER_S + (uint64_t)value->tv_usec * 1000u;
}

void lap_begin(struct lap *lap)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *lap = (struct lap){.user0_ns = timeval_ns(&usage.ru_utime),
                        .sys0_ns = timeval_ns(&usage.ru_stime),
                        .start_ns = lap_now_ns()};
}

void lap_end(struct lap *lap)
{
    struct rusage usage;
    lap->wall_ns = lap_now_ns() - lap->start_ns;
    getrusage(RUSAGE_SELF, &usage);
    lap->user_ns = timeval_ns(&usage.ru_utime) - lap->user0_ns;
    lap->sys_ns = timeval_ns(&usage.ru_stime) - lap->sys0_ns;
}
