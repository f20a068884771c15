#include "report/bwmem.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"

static const struct {
    const char *fact, *size;
    double megabytes;
} sizes[] = {
    {"bw-mem-8k", "8k", 0.008192},
    {"bw-mem-128k", "128k", 0.131072},
    {"bw-mem-50m", "50m", 52.4288},
};

/* In the order the makers' scripts run them. */
static const char *const operations[] = {"rd",  "wr",  "rdwr",  "cp",   "frd",
                                         "fwr", "fcp", "bzero", "bcopy"};

/* Where the rates of an operation begin in "rd=1.00,2.00 wr=3.00"; NULL: it was not measured. */
static const char *find_rates(const char *fact, const char *operation)
{
    const size_t size = strlen(operation);
    for (const char *at = fact; *at;) {
        at += strspn(at, " ");
        if (strncmp(at, operation, size) == 0 && at[size] == '=')
            return at + size + 1;
        at += strcspn(at, " ");
    }
    return NULL;
}

/* Takes one rate of a list; false at its end or where it is no rate. */
static bool take_rate(const char **at, double *ret_mbps)
{
    AUTO(str_done) struct str digits = {0};
    const size_t size = strspn(*at, "0123456789.");
    str_add_bytes(&digits, *at, size);
    if (size == 0 || units_parse_double(digits.text, ret_mbps) < 0)
        return false;
    *at += size;
    *at += **at == ',';
    return true;
}

/* What is below one has six digits, as bw_mem prints it. */
static void add_number(struct str *into, double value)
{
    const unsigned long long parts = value < 1 ? 1000000 : 100,
                             all = (unsigned long long)(value * (double)parts + 0.5);
    str_addf(into, value < 1 ? "%llu.%06llu" : "%llu.%02llu", all / parts, all % parts);
}

static unsigned add_lines(struct str *into, const char *fact, const char *operation, size_t index)
{
    const char *at = find_rates(fact, operation);
    unsigned lines = 0;
    double mbps;
    while (at && take_rate(&at, &mbps) && mbps <= 1e9) {
        if (lines++ == 0)
            str_addf(into, "# %s %s\n", sizes[index].size, operation);
        add_number(into, sizes[index].megabytes);
        str_add(into, " ");
        add_number(into, mbps);
        str_add(into, "\n");
    }
    return lines;
}

/* What readers take for the read and write bandwidth of the board, and what it is. */
static void add_headline(struct str *into, const struct model *model)
{
    const char *fact = model_fact(model, "bw-mem-50m");
    const char *rd = fact ? find_rates(fact, "rd") : NULL;
    const char *wr = fact ? find_rates(fact, "wr") : NULL;
    double read, written;
    if (!rd || !wr || !take_rate(&rd, &read) || !take_rate(&wr, &written))
        return;
    str_add(into, "# published convention: rd ");
    add_number(into, read);
    str_add(into, " MB/s, wr ");
    add_number(into, written);
    str_add(into, " MB/s (50m, MB = 10^6 bytes)\n"
                  "# wr is not the write bandwidth: it stores one word in every 16 bytes and fills "
                  "no line, so that each line is read before it is written back, and the bus moves "
                  "twice what is counted\n");
}

int bwmem_write(const struct model *model, struct str *into)
{
    unsigned lines = 0;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        const char *fact = model_fact(model, sizes[i].fact);
        for (size_t k = 0; fact && k < ARRAY_SIZE(operations); k++)
            lines += add_lines(into, fact, operations[k], i);
    }
    if (lines == 0)
        return -ENODATA;
    add_headline(into, model);
    return 0;
}
