#include "report/bwmem.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char *const sizes[] = {"8k", "128k", "50m"};

/* In the order the makers' scripts run them. */
static const char *const operations[] = {"rd",  "wr",  "rdwr",  "cp",   "frd",
                                         "fwr", "fcp", "bzero", "bcopy"};

/* Two numbers and a blank, and nothing else. */
static bool is_line(const char *text, size_t size)
{
    const size_t first = strspn(text, "0123456789.");
    return first > 0 && text[first] == ' ' &&
           strspn(text + first + 1, "0123456789.") == size - first - 1 && size > first + 1;
}

static unsigned add_lines(struct str *into, const char *fact, const char *size,
                          const char *operation)
{
    unsigned lines = 0;
    for (const char *at = fact; *at;) {
        const size_t length = strcspn(at, ";");
        if (length > 0 && is_line(at, length)) {
            if (lines++ == 0)
                str_addf(into, "# %s %s\n", size, operation);
            str_add_bytes(into, at, length);
            str_add(into, "\n");
        }
        at += length;
        at += strspn(at, "; ");
    }
    return lines;
}

/* What readers take for the read and write bandwidth of the board, and what it is. */
static void add_headline(struct str *into, const struct model *model)
{
    double rd, wr;
    if (model_result(model, "published_rd", &rd) < 0 ||
        model_result(model, "published_wr", &wr) < 0 || rd > 1e18 || wr > 1e18)
        return;
    str_addf(into, "# published convention: rd %.0f MB/s, wr %.0f MB/s", rd / 1e6, wr / 1e6);
    str_add(into, " (50m, medians, MB = 10^6 bytes)\n"
                  "# wr is not the write bandwidth: it stores one word in every 16 bytes and fills "
                  "no line, so that each line is read before it is written back, and the bus moves "
                  "twice what is counted\n");
}

int bwmem_write(const struct model *model, struct str *into)
{
    unsigned lines = 0;
    for (size_t i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(operations); i++) {
        const char *size = sizes[i / ARRAY_SIZE(operations)];
        const char *operation = operations[i % ARRAY_SIZE(operations)];
        AUTO(str_done) struct str key = {0};
        str_addf(&key, "bw_mem-%s-%s", size, operation);
        const char *fact = model_fact(model, key.text);
        lines += fact ? add_lines(into, fact, size, operation) : 0;
    }
    if (lines == 0)
        return -ENODATA;
    add_headline(into, model);
    return 0;
}
