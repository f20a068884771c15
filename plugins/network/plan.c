#include "plan.h"

#include "control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DAY_S 86400u /* newer servers refuse a longer time */

const char *const plan_directions[] = {"out", "in", "turns", "both", NULL};

int plan_explain(const struct plan *plan, int code, const char *format, ...)
{
    char sentence[PLAN_SENTENCE_MAX];
    va_list words;
    va_start(words, format);
    (void)vsnprintf(sentence, sizeof sentence, format, words);
    va_end(words);
    plan->host->explain(plan->run, sentence);
    return code;
}

static uint64_t number(const struct plan *plan, const char *key)
{
    return plan->host->opt_u64(plan->run, key);
}

static int take_server(struct plan *plan, const char *server)
{
    const char *name = server ? server : plan->host->opt_str(plan->run, "server");
    size_t size = strlen(name);
    if (size == 0)
        return plan_explain(plan, -EDESTADDRREQ,
                            "no server is named: start \"iperf3 -s\" on another machine and say "
                            "--server=ITS-ADDRESS");
    if (name[0] == '[' && name[size - 1] == ']') {
        name++;
        size -= 2;
    }
    if (size == 0 || size >= sizeof plan->server)
        return plan_explain(plan, -EINVAL, "the server's name is no name or address");
    memcpy(plan->server, name, size);
    plan->server[size] = '\0';
    return 0;
}

static void take_limits(struct plan *plan)
{
    struct params *params = &plan->params;
    params->bytes = number(plan, "bytes");
    plan->omit_ns = number(plan, "omit") / CONTROL_NS_PER_S * CONTROL_NS_PER_S;
    params->omit_s = (uint32_t)(plan->omit_ns / CONTROL_NS_PER_S);
    plan->time_ns = params->bytes ? 0 : number(plan, "time");
    uint64_t seconds = (plan->time_ns + CONTROL_NS_PER_S - 1) / CONTROL_NS_PER_S;
    params->time_s = seconds <= DAY_S ? (uint32_t)seconds : 0; /* 0: until we end it */
}

static int take_len(struct plan *plan)
{
    uint64_t len = number(plan, "len");
    uint64_t max = plan->params.is_udp ? PARAMS_UDP_LEN_MAX : PARAMS_TCP_LEN_MAX;
    uint64_t min = plan->params.is_udp ? PARAMS_UDP_LEN_MIN : 1;
    if (len && (len < min || len > max))
        return plan_explain(plan, -EINVAL, "len must be %" PRIu64 " to %" PRIu64 " bytes", min,
                            max);
    plan->params.len = len || plan->params.is_udp ? (uint32_t)len : PARAMS_TCP_LEN;
    return 0;
}

int plan_make(const struct dyno_host *host, struct dyno_run *run, bool is_udp, const char *server,
              struct plan *ret_plan)
{
    struct plan plan = {.host = host, .run = run, .params.is_udp = is_udp};
    struct params *params = &plan.params;
    const struct dyno_target *target = host->target(run);
    int error = take_server(&plan, server);
    if (error == 0)
        error = take_len(&plan);
    if (error < 0)
        return error;
    take_limits(&plan);
    plan.device = target->ifname ? target->ifname : "";
    plan.port = (unsigned)number(&plan, "port");
    plan.direction = (enum plan_direction)number(&plan, "direction");
    plan.wait_ns = number(&plan, "wait");
    params->parallel = (uint32_t)number(&plan, "parallel");
    params->bps = number(&plan, "bitrate");
    params->window = (uint32_t)number(&plan, "window");
    params->mss = (uint32_t)number(&plan, "mss");
    params->tos = (uint32_t)number(&plan, "tos");
    params->is_nodelay = number(&plan, "nodelay") != 0;
    params->is_zerocopy = (uint32_t)number(&plan, "zerocopy");
    params->has_64bit_counters = is_udp;
    params->pacing_timer_us = 1000;
    (void)snprintf(params->congestion, sizeof params->congestion, "%s",
                   host->opt_str(run, "congestion"));
    (void)snprintf(params->client_version, sizeof params->client_version, "iodyno %s",
                   IODYNO_VERSION);
    if (params->parallel == 0 || params->parallel > PARAMS_PARALLEL_MAX)
        params->parallel = 1;
    *ret_plan = plan;
    return 0;
}

struct words { /* a command that grows */
    char *into;
    size_t used;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(struct words *words, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int size = vsnprintf(words->into + words->used, PLAN_COMMAND_MAX - words->used, format, values);
    va_end(values);
    if (size > 0)
        words->used += (size_t)size;
    if (words->used >= PLAN_COMMAND_MAX)
        words->used = PLAN_COMMAND_MAX - 1;
}

static void add_rate(struct words *words, uint64_t bps)
{
    static const struct {
        uint64_t unit;
        const char *suffix;
    } units[] = {{1000000000, "G"}, {1000000, "M"}, {1000, "K"}, {1, ""}};
    size_t i = 0;
    while (bps % units[i].unit)
        i++;
    if (bps == 0)
        i = 3;
    add(words, " -b %" PRIu64 "%s", bps / units[i].unit, units[i].suffix);
}

static void add_command(const struct plan *plan, const char *direction, struct words *words)
{
    const struct params *params = &plan->params;
    if (plan->peer_device)
        add(words, "iperf3 -s -1 -D --bind-dev %s && ", plan->peer_device);
    add(words, "iperf3 -c %s", plan->server);
    if (plan->port != NETWORK_PORT && !plan->peer_device)
        add(words, " -p %u", plan->port);
    if (params->is_udp)
        add(words, " -u");
    if (params->bps || params->is_udp)
        add_rate(words, params->bps);
    if (params->bytes)
        add(words, " -n %" PRIu64, params->bytes);
    else
        add(words, " -t %" PRIu64, (plan->time_ns + CONTROL_NS_PER_S - 1) / CONTROL_NS_PER_S);
    if (params->omit_s)
        add(words, " -O %u", params->omit_s);
    if (params->parallel > 1)
        add(words, " -P %u", params->parallel);
    if (params->len && (params->is_udp || params->len != PARAMS_TCP_LEN))
        add(words, " -l %u", params->len);
    if (params->window)
        add(words, " -w %u", params->window);
    if (params->mss)
        add(words, " -M %u", params->mss);
    if (params->tos)
        add(words, " -S %u", params->tos);
    if (params->congestion[0])
        add(words, " -C %s", params->congestion);
    if (params->is_nodelay)
        add(words, " -N");
    if (params->is_zerocopy)
        add(words, " -Z");
    if (params->has_64bit_counters)
        add(words, " --udp-counters-64bit");
    if (plan->device[0])
        add(words, " --bind-dev %s", plan->device);
    add(words, "%s", direction);
}

void plan_command(const struct plan *plan, char into[PLAN_COMMAND_MAX])
{
    static const char *const words_of[] = {
        [PLAN_OUT] = "", [PLAN_IN] = " -R", [PLAN_TURNS] = "", [PLAN_BOTH] = " --bidir"};
    struct words words = {.into = into};
    into[0] = '\0';
    add_command(plan, words_of[plan->direction], &words);
    if (plan->direction != PLAN_TURNS)
        return;
    add(&words, " && ");
    add_command(plan, " -R", &words);
}
