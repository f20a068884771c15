/* The pure part of stairs.h. */
#include "stairs.h"

#define RISE 1.35 /* above the step's mean: another step begins */
#define FLAT 1.12 /* from point to point: it has been reached */

unsigned stairs_sizes(uint64_t most, uint64_t sizes[STAIRS_POINTS])
{
    unsigned count = 0;
    for (uint64_t size = STAIRS_LEAST; size <= most && count < STAIRS_POINTS; size *= 2) {
        sizes[count++] = size;
        if (size / 2 * 3 <= most && count < STAIRS_POINTS)
            sizes[count++] = size / 2 * 3;
    }
    return count;
}

unsigned stairs_edges(const uint64_t *sizes, const double *latencies, unsigned count,
                      uint64_t edges[STAIRS_EDGES])
{
    unsigned found = 0, flat = 0;
    double sum = 0;
    for (unsigned i = 0; i < count && found < STAIRS_EDGES; i++) {
        if (flat > 0 && latencies[i] > sum / flat * RISE) {
            edges[found++] = sizes[i - 1];
            flat = 0;
            sum = 0;
        }
        bool is_flat = i + 1 >= count || latencies[i + 1] < latencies[i] * FLAT;
        if (flat > 0 || is_flat) {
            sum += latencies[i];
            flat++;
        }
    }
    return found;
}
