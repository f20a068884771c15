/* cores: how much of its time each core of the machine spent in the kernel: what drivers,
 * interrupts and encryption do for a test stands in no account of the test's own process. */
#ifndef STORAGE_CORES_H
#define STORAGE_CORES_H

#include <stdint.h>

#define CORES_MAX 64u /* further ones are not looked at */

struct cores { /* ticks of the kernel's clock since boot */
    unsigned count;
    struct {
        unsigned number;
        uint64_t kernel, all;
    } core[CORES_MAX];
};

/* Takes the lines "cpu0 …" of /proc/stat. Pure. */
void cores_parse(const char *text, struct cores *ret_cores);
/* No core where they cannot be read. */
void cores_read(struct cores *ret_cores);
/* The share of the core that was in the kernel the most; negative: unknown, or too short to tell.
 */
double cores_kernel_share(const struct cores *before, const struct cores *after);

#endif
