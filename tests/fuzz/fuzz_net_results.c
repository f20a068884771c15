/* Results of a peer are any bytes: no figure leaves its bounds, no id stands twice. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "network/results.h"

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    static const char *const seeds[] = {
        "{\"cpu_util_total\":1.2,\"cpu_util_user\":0.1,\"cpu_util_system\":1.1,"
        "\"sender_has_retransmits\":18446744073709551615,\"congestion_used\":\"bbr\",\"streams\":"
        "[{\"id\":1,\"bytes\":125000,\"retransmits\":18446744073709551615,\"jitter\":0,\"errors\":"
        "0,"
        "\"packets\":0,\"start_time\":0,\"end_time\":1.0004}]}",
        "{\"cpu_util_total\":1,\"cpu_util_user\":0,\"cpu_util_system\":1,"
        "\"sender_has_retransmits\":-1,\"streams\":[{\"id\":1,\"bytes\":1,\"retransmits\":-1,"
        "\"jitter\":1e-05,\"errors\":3,\"omitted_errors\":0,\"packets\":9,\"omitted_packets\":0},"
        "{\"id\":3,\"bytes\":1,\"retransmits\":-1,\"jitter\":1e-05,\"errors\":3,\"packets\":9}]}",
    };
    if (index >= sizeof seeds / sizeof seeds[0])
        return 0;
    memcpy(into, seeds[index], strlen(seeds[index]));
    return strlen(seeds[index]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct results results;
    const char *why = NULL;
    if (results_parse((const char *)bytes, size, &results, &why) < 0) {
        FUZZ_HOLDS(why);
        return 0;
    }
    FUZZ_HOLDS(results.count <= RESULTS_STREAMS_MAX);
    FUZZ_HOLDS(isfinite(results.cpu_total));
    FUZZ_HOLDS(results.sender_has_retransmits >= -1 && results.sender_has_retransmits <= 1);
    for (unsigned i = 0; i < results.count; i++) {
        const struct result_stream *stream = &results.streams[i];
        FUZZ_HOLDS(results_find(&results, stream->id) == stream);
        FUZZ_HOLDS(stream->retransmits >= -1 && stream->packets >= 0 && stream->lost >= 0);
        FUZZ_HOLDS(isfinite(stream->jitter_s) && stream->jitter_s >= 0 && stream->end_s >= 0);
    }
    char *text = results_text(&results);
    FUZZ_HOLDS(text);
    free(text);
    return 0;
}
