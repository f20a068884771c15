/* Parameters of a client are any bytes: what is taken lies within its bounds and reads back. */
#include <string.h>

#include "fuzz.h"
#include "network/params.h"

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    static const char *const seeds[] = {
        "{\"tcp\":true,\"omit\":0,\"time\":10,\"num\":0,\"blockcount\":0,\"parallel\":1,"
        "\"len\":131072,\"pacing_timer\":1000,\"client_version\":\"3.12\"}",
        "{\"udp\":true,\"omit\":1,\"time\":10,\"parallel\":3,\"bidirectional\":true,\"len\":1460,"
        "\"bandwidth\":1048576,\"udp_counters_64bit\":1,\"gso\":0,\"gro\":0}",
        "{\"tcp\":true,\"reverse\":true,\"nodelay\":true,\"MSS\":1400,\"window\":65536,\"TOS\":16,"
        "\"flowlabel\":7,\"congestion\":\"cubic\",\"title\":\"t\",\"extra_data\":\"e\"}",
    };
    if (index >= sizeof seeds / sizeof seeds[0])
        return 0;
    memcpy(into, seeds[index], strlen(seeds[index]));
    return strlen(seeds[index]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct params params, back;
    const char *why = NULL;
    int code = params_parse((const char *)bytes, size, &params, &why);
    FUZZ_HOLDS(code == 0 || (code < 0 && why));
    if (code < 0)
        return 0;
    FUZZ_HOLDS(params.parallel >= 1 && params.parallel <= PARAMS_PARALLEL_MAX);
    FUZZ_HOLDS(params.len >= 1 && params.len <= PARAMS_TCP_LEN_MAX);
    FUZZ_HOLDS(!params.is_udp || params.len <= PARAMS_UDP_LEN_MAX);
    FUZZ_HOLDS(params.omit_s <= PARAMS_OMIT_MAX_S && params.time_s <= PARAMS_TIME_MAX_S);
    FUZZ_HOLDS(params_streams(&params) <= 2 * PARAMS_PARALLEL_MAX);
    char *text = params_text(&params);
    FUZZ_HOLDS(text && params_parse(text, strlen(text), &back, &why) == 0);
    FUZZ_HOLDS(strcmp(params.congestion, back.congestion) == 0);
    FUZZ_HOLDS(params.bytes == back.bytes && params.bps == back.bps &&
               params.is_udp == back.is_udp && params.len == back.len);
    free(text);
    return 0;
}
