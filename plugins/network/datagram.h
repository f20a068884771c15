/* datagram: the head of an iperf3 UDP datagram, the hello, and a receiver's account of numbers and
 * times. Pure. */
#ifndef NETWORK_DATAGRAM_H
#define NETWORK_DATAGRAM_H

#include "tally.h"

#include <stdbool.h>
#include <stddef.h>

#define DATAGRAM_HEAD 16 /* bytes; 12 of them with 32-bit numbers */
#define DATAGRAM_HELLO_SIZE 4
#define DATAGRAM_NUMBER_MAX (UINT64_C(1) << 53) /* no sender gets there, and sums stay exact */

struct datagram {
    uint64_t sent_ns; /* by the sender's clock, whatever its zero */
    uint64_t number;  /* the first is 1 */
};

void datagram_write(unsigned char head[DATAGRAM_HEAD], const struct datagram *datagram,
                    bool is_64bit);
/* False when `size` is too short for a head, or its number impossible. */
bool datagram_read(const unsigned char *bytes, size_t size, bool is_64bit,
                   struct datagram *ret_datagram);

/* What a client sends first, and what a server answers. */
extern const unsigned char datagram_hello[DATAGRAM_HELLO_SIZE];
extern const unsigned char datagram_answer[DATAGRAM_HELLO_SIZE];
/* Any version's answer, in either byte order. */
bool datagram_is_answer(const unsigned char *bytes, size_t size);

struct datagram_account { /* zero-initialised */
    uint64_t highest, lost, out_of_order;
    int64_t transit_ns;
    double jitter_ns;
    bool has_transit;
};

/* Numbers far beyond what can have come are taken as they are: the peer's word, never a loop. */
void datagram_take(struct datagram_account *account, const struct datagram *datagram,
                   uint64_t arrived_ns);
/* Into the tally that others read; bytes are not of it. */
void datagram_publish(const struct datagram_account *account, struct tally *tally);

#endif
