#include "params.h"

#include "json.h"

#include <common/cleanup.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define BPS_MAX 1e13

struct number { /* a key whose value is a whole number; absent: 0 */
    const char *key;
    size_t offset;
    bool is_wide;   /* uint64_t */
    bool is_always; /* sent when 0 too */
    double min, max;
    const char *fault;
};

#define AT(member) .offset = offsetof(struct params, member)

static const struct number numbers[] = {
    {"omit", AT(omit_s), false, true, 0, PARAMS_OMIT_MAX_S, "omit is not 0 to 600 s"},
    {"time", AT(time_s), false, true, 0, PARAMS_TIME_MAX_S, "time is out of range"},
    {"num", AT(bytes), true, true, 0, 9e18, "num is out of range"},
    {"blockcount", AT(blocks), true, true, 0, 9e18, "blockcount is out of range"},
    {"parallel", AT(parallel), false, true, 1, PARAMS_PARALLEL_MAX, "parallel is not 1 to 128"},
    {"len", AT(len), false, false, 1, PARAMS_TCP_LEN_MAX, "len is out of range"},
    {"bandwidth", AT(bps), true, false, 0, BPS_MAX, "bandwidth is out of range"},
    {"burst", AT(burst), false, false, 0, 1000, "burst is not 1 to 1000"},
    {"fqrate", AT(fqrate_bps), true, false, 0, BPS_MAX, "fqrate is out of range"},
    {"pacing_timer", AT(pacing_timer_us), false, false, 0, 1e9, "pacing_timer is out of range"},
    {"window", AT(window), false, false, 0, PARAMS_WINDOW_MAX, "window is out of range"},
    {"MSS", AT(mss), false, false, 0, 65535, "MSS is out of range"},
    {"TOS", AT(tos), false, false, 0, 255, "TOS is not 0 to 255"},
    {"flowlabel", AT(flowlabel), false, false, 0, 0xfffff, "flowlabel is out of range"},
    {"get_server_output", AT(wants_server_output), false, false, 0, 1, "get_server_output"},
    {"udp_counters_64bit", AT(has_64bit_counters), false, false, 0, 1, "udp_counters_64bit"},
    {"repeating_payload", AT(has_repeating_payload), false, false, 0, 1, "repeating_payload"},
    {"zerocopy", AT(is_zerocopy), false, false, 0, 3, "zerocopy is out of range"},
    {"dont_fragment", AT(is_dont_fragment), false, false, 0, 1, "dont_fragment"},
    {"skip_rx_copy", AT(skips_rx_copy), false, false, 0, 1, "skip_rx_copy"},
    {"gso", AT(uses_gso), false, false, 0, 1, "gso"},
    {"gro", AT(uses_gro), false, false, 0, 1, "gro"},
};

static const struct {
    const char *key;
    size_t offset;
} flags[] = {
    {"reverse", offsetof(struct params, is_reverse)},
    {"bidirectional", offsetof(struct params, is_bidirectional)},
    {"nodelay", offsetof(struct params, is_nodelay)},
    {"mptcp", offsetof(struct params, wants_mptcp)},
};

static const struct {
    const char *key;
    size_t offset, size;
} words[] = {
    {"congestion", offsetof(struct params, congestion), sizeof((struct params *)0)->congestion},
    {"client_version", offsetof(struct params, client_version), PARAMS_WORD_MAX},
    {"title", offsetof(struct params, title), PARAMS_WORD_MAX},
    {"extra_data", offsetof(struct params, extra_data), PARAMS_WORD_MAX},
};

static void *member(struct params *params, size_t offset)
{
    return (char *)params + offset;
}

static const void *member_of(const struct params *params, size_t offset)
{
    return (const char *)params + offset;
}

static const char *take_numbers(const json_t *root, struct params *params)
{
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        const struct number *number = &numbers[i];
        double value;
        if (!json_get_number(root, number->key, &value))
            continue;
        if (value < number->min || value > number->max || value != floor(value))
            return number->fault;
        if (number->is_wide)
            *(uint64_t *)member(params, number->offset) = (uint64_t)value;
        else
            *(uint32_t *)member(params, number->offset) = (uint32_t)value;
    }
    return NULL;
}

/* What belongs together; sets the length that was left open. */
static const char *settle(struct params *params)
{
    if (params->is_reverse && params->is_bidirectional)
        return "it asks for reverse and bidirectional at once";
    if (params->parallel == 0)
        return "parallel is not 1 to 128";
    if (params->len == 0)
        params->len = params->is_udp ? PARAMS_UDP_LEN : PARAMS_TCP_LEN;
    if (params->is_udp && (params->len < PARAMS_UDP_LEN_MIN || params->len > PARAMS_UDP_LEN_MAX))
        return "len of UDP is not 16 to 65507";
    return NULL;
}

int params_parse(const char *text, size_t size, struct params *ret_params, const char **ret_why)
{
    struct params params = {.parallel = 1};
    double value;
    json_t *root = json_object_of(text, size, ret_why);
    if (!root)
        return -EBADMSG;
    const bool is_tcp = json_is_set(root, "tcp"), is_udp = json_is_set(root, "udp");
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
        *(bool *)member(&params, flags[i].offset) = json_is_set(root, flags[i].key);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        (void)json_get_text(root, words[i].key, member(&params, words[i].offset), words[i].size);
    if (json_get_number(root, "server_affinity", &value) && value >= 0 && value < 65536)
        params.server_affinity_plus_1 = (uint32_t)value + 1;
    params.has_authtoken = json_is_string(json_object_get(root, "authtoken"));
    params.is_udp = is_udp;
    const char *fault = take_numbers(root, &params);
    json_decref(root);
    if (!fault && is_tcp == is_udp)
        fault = is_tcp ? "it asks for TCP and UDP at once" : "it asks for neither TCP nor UDP";
    if (!fault)
        fault = settle(&params);
    if (fault) {
        *ret_why = fault;
        return -EBADMSG;
    }
    *ret_params = params;
    return 0;
}

char *params_text(const struct params *params)
{
    json_t *root = json_object();
    if (!root)
        return NULL;
    int error = json_object_set_new(root, params->is_udp ? "udp" : "tcp", json_true());
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        const struct number *number = &numbers[i];
        const void *at = member_of(params, number->offset);
        uint64_t value = number->is_wide ? *(const uint64_t *)at : *(const uint32_t *)at;
        if (value || number->is_always)
            error |= json_object_set_new(root, number->key, json_integer((json_int_t)value));
    }
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
        if (*(const bool *)member_of(params, flags[i].offset))
            error |= json_object_set_new(root, flags[i].key, json_true());
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const char *word = member_of(params, words[i].offset);
        if (word[0])
            error |= json_object_set_new(root, words[i].key, json_string(word));
    }
    if (params->server_affinity_plus_1)
        error |= json_object_set_new(root, "server_affinity",
                                     json_integer(params->server_affinity_plus_1 - 1));
    char *text = error ? NULL : json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return text;
}

unsigned params_streams(const struct params *params)
{
    return params->is_bidirectional ? 2 * params->parallel : params->parallel;
}
