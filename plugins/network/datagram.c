#include "datagram.h"

#include <string.h>

#define NS_PER_S 1000000000ull

const unsigned char datagram_hello[DATAGRAM_HELLO_SIZE] = {'9', '8', '7', '6'};
const unsigned char datagram_answer[DATAGRAM_HELLO_SIZE] = {'6', '7', '8', '9'};

static void put(unsigned char *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
}

static uint64_t get(const unsigned char *at, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | at[i];
    return value;
}

void datagram_write(unsigned char head[DATAGRAM_HEAD], const struct datagram *datagram,
                    bool is_64bit)
{
    put(head, datagram->sent_ns / NS_PER_S, 4);
    put(head + 4, datagram->sent_ns % NS_PER_S / 1000, 4);
    put(head + 8, datagram->number, is_64bit ? 8 : 4);
}

bool datagram_read(const unsigned char *bytes, size_t size, bool is_64bit,
                   struct datagram *ret_datagram)
{
    if (size < (is_64bit ? 16u : 12u))
        return false;
    ret_datagram->sent_ns = get(bytes, 4) * NS_PER_S + get(bytes + 4, 4) * 1000;
    ret_datagram->number = get(bytes + 8, is_64bit ? 8 : 4);
    return ret_datagram->number <= DATAGRAM_NUMBER_MAX;
}

bool datagram_is_answer(const unsigned char *bytes, size_t size)
{
    /* up to 3.11: 987654321 in the server's own order */
    static const unsigned char known[][DATAGRAM_HELLO_SIZE] = {{'6', '7', '8', '9'},
                                                               {'9', '8', '7', '6'},
                                                               {0xb1, 0x68, 0xde, 0x3a},
                                                               {0x3a, 0xde, 0x68, 0xb1}};
    for (size_t i = 0; size == DATAGRAM_HELLO_SIZE && i < sizeof known / sizeof known[0]; i++)
        if (memcmp(bytes, known[i], size) == 0)
            return true;
    return false;
}

void datagram_take(struct datagram_account *account, const struct datagram *datagram,
                   uint64_t arrived_ns)
{
    const uint64_t number = datagram->number;
    if (number > account->highest) {
        account->lost += number - account->highest - 1;
        account->highest = number;
    } else {
        account->out_of_order++;
        account->lost -= account->lost > 0;
    }
    /* by wrapping: the two clocks have nothing in common, only the change counts */
    int64_t transit = (int64_t)(arrived_ns - datagram->sent_ns);
    int64_t change = (int64_t)((uint64_t)transit - (uint64_t)account->transit_ns);
    double distance = change < 0 ? -(double)change : (double)change;
    if (account->has_transit)
        account->jitter_ns += (distance - account->jitter_ns) / 16;
    account->transit_ns = transit;
    account->has_transit = true;
}

void datagram_publish(const struct datagram_account *account, struct tally *tally)
{
    tally_set(&tally->packets, account->highest);
    tally_set(&tally->lost, account->lost);
    tally_set(&tally->out_of_order, account->out_of_order);
    tally_set(&tally->jitter_ns, account->jitter_ns < 1e18 ? (uint64_t)account->jitter_ns : 0);
}
