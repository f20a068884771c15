#include "state.h"

#include <common/cleanup.h>
#include <errno.h>
#include <sys/random.h>

static const struct {
    int state;
    const char *name;
} names[] = {
    {STATE_TEST_START, "TEST_START"},
    {STATE_TEST_RUNNING, "TEST_RUNNING"},
    {STATE_TEST_END, "TEST_END"},
    {STATE_PARAM_EXCHANGE, "PARAM_EXCHANGE"},
    {STATE_CREATE_STREAMS, "CREATE_STREAMS"},
    {STATE_SERVER_TERMINATE, "SERVER_TERMINATE"},
    {STATE_CLIENT_TERMINATE, "CLIENT_TERMINATE"},
    {STATE_EXCHANGE_RESULTS, "EXCHANGE_RESULTS"},
    {STATE_DISPLAY_RESULTS, "DISPLAY_RESULTS"},
    {STATE_IPERF_DONE, "IPERF_DONE"},
    {STATE_ACCESS_DENIED, "ACCESS_DENIED"},
    {STATE_SERVER_ERROR, "SERVER_ERROR"},
};

static const struct {
    int first, last;
    const char *text;
} errors[] = {
    {27, 27, "the rate is above the server's limit"},
    {37, 37, "the time is above the server's limit"},
    {111, 112, "it could not pass a message"},
    {113, 114, "it could not pass the parameters"},
    {115, 117, "it could not read the parameters or the results"},
    {119, 119, "it says that the client has ended the test"},
    {120, 120, "it was told to stop"},
    {121, 121, "it is busy with another test"},
    {132, 132, "it could not bind itself to the CPU that was asked for"},
    {134, 134, "it does not have this congestion algorithm"},
    {142, 142, "it wants authentication"},
    {144, 144, "it has not got anything for too long"},
    {160, 160, "its longest time for a test is over"},
    {200, 208, "a stream could not be made or broke"},
};

const char *state_name(int state)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (names[i].state == state)
            return names[i].name;
    return NULL;
}

bool state_is_known(int state)
{
    return state_name(state) != NULL;
}

const char *state_error_text(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
        if (number >= errors[i].first && number <= errors[i].last)
            return errors[i].text;
    return NULL;
}

int state_make_cookie(char cookie[COOKIE_SIZE])
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bits[COOKIE_SIZE - 1];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return -EIO;
    for (size_t i = 0; i < sizeof bits; i++)
        cookie[i] = alphabet[bits[i] % 32];
    cookie[COOKIE_SIZE - 1] = '\0';
    return 0;
}
