/* job: what one storage run is to do, from its options, checked. Pure but for the host's look-ups.
 */
#ifndef STORAGE_JOB_H
#define STORAGE_JOB_H

#include "scratch.h"

#include <iodyno/plugin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_BS_MIN 512u
#define JOB_BS_MAX (64u << 20)
#define JOB_TABLE_BS (1u << 20) /* the largest of a test that has its own */
#define JOB_TABLE_DEPTH 32u
#define JOB_WHY_MAX 512
#define JOB_COMMAND_MAX 1024

/* What stands in a method's row decides the system calls; the loops know no method's name. */
struct method {
    const char *name;
    bool is_direct;
    bool fsyncs, fdatasyncs; /* one at the end, inside the clock */
    bool syncs;              /* fsync of the file and sync() of all, outside dd's own line */
    bool drops_cache;        /* reads: nothing of the file is in RAM when the clock starts */
    bool is_queued;          /* not dd's loop: `depth` requests in flight */
    const char *flags;       /* dd's words for it, "" none */
    const char *flush;       /* the fact `flush`; NULL: reads */
};

extern const struct method queue_method;                    /* of the tests that have no other */
extern const struct method write_methods[], read_methods[]; /* name NULL ends */
extern const char *const write_method_names[], *const read_method_names[]; /* same order */

struct job {
    const struct dyno_target *target;
    const struct method *method;
    size_t bs;
    uint64_t total;      /* bytes */
    uint64_t part_bytes; /* of each file when there are several; 0: one */
    bool is_random;
    const char *file; /* "" none */
    int raw_fd;       /* the whole device, read only; -1: a file in the folder */
    /* With a queue. */
    unsigned depth;
    const char *engine; /* of engine_choices */
    uint64_t time_ns;   /* 0: no limit */
};

/* 0, or -EINVAL, -ERANGE, -EFBIG, -ENOTDIR with one sentence in `why`. */
int job_parse(const struct dyno_host *host, struct dyno_run *run, const struct method *methods,
              struct job *ret_job, char why[JOB_WHY_MAX]);
/* The same for tests that know no methods: always a queue, a size, no file kept. `data` is random.
 */
int job_parse_queue(const struct dyno_host *host, struct dyno_run *run, const struct method *method,
                    struct job *ret_job, char why[JOB_WHY_MAX]);
/* size, or bs * count; saturates at UINT64_MAX. */
uint64_t job_total(const struct dyno_host *host, struct dyno_run *run);

/* The file this job wants; not direct. */
struct scratch_request job_scratch(const struct job *job);

/* The shell line that does by hand what the job does. `is_write`: storage.write. */
void job_command(const struct job *job, bool is_write, char text[JOB_COMMAND_MAX]);

#endif
