#include "wrong.h"

#include <common/cleanup.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)
#define SEARCH_MOST 4096u /* wrong words after which a stretch is given up: it is all wrong */

void wrong_init(struct wrong *wrong)
{
    memset(wrong, 0, sizeof *wrong);
    pthread_mutex_init(&wrong->lock, NULL);
}

void wrong_done(struct wrong *wrong)
{
    pthread_mutex_destroy(&wrong->lock);
}

/* Out of the caches, so that the next reading is the memory's. A hint where it is forbidden. */
static void evict(const void *at)
{
#if defined(__x86_64__)
    __builtin_ia32_clflush(at);
    __builtin_ia32_mfence();
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0\n\tdsb sy" ::"r"(at) : "memory");
#else
    (void)at;
#endif
}

/* Only root is told frames; others read 0. */
static uint64_t physical_of(const void *at)
{
    uint64_t entry = 0, page = (uint64_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)at;
    AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &entry, sizeof entry, (off_t)(address / page * sizeof entry)) !=
                      (ssize_t)sizeof entry)
        return 0;
    uint64_t frame = entry & PAGEMAP_FRAME;
    return (entry & PAGEMAP_PRESENT) && frame ? frame * page + address % page : 0;
}

static void keep(struct wrong *wrong, const struct wrong_word *word)
{
    pthread_mutex_lock(&wrong->lock);
    wrong->count++;
    if (wrong->kept < WRONG_KEPT)
        wrong->words[wrong->kept++] = *word;
    pthread_mutex_unlock(&wrong->lock);
}

/* A reading that was wrong once: of the bus or of a cache, if not of a cell. */
static void keep_fleeting(struct wrong *wrong, const uint64_t *at, unsigned cpu)
{
    pthread_mutex_lock(&wrong->lock);
    wrong->count++;
    if (!wrong->sum[0])
        snprintf(wrong->sum, sizeof wrong->sum,
                 "within %u words from address 0x%" PRIxPTR
                 " one differed when compared, and each was right when read again, CPU %u",
                 CONTENT_STRETCH, (uintptr_t)at, cpu);
    pthread_mutex_unlock(&wrong->lock);
}

uint64_t wrong_search(struct wrong *wrong, const struct content *content, uint64_t *base,
                      size_t count, unsigned cpu, bool mend)
{
    uint64_t found = 0;
    size_t at = content_find(content, base, 0, count);
    for (; at < count && found < SEARCH_MOST; at = content_find(content, base, at + 1, count)) {
        struct wrong_word word = {.at = base + at,
                                  .expected = content_word(content, at),
                                  .got = *(volatile uint64_t *)(base + at),
                                  .cpu = cpu};
        found++;
        if (((word.got ^ word.expected) & content_mask(content, at)) == 0) {
            keep_fleeting(wrong, base + at, cpu);
            continue;
        }
        evict(base + at);
        word.again = *(volatile uint64_t *)(base + at);
        word.physical = found <= WRONG_KEPT ? physical_of(base + at) : 0;
        keep(wrong, &word);
        if (mend)
            base[at] = word.expected;
    }
    return found;
}

void wrong_add_sum(struct wrong *wrong, const char *kernel, uint64_t expected, uint64_t got,
                   unsigned cpu)
{
    pthread_mutex_lock(&wrong->lock);
    wrong->count++;
    if (!wrong->sum[0])
        snprintf(wrong->sum, sizeof wrong->sum,
                 "%s on CPU %u added up to 0x%016" PRIx64 " where 0x%016" PRIx64
                 " was expected, and each word was right when read again",
                 kernel, cpu, got, expected);
    pthread_mutex_unlock(&wrong->lock);
}

static void word_text(const struct wrong_word *word, char text[WRONG_TEXT])
{
    char physical[48] = "";
    if (word->physical)
        snprintf(physical, sizeof physical, " (physical 0x%" PRIx64 ")", word->physical);
    snprintf(text, WRONG_TEXT,
             "address 0x%" PRIxPTR "%s: expected 0x%016" PRIx64 ", got 0x%016" PRIx64
             ", read again 0x%016" PRIx64 ", bits 0x%016" PRIx64 ", CPU %u",
             (uintptr_t)word->at, physical, word->expected, word->got, word->again,
             word->expected ^ word->got, word->cpu);
}

uint64_t wrong_tell(struct wrong *wrong, const struct dyno_host *host, struct dyno_run *run)
{
    char text[WRONG_TEXT];
    struct wrong_word words[WRONG_KEPT];
    pthread_mutex_lock(&wrong->lock);
    unsigned first = wrong->told, kept = wrong->kept;
    uint64_t count = wrong->count;
    memcpy(words, wrong->words, sizeof words);
    wrong->told = kept;
    bool tells_sum = !wrong->has_told_sum && wrong->sum[0] != '\0';
    wrong->has_told_sum |= tells_sum;
    pthread_mutex_unlock(&wrong->lock);
    for (unsigned i = first; i < kept; i++) {
        word_text(&words[i], text);
        host->event(run, "memory-error", text);
    }
    if (tells_sum)
        host->event(run, "memory-error", wrong->sum);
    return count;
}

void wrong_sentence(struct wrong *wrong, char text[WRONG_TEXT])
{
    char first[WRONG_TEXT] = "";
    pthread_mutex_lock(&wrong->lock);
    if (wrong->kept > 0)
        word_text(&wrong->words[0], first);
    else
        memcpy(first, wrong->sum, sizeof first);
    snprintf(text, WRONG_TEXT, "memory error: %" PRIu64 " wrong word%s; %.240s", wrong->count,
             wrong->count == 1 ? "" : "s, the first:", first);
    pthread_mutex_unlock(&wrong->lock);
}
