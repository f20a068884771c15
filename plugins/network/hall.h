/* hall: the guests of a server, each on a lane, and what is shown of them tick by tick.
 *
 * One thread admits and gives; a sampler's thread looks, and shows out who is over. */
#ifndef NETWORK_HALL_H
#define NETWORK_HALL_H

#include "guest.h"
#include "tcpinfo.h"

#include <common/sampler.h>

#define HALL_GUESTS_MAX 64u

struct hall_last { /* of a stream, at the tick before */
    struct tally_view tally;
    uint64_t retransmits, out_of_order;
    double reported_lost;
};

struct hall {
    const struct guest_house *house;
    unsigned most; /* guests at once */
    struct sampler sampler;
    struct port port;
    uint64_t port_sent, port_received, port_faults, port_carrier; /* told so far */
    pthread_mutex_t lock;                                         /* of the guests */
    struct guest *guests[HALL_GUESTS_MAX];
    struct hall_last *lasts[HALL_GUESTS_MAX]; /* RESULTS_STREAMS_MAX each */
    unsigned served;
    bool is_open;
};

int hall_open(struct hall *hall, const struct guest_house *house, const char *device,
              unsigned most);
/* Waits for all guests, who have seen the cancel or are over. Harmless when not open. */
void hall_close(struct hall *hall);

/* A data connection for the guest with this cookie; false when there is none that awaits one. */
bool hall_give(struct hall *hall, int fd, const char cookie[COOKIE_SIZE]);
/* A new guest; false when all lanes are taken: `fd` stays the caller's then. */
bool hall_admit(struct hall *hall, int fd, const char cookie[COOKIE_SIZE],
                const struct sockaddr_storage *address);
bool hall_has_served(struct hall *hall);
/* Whether a guest is there who is not over. */
bool hall_is_busy(struct hall *hall);

#endif
