#include "a1.h"

#include <stdbool.h>
#include <stdio.h>

#define WRITE_BPS 10e6
#define READ_IOPS 1500.0
#define WRITE_IOPS 500.0

void a1_judge(const struct a1 *figures, char text[A1_TEXT_MAX])
{
    const struct {
        double value, least, unit;
        const char *what;
    } rows[] = {{figures->write_bps, WRITE_BPS, 1e6, "MB/s written in sequence"},
                {figures->write_iops, WRITE_IOPS, 1, "random writes a second"},
                {figures->read_iops, READ_IOPS, 1, "random reads a second"}};
    bool is_met = true;
    unsigned count = 0;
    char parts[A1_TEXT_MAX - 32] = "";
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].value < 0)
            continue;
        is_met = is_met && rows[i].value >= rows[i].least;
        int n = snprintf(parts + at, sizeof parts - at, "%s%.*f of at least %.0f %s",
                         count++ ? ", " : "", rows[i].unit > 1 ? 1 : 0,
                         rows[i].value / rows[i].unit, rows[i].least / rows[i].unit, rows[i].what);
        at += n > 0 && (size_t)n < sizeof parts - at ? (size_t)n : 0;
    }
    if (count > 0)
        snprintf(text, A1_TEXT_MAX, "%s A1%s: %s", is_met ? "meets" : "misses",
                 count < 3 && is_met ? " in this part" : "", parts);
}
