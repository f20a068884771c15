/* wrong: words of memory that were not what they must be. Any thread of a crew may report; the
 * conductor tells the host. */
#ifndef MEMORY_WRONG_H
#define MEMORY_WRONG_H

#include "content.h"

#include <iodyno/plugin.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WRONG_KEPT 16 /* told one by one; further ones are counted */
#define WRONG_TEXT 320

struct wrong_word {
    const uint64_t *at;
    uint64_t expected, got,
        again;         /* again: read once more, past the caches where that is allowed */
    uint64_t physical; /* 0: not ours to know */
    unsigned cpu;
};

struct wrong {
    pthread_mutex_t lock;
    uint64_t count; /* words, or passes whose sum was wrong */
    unsigned kept, told;
    struct wrong_word words[WRONG_KEPT];
    char sum[WRONG_TEXT]; /* a wrong sum with all words right when looked at; "" none */
    bool has_told_sum;
};

void wrong_init(struct wrong *wrong);
void wrong_done(struct wrong *wrong);

/* Looks through `count` words from `base`, reports those that differ from `content`, and puts most
 * of them right with `mend`. How many were wrong. */
uint64_t wrong_search(struct wrong *wrong, const struct content *content, uint64_t *base,
                      size_t count, unsigned cpu, bool mend);

/* A pass returned another sum than its words have. */
void wrong_add_sum(struct wrong *wrong, const char *kernel, uint64_t expected, uint64_t got,
                   unsigned cpu);

/* Events "memory-error" for what has not been told yet; how many words are wrong so far. */
uint64_t wrong_tell(struct wrong *wrong, const struct dyno_host *host, struct dyno_run *run);
/* The sentence that ends the run. */
void wrong_sentence(struct wrong *wrong, char text[WRONG_TEXT]);

#endif
