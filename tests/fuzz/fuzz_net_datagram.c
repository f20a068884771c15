/* Datagrams are any bytes: nothing beyond them is read, and the account stays within its bounds.
 * The input is cut into datagrams by its first byte. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "network/datagram.h"

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= 2)
        return 0;
    const bool is_64bit = index == 1;
    const size_t step = is_64bit ? 16 : 12;
    into[0] = (uint8_t)step;
    for (size_t i = 0; i < 20; i++) {
        unsigned char head[DATAGRAM_HEAD];
        const struct datagram datagram = {.sent_ns = 1000000000 + 1000000 * i,
                                          .number = 1 + (i ^ 1)};
        datagram_write(head, &datagram, is_64bit);
        memcpy(into + 1 + i * step, head, step);
    }
    return 1 + 20 * step;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct datagram_account account = {0};
    struct tally tally = {0};
    if (size == 0)
        return 0;
    const size_t step = bytes[0] ? bytes[0] : 1;
    for (size_t at = 1; at < size; at += step) {
        const size_t here = size - at < step ? size - at : step;
        const uint64_t before = account.highest;
        struct datagram datagram;
        unsigned char *exact = malloc(here);
        if (!exact)
            return 0;
        memcpy(exact, bytes + at, here);
        (void)datagram_is_answer(exact, here);
        const bool is_one = datagram_read(exact, here, step >= 16, &datagram);
        free(exact);
        if (!is_one)
            continue;
        datagram_take(&account, &datagram, at);
        datagram_publish(&account, &tally);
        FUZZ_HOLDS(account.highest >= before && account.highest >= datagram.number);
        FUZZ_HOLDS(account.lost <= account.highest && account.highest <= DATAGRAM_NUMBER_MAX);
        FUZZ_HOLDS(isfinite(account.jitter_ns) && account.jitter_ns >= 0);
        FUZZ_HOLDS(tally_get(&tally.lost) == account.lost);
    }
    return 0;
}
