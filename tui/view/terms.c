#include "view/terms.h"

#include <stddef.h>

const struct term *terms_network(void)
{
    static const struct term terms[] = {
        {"retransmits", "Retr of iperf3: segments sent again because they were lost, or taken for "
                        "lost. A count alone tells little: 21434 of a minute are 6 %, of a night "
                        "next to nothing. So it stands as percent of the data segments too"},
        {"out of order", "segments that arrived behind a later one: where this end receives, the "
                         "sign of loss that can be seen while the test runs"},
        {"cwnd", "congestion window: data the sender lets be under way at once. It falls with "
                 "each loss and grows back; with much loss it stays at a few kB"},
        {"rtt", "round trip: time from a segment to its acknowledgement, and how much it varies. "
                "It grows when a queue on the way fills"},
        {"busy", "share of the time in which data was under way or waiting to go. Well below 100 % "
                 "the program, not the network, is what is waited for"},
        {"receiver-limited", "share of the time in which the receiver's window was full: the other "
                             "end takes the data too slowly"},
        {"buffer-limited", "share of the time in which this end's socket buffer was too small"},
        {"app-limited", "share of the moments in which the sender had nothing more to send"},
        {"TCP at most", "what the speed of the port leaves for data: 1448 of the 1538 bytes that a "
                        "full frame takes of the wire, 941 of 1000 Mbit/s"},
        {"jitter", "of UDP: how unevenly packets arrive, a running mean as RFC 1889 has it"},
        {"lost", "of UDP: packets that never arrived, counted by the receiver from their numbers"},
        {"worst", "the report interval that moved least, with its time; a zero interval moved "
                  "nothing at all"},
        {NULL, NULL},
    };
    return terms;
}
