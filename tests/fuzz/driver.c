/* driver: feeds a fuzz target a fixed sequence of mutated seeds where libFuzzer is absent.
 *   fuzz_NAME                  DEFAULT_ROUNDS rounds from round 0, at most LIMIT_NS
 *   fuzz_NAME ROUNDS [FIRST]   that many from there; round N is the same input every time
 *   fuzz_NAME FILE...          these inputs, as they are
 * When the target dies, the round is named, so that "fuzz_NAME 1 ROUND" shows it again. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "fuzz.h"

#define DEFAULT_ROUNDS 200000
#define LIMIT_NS (2 * NS_PER_S)
#define MUTATIONS_MAX 6

static uint64_t round_now;
static uint8_t input[FUZZ_INPUT_MAX], other[FUZZ_INPUT_MAX];

/* splitmix64: every round begins with its number, so it does not depend on the rounds before. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t bound)
{
    return bound ? (size_t)(next_random(state) % bound) : 0;
}

static void flip_bit(uint64_t *state, size_t *size)
{
    if (*size)
        input[below(state, *size)] ^= (uint8_t)(1u << below(state, 8));
}

static void set_byte(uint64_t *state, size_t *size)
{
    static const uint8_t BYTES[] = {0, 1, 7, 8, 9, 10, 0x20, 0x3d, 0x5b, 0x5d, 0x7f, 0x80, 0xff};

    if (*size)
        input[below(state, *size)] = BYTES[below(state, sizeof(BYTES))];
}

static void set_number(uint64_t *state, size_t *size)
{
    static const uint64_t NUMBERS[] = {0,
                                       1,
                                       8,
                                       63,
                                       64,
                                       65,
                                       255,
                                       256,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x7ff8,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7ff0000000000000,
                                       0x7ff8000000000000,
                                       UINT64_MAX,
                                       UINT64_MAX - 7};
    const size_t width = (size_t)1 << below(state, 4);
    const uint64_t number = NUMBERS[below(state, sizeof(NUMBERS) / sizeof(NUMBERS[0]))];

    if (*size >= width)
        memcpy(input + below(state, *size - width + 1) / width * width, &number, width);
}

static void cut(uint64_t *state, size_t *size)
{
    *size = below(state, *size + 1);
    if (below(state, 2)) /* frames look no further at sizes that are no multiple of 8 */
        *size &= ~(size_t)7;
}

static void repeat_part(uint64_t *state, size_t *size)
{
    const size_t from = below(state, *size), length = below(state, *size - from + 1);

    if (length == 0 || *size + length > sizeof(input))
        return;
    memmove(input + from + length, input + from, *size - from);
    *size += length;
}

static void remove_part(uint64_t *state, size_t *size)
{
    const size_t from = below(state, *size), length = below(state, (*size - from) / 8 + 1);

    memmove(input + from, input + from + length, *size - from - length);
    *size -= length;
}

static void add_other(uint64_t *state, size_t *size)
{
    const size_t more = fuzz_seed((unsigned)below(state, 8), other);

    if (more == 0 || *size + more > sizeof(input))
        return;
    memcpy(input + *size, other, more);
    *size += more;
}

static void (*const MUTATIONS[])(uint64_t *state, size_t *size) = {
    flip_bit, flip_bit, set_byte, set_number, cut, repeat_part, remove_part, add_other,
};

static void run_round(uint64_t number, unsigned seeds)
{
    uint64_t state = number;
    size_t size = seeds ? fuzz_seed((unsigned)below(&state, seeds), input) : 0;

    /* Some go in unchanged: a target that refuses everything would test nothing. */
    for (size_t i = below(&state, MUTATIONS_MAX + 1); i > 0; i--)
        MUTATIONS[below(&state, sizeof(MUTATIONS) / sizeof(MUTATIONS[0]))](&state, &size);
    (void)LLVMFuzzerTestOneInput(input, size);
}

static int run_file(const char *path)
{
    struct str text = {0};
    const int code = file_read(path, FUZZ_INPUT_MAX, &text);

    if (code == 0)
        (void)LLVMFuzzerTestOneInput((const uint8_t *)str_text(&text), text.size);
    else
        (void)fprintf(stderr, "cannot read %s\n", path);
    str_done(&text);
    return code < 0;
}

static void say_round(void)
{
    (void)fprintf(stderr, "round %llu\n", (unsigned long long)round_now);
}

static void on_abort(int signo)
{
    say_round();
    (void)signal(signo, SIG_DFL);
    (void)raise(signo);
}

extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

int main(int argc, char **argv)
{
    uint64_t rounds = DEFAULT_ROUNDS, first = 0, limit_ns = clock_mono_ns() + LIMIT_NS;
    unsigned seeds = 0;
    int failed = 0;

    if (argc > 1 && units_parse_u64(argv[1], &rounds) < 0) {
        for (int i = 1; i < argc; i++)
            failed |= run_file(argv[i]);
        return failed;
    }
    if (argc > 1)
        limit_ns = UINT64_MAX;
    if (argc > 2 && units_parse_u64(argv[2], &first) < 0)
        return 2;
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(say_round);
    (void)signal(SIGABRT, on_abort);
    while (fuzz_seed(seeds, input) > 0)
        seeds++;
    for (unsigned i = 0; i < seeds; i++)
        (void)LLVMFuzzerTestOneInput(input, fuzz_seed(i, input));
    for (round_now = first; round_now - first < rounds; round_now++) {
        run_round(round_now, seeds);
        if (round_now % 64 == 0 && clock_mono_ns() > limit_ns)
            break;
    }
    (void)printf("%u seeds, %llu rounds\n", seeds, (unsigned long long)(round_now - first));
    return 0;
}
