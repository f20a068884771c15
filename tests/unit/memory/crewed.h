/* crewed: a crew of one or two with small filled areas, for tests. */
#ifndef CREWED_H
#define CREWED_H

#include <memory/crew.h>

static inline int crewed_room(const char *root, struct room *into)
{
    (void)root;
    *into = (struct room){.touchable = UINT64_C(1) << 40};
    return 0;
}

static inline int crewed_take(struct worker *worker, void *context)
{
    return area_take(&worker->area, 256 << 10, context, &worker->moved);
}

/* Room for sets of up to 256 KiB in one buffer; those of several need AREA_SLACK more. */
static inline int crewed_take_slack(struct worker *worker, void *context)
{
    return area_take(&worker->area, (256 << 10) + AREA_SLACK, context, &worker->moved);
}

static inline struct crew *crewed(unsigned count, bool has_slack)
{
    struct cpus cpus;
    struct crew *crew = NULL;
    assert_int_equal(cpus_find("", &cpus), 0);
    if (cpus.count < count) { /* two on one CPU do as well here */
        cpus.cpu[1] = cpus.cpu[0];
        cpus.count = 2;
    }
    assert_int_equal(crew_new(&cpus, count, &crew), 0);
    struct area_gate gate = {.root = "", .find_room = crewed_room, .stop = &crew->stop};
    pthread_mutex_init(&gate.lock, NULL);
    assert_int_equal(crew_do(crew, has_slack ? crewed_take_slack : crewed_take, &gate), 0);
    pthread_mutex_destroy(&gate.lock);
    return crew;
}

#endif
