#include "a1.h"

#include <stdbool.h>
#include <stdio.h>

void a1_judge(const struct a1 *figures, char text[A1_TEXT_MAX])
{
    static const char *const words[] = {"misses A1", "meets A1, misses A2", "meets A2"};
    const struct {
        double value, first, second, unit; /* what A1 and A2 ask for */
        const char *what;
    } rows[] = {{figures->write_bps, 10e6, 10e6, 1e6, "MB/s written in sequence"},
                {figures->write_iops, 500, 2000, 1, "random writes a second"},
                {figures->read_iops, 1500, 4000, 1, "random reads a second"}};
    unsigned level = 2, count = 0;
    char parts[A1_TEXT_MAX - 48] = "";
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].value < 0)
            continue;
        unsigned reached = rows[i].value >= rows[i].second  ? 2
                           : rows[i].value >= rows[i].first ? 1
                                                            : 0;
        level = reached < level ? reached : level;
        bool is_same = rows[i].first == rows[i].second;
        int n = snprintf(parts + at, sizeof parts - at, "%s%.*f %s (%s %.0f", count++ ? ", " : "",
                         rows[i].unit > 1 ? 1 : 0, rows[i].value / rows[i].unit, rows[i].what,
                         is_same ? "both" : "A1", rows[i].first / rows[i].unit);
        at += n > 0 && (size_t)n < sizeof parts - at ? (size_t)n : 0;
        n = is_same ? snprintf(parts + at, sizeof parts - at, ")")
                    : snprintf(parts + at, sizeof parts - at, ", A2 %.0f)",
                               rows[i].second / rows[i].unit);
        at += n > 0 && (size_t)n < sizeof parts - at ? (size_t)n : 0;
    }
    if (count > 0)
        snprintf(text, A1_TEXT_MAX, "%s%s: %s", words[level],
                 count < 3 && level > 0 ? " in this part" : "", parts);
}
