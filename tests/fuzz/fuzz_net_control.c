/* What comes on a control connection is any bytes: states and framed texts end with an error or
 * within their caps, and never wait past the end of the input. Two bytes choose how it is read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "network/control.h"
#include "network/params.h"
#include "network/results.h"
#include "network/state.h"

#define INPUT_MOST 16384u /* what a socket takes at once */

static size_t put(uint8_t *into, size_t at, const char *bytes, size_t size)
{
    memcpy(into + at, bytes, size);
    return at + size;
}

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    static const char results[] =
        "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"
        "\"sender_has_retransmits\":-1,\"streams\":[{\"id\":1,\"bytes\":1,\"retransmits\":-1,"
        "\"jitter\":0,\"errors\":3,\"packets\":9}]}";
    const char length[4] = {0, 0, 0, (char)(sizeof results - 1)};
    size_t size = 0;
    switch (index) {
    case 0: /* a whole test, as a client hears it */
        size = put(into, size, "\x09\x0a\x01\x02\x0d", 5);
        size = put(into, size, length, 4);
        size = put(into, size, results, sizeof results - 1);
        return put(into, size, "\x0e", 1);
    case 1: /* an error in mid-run */
        return put(into, size, "\x09\x0a\x01\x02\xfe\0\0\0\xa0\0\0\0\x05", 13);
    case 2: /* as a server hears it: parameters */
        size = put(into, size, "\x0d\0\0\0\x0c{\"tcp\":true}", 17);
        return put(into, size, "\x04\x10", 2);
    default:
        return 0;
    }
}

static void read_text(const struct control *control, size_t cap, uint64_t deadline)
{
    static struct results results;
    struct params params;
    char *text = NULL;
    size_t size = 0;
    const char *why = "";
    int code = control_read_text(control, cap, deadline, &text, &size);
    FUZZ_HOLDS(code <= 0 && code != -ETIMEDOUT);
    if (code < 0)
        return;
    FUZZ_HOLDS(size > 0 && size <= cap && text[size] == '\0');
    (void)params_parse(text, size, &params, &why);
    (void)results_parse(text, size, &results, &why);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int ends[2];
    if (size > INPUT_MOST || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return 0;
    const struct control control = {.fd = ends[0], .cancel_fd = -1};
    const uint64_t deadline = control_now_ns() + 5 * CONTROL_NS_PER_S;
    bool is_whole = size == 0 || write(ends[1], bytes, size) == (ssize_t)size;
    (void)shutdown(ends[1], SHUT_WR);
    for (size_t i = 0; is_whole && i <= size; i++) {
        int state = 0;
        int number, code;
        int result = control_read_state(&control, deadline, &state);
        FUZZ_HOLDS(result == 0 || result == -ECONNABORTED || result == -EPROTO);
        if (result == -ECONNABORTED)
            break;
        FUZZ_HOLDS(state >= -128 && state <= 127);
        if (state == STATE_EXCHANGE_RESULTS)
            read_text(&control, i % 2 ? CONTROL_RESULTS_MAX : CONTROL_PARAMS_MAX, deadline);
        if (state == STATE_SERVER_ERROR)
            (void)control_read_error(&control, deadline, &number, &code);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    return 0;
}
