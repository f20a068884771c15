#include "cores.h"

#include <common/cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_TEXT_MAX 16384 /* the cores come first, some 60 bytes each */
#define TICKS_MIN 20        /* of 10 ms, mostly: fewer are no share */

/* user nice system idle iowait irq softirq steal */
enum { SYSTEM = 2, IRQ = 5, SOFTIRQ = 6, COLUMNS = 8 };

static bool take_number(const char **at, uint64_t *ret_value)
{
    char *end;
    *at += strspn(*at, " ");
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *ret_value = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static bool take_core(const char *line, struct cores *cores)
{
    uint64_t number, values[COLUMNS], all = 0;
    const char *at = line + strlen("cpu");
    if (*at < '0' || *at > '9' || !take_number(&at, &number) || number > 65535)
        return false;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!take_number(&at, &values[i]))
            return false;
        all += values[i];
    }
    cores->core[cores->count].number = (unsigned)number;
    cores->core[cores->count].kernel = values[SYSTEM] + values[IRQ] + values[SOFTIRQ];
    cores->core[cores->count].all = all;
    return true;
}

void cores_parse(const char *text, struct cores *ret_cores)
{
    ret_cores->count = 0;
    while (strncmp(text, "cpu", 3) == 0 && ret_cores->count < CORES_MAX) {
        ret_cores->count += take_core(text, ret_cores); /* the first line is that of all */
        const char *end = strchr(text, '\n');
        if (!end)
            return;
        text = end + 1;
    }
}

void cores_read(struct cores *ret_cores)
{
    AUTO_FREE char *text = malloc(STAT_TEXT_MAX);
    int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    ssize_t size = text && fd >= 0 ? read(fd, text, STAT_TEXT_MAX - 1) : -1;
    if (fd >= 0)
        close(fd);
    ret_cores->count = 0;
    if (size <= 0)
        return;
    text[size] = '\0';
    cores_parse(text, ret_cores);
}

/* A core may come and go between the two. */
double cores_kernel_share(const struct cores *before, const struct cores *after)
{
    double most = -1;
    for (unsigned i = 0, k = 0; i < after->count; i++) {
        while (k < before->count && before->core[k].number < after->core[i].number)
            k++;
        if (k == before->count || before->core[k].number != after->core[i].number ||
            after->core[i].all < before->core[k].all + TICKS_MIN ||
            after->core[i].kernel < before->core[k].kernel)
            continue;
        double share = (double)(after->core[i].kernel - before->core[k].kernel) /
                       (double)(after->core[i].all - before->core[k].all);
        if (share > most)
            most = share;
    }
    return most > 1 ? 1 : most;
}
