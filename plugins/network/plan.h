/* plan: the options of a client's run, checked and made into what the protocol asks for. */
#ifndef NETWORK_PLAN_H
#define NETWORK_PLAN_H

#include "params.h"

#include <iodyno/plugin.h>

#define PLAN_NAME_MAX 256
#define PLAN_COMMAND_MAX 1024
#define PLAN_SENTENCE_MAX 512

enum plan_direction { PLAN_OUT, PLAN_IN, PLAN_TURNS, PLAN_BOTH }; /* as the option's choices */

extern const char *const plan_directions[];

struct plan {
    const struct dyno_host *host;
    struct dyno_run *run;
    char server[PLAN_NAME_MAX]; /* without brackets */
    const char *device;         /* to bind to; "" none */
    const char *peer_device;    /* the server is this port of this machine; NULL: another machine */
    unsigned port;
    enum plan_direction direction;
    struct params params; /* without the direction; len 0: left to the connection */
    bool was_there;       /* the server has served a test of this run */
    uint64_t time_ns, omit_ns, wait_ns;
};

/* `server` NULL: the option of that name. 0, or a negative errno after having explained. The plan
 * holds strings of the host. */
int plan_make(const struct dyno_host *host, struct dyno_run *run, bool is_udp, const char *server,
              struct plan *ret_plan);
/* The same by hand: "iperf3 -c 192.0.2.1 -t 10 -P 3". */
void plan_command(const struct plan *plan, char into[PLAN_COMMAND_MAX]);
/* Tells the host the sentence and returns `code`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int plan_explain(const struct plan *plan, int code, const char *format, ...);

#endif
