#include "tally.h"

struct tally_view tally_view(const struct tally *tally)
{
    return (struct tally_view){.bytes = tally_get(&tally->bytes),
                               .packets = tally_get(&tally->packets),
                               .lost = tally_get(&tally->lost),
                               .out_of_order = tally_get(&tally->out_of_order),
                               .jitter_ns = tally_get(&tally->jitter_ns)};
}

static uint64_t grown(uint64_t now, uint64_t base)
{
    return now > base ? now - base : 0;
}

struct tally_view tally_since(const struct tally_view *now, const struct tally_view *base)
{
    return (struct tally_view){.bytes = grown(now->bytes, base->bytes),
                               .packets = grown(now->packets, base->packets),
                               .lost = grown(now->lost, base->lost),
                               .out_of_order = grown(now->out_of_order, base->out_of_order),
                               .jitter_ns = now->jitter_ns};
}
