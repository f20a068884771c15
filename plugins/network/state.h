/* state: the words of the iperf3 control protocol: state bytes, errors of a server, the cookie.
 * Pure, but for the cookie's random bits. */
#ifndef NETWORK_STATE_H
#define NETWORK_STATE_H

#include <stdbool.h>
#include <stddef.h>

enum state { /* one signed byte on the wire; 3 and 5..8 are reserved */
             STATE_TEST_START = 1,
             STATE_TEST_RUNNING = 2,
             STATE_TEST_END = 4,
             STATE_PARAM_EXCHANGE = 9,
             STATE_CREATE_STREAMS = 10,
             STATE_SERVER_TERMINATE = 11,
             STATE_CLIENT_TERMINATE = 12,
             STATE_EXCHANGE_RESULTS = 13,
             STATE_DISPLAY_RESULTS = 14,
             STATE_IPERF_DONE = 16,
             STATE_ACCESS_DENIED = -1,
             STATE_SERVER_ERROR = -2, /* two 32-bit integers follow: iperf3's error, errno */
};

#define COOKIE_SIZE 37 /* 36 characters of a-z2-7 and a NUL; the peer's may be any bytes */
#define NETWORK_PORT 5201

/* iperf3's own numbers that we send. */
#define STATE_ERROR_RATE 27
#define STATE_ERROR_DURATION 37
#define STATE_ERROR_PARAMETERS 116
#define STATE_ERROR_CONGESTION 134
#define STATE_ERROR_EXPIRED 160

/* "TEST_START"; NULL for a number that is no state. */
const char *state_name(int state);
bool state_is_known(int state);
/* What a SERVER_ERROR's first number means: "the rate is above the server's limit"; NULL unknown.
 */
const char *state_error_text(int number);

/* 0 or negative errno. */
int state_make_cookie(char cookie[COOKIE_SIZE]);

#endif
