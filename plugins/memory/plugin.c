/* memory: the tables of this plugin. */
#include "bandwidth.h"
#include "latency.h"
#include "stairs.h"
#include "verify.h"

#define OPTION(...) (&(const struct dyno_option){.size = sizeof(struct dyno_option), __VA_ARGS__})
#define METRIC(key_, unit_, kind_, better_, label_)                                                \
    (&(const struct dyno_metric){.size = sizeof(struct dyno_metric),                               \
                                 .unit = (unit_),                                                  \
                                 .kind = (kind_),                                                  \
                                 .better = (better_),                                              \
                                 .key = (key_),                                                    \
                                 .label = (label_)})
#define RATE(key_, label_) METRIC((key_), DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, (label_))
#define TIME(key_, label_) METRIC((key_), DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, (label_))
#define COUNT(key_, better_, label_) METRIC((key_), DYNO_COUNT, DYNO_TOTAL, (better_), (label_))
#define RATIO(key_, label_) METRIC((key_), DYNO_RATIO, DYNO_TOTAL, DYNO_HIGHER, (label_))
#define BYTES(key_, label_) METRIC((key_), DYNO_BYTE, DYNO_TOTAL, DYNO_NONE, (label_))

#define TAKEN METRIC("taken", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Memory taken")

#define DAYS_30_NS 2592000000000000ull

static const char *const kernel_choices[] = {"all",    "read",    "write", "write-nt",
                                             "copy",   "copy-nt", "triad", "memset",
                                             "memcpy", "zva",     NULL};
static const char *const method_choices[] = {"full", "bw_mem", NULL};
static const char *const isa_choices[] = {"auto", "base", "sse2",     "avx2", "avx512",
                                          "neon", "sve",  "portable", NULL};
static const char *const governor_choices[] = {"keep", "performance", NULL};
static const char *const page_choices[] = {"huge", "base", NULL};

#define OPTION_SIZE                                                                                \
    OPTION(.type = DYNO_SIZE, .key = "size", .label = "Set", .min = 4096, .max = INT64_MAX,        \
           .help = "Bytes of all buffers of all threads together; without it 8 times the "         \
                   "last-level cache, 512M at most.")
#define OPTION_THREADS(help_)                                                                      \
    OPTION(.type = DYNO_UINT, .key = "threads", .label = "Threads", .min = 1, .max = 256,          \
           .help = (help_))
#define OPTION_CPUS                                                                                \
    OPTION(.type = DYNO_TEXT, .key = "cpus", .label = "CPUs", .def = "all",                        \
           .help = "all, big, little, or a list such as 0,2-3; only those this process may use.")
#define OPTION_ISA                                                                                 \
    OPTION(.type = DYNO_CHOICE, .key = "isa", .label = "Instructions", .def = "auto",              \
           .choices = isa_choices, .help = "auto: the quickest this CPU has; base: the oldest.")
#define OPTION_PAGES                                                                               \
    OPTION(.type = DYNO_CHOICE, .key = "pages", .label = "Pages", .def = "huge",                   \
           .choices = page_choices,                                                                \
           .help = "huge: asks for transparent huge pages; the result tells what was given.")
/* Carried out by the host. */
#define OPTION_GOVERNOR                                                                            \
    OPTION(.type = DYNO_CHOICE, .key = "governor", .label = "CPU governor", .def = "keep",         \
           .choices = governor_choices,                                                            \
           .help = "performance: held for this run (root), then put back.")
#define OPTION_TIME(def_, min_, max_, help_)                                                       \
    OPTION(.type = DYNO_TIME, .key = "time", .label = "Time", .def = (def_), .min = (min_),        \
           .max = (max_), .help = (help_))
#define OPTION_FLIP                                                                                \
    OPTION(.type = DYNO_BOOL, .key = "flip", .label = "Flip a bit", .def = "yes",                  \
           .help = "Spoils one bit on purpose: the test must find it and fail.")
#define HOUR_NS 3600000000000ull
#define MS_NS 1000000ull

#define BANDWIDTH_OPTIONS                                                                          \
    OPTION(.type = DYNO_CHOICE, .key = "kernel", .label = "Kernel", .def = "all",                  \
           .choices = kernel_choices, .help = "What is done with the memory."),                    \
        OPTION(.type = DYNO_CHOICE, .key = "method", .label = "Method", .def = "full",             \
               .choices = method_choices,                                                          \
               .help = "full: whole lines; bw_mem: the published operations at 8k, 128k, 50m."),   \
        OPTION_SIZE, OPTION_THREADS("Without it one on the biggest core, then one on each CPU."),  \
        OPTION_CPUS, OPTION_ISA, OPTION_PAGES, OPTION_GOVERNOR,                                    \
        OPTION(.type = DYNO_TEXT, .key = "dram-peak", .label = "Peak of the DRAM",                 \
               .help = "MB/s such as 3200, or a bus such as ddr4-1600x16."),                       \
        OPTION_TIME("10", 100 * MS_NS, HOUR_NS,                                                    \
                    "All kernels together; of a single one what is measured.")

static const struct dyno_option *const bandwidth_options[] = {BANDWIDTH_OPTIONS, NULL};
static const struct dyno_option *const bandwidth_flip_options[] = {BANDWIDTH_OPTIONS, OPTION_FLIP,
                                                                   NULL};

static const struct dyno_option *const stairs_options[] = {
    OPTION_SIZE,  OPTION_CPUS,     OPTION_ISA,
    OPTION_PAGES, OPTION_GOVERNOR, OPTION_TIME("5", 100 * MS_NS, HOUR_NS, "All sizes together."),
    NULL};

#define LATENCY_OPTIONS                                                                            \
    OPTION_SIZE, OPTION_THREADS("The chase and its load; without it one on each CPU."),            \
        OPTION_CPUS, OPTION_ISA, OPTION_PAGES, OPTION_GOVERNOR,                                    \
        OPTION(.type = DYNO_BOOL, .key = "loaded", .label = "Under load", .def = "yes",            \
               .help = "Then one chain while the other CPUs read, in steps."),                     \
        OPTION_TIME("5", 100 * MS_NS, HOUR_NS, "All steps together.")

static const struct dyno_option *const latency_options[] = {LATENCY_OPTIONS, NULL};
static const struct dyno_option *const latency_flip_options[] = {LATENCY_OPTIONS, OPTION_FLIP,
                                                                 NULL};

#define VERIFY_OPTIONS                                                                             \
    OPTION(.type = DYNO_UINT, .key = "share", .label = "Share", .def = "50", .min = 1, .max = 100, \
           .help = "Percent of what may be taken; a reserve is always left alone."),               \
        OPTION(.type = DYNO_SIZE, .key = "size", .label = "Size", .min = 4096, .max = INT64_MAX,   \
               .help = "Bytes to test instead of a share."),                                       \
        OPTION_THREADS("Without it one on each CPU."), OPTION_CPUS, OPTION_PAGES, OPTION_GOVERNOR, \
        OPTION_TIME("5m", 0, DAYS_30_NS, "How long; 0: until it is stopped.")

static const struct dyno_option *const verify_options[] = {VERIFY_OPTIONS, NULL};
static const struct dyno_option *const verify_flip_options[] = {VERIFY_OPTIONS, OPTION_FLIP, NULL};

#define COLUMN(prefix, words)                                                                      \
    RATE(prefix "_rate", "Median, " words), RATE(prefix "_p5", "5 % below, " words),               \
        RATE(prefix "_p95", "95 % below, " words), RATE(prefix "_best", "Best, " words),           \
        RATE(prefix "_mean", "Mean, " words),                                                      \
        COUNT(prefix "_samples", DYNO_NONE, "Samples, " words),                                    \
        COUNT(prefix "_switches", DYNO_NONE, "Switched away, " words)

/* In the order of bandwidth.h. */
static const struct dyno_metric *const bandwidth_metrics[] = {
    METRIC("moved", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Moved by the kernel"),
    METRIC("published", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Moved, published convention"),
    RATE("rate", "Read"),
    RATE("rate_write", "Write, ordinary"),
    RATE("rate_write_nt", "Write, around the caches"),
    RATE("rate_copy", "Copy, read + written"),
    RATE("rate_triad", "Triad, read + written"),
    RATE("rate_p5", "5 % of the samples below"),
    RATE("rate_p95", "95 % of the samples below"),
    RATE("rate_best", "Best sample"),
    COUNT("samples", DYNO_NONE, "Samples"),
    COUNT("switches", DYNO_NONE, "Involuntary switches"),
    RATIO("peak_share", "Read, share of the peak"),
    RATIO("peak_share_write", "Write, share of the peak"),
    METRIC("peak", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_NONE, "Peak of the DRAM"),
    RATE("published_rd", "rd, published convention"),
    RATE("published_wr", "wr, published convention"),
    COLUMN("one", "one thread"),
    COLUMN("all", "all threads"),
    TAKEN,
    NULL,
};

static const struct dyno_metric *const stairs_metrics[] = {
    METRIC("moved", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Read"),
    METRIC("latency_now", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "One load"),
    RATE("rate", "Read, largest set"),
    TIME("latency", "Latency, largest set"),
    BYTES("stair_size", "Set"),
    RATE("stair_rate", "Read"),
    TIME("stair_latency", "Latency"),
    BYTES("edge", "Edge, measured"),
    BYTES("edge_reported", "Cache, reported"),
    TAKEN,
    NULL,
};

static const struct dyno_metric *const latency_metrics[] = {
    METRIC("moved", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Read"),
    METRIC("latency_now", DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, "One load"),
    TIME("latency", "Latency, one chain"),
    TIME("chain_latency", "Time of a load, by chains"),
    TIME("loaded_latency", "Latency under load"),
    METRIC("loaded_rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_NONE, "Load"),
    TAKEN,
    NULL,
};

static const struct dyno_metric *const verify_metrics[] = {
    METRIC("moved", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Written, read, copied"),
    RATE("rate", "Written, read, copied"),
    METRIC("errors", DYNO_COUNT, DYNO_GAUGE, DYNO_ZERO, "Wrong words"),
    METRIC("passes", DYNO_COUNT, DYNO_GAUGE, DYNO_NONE, "Patterns gone through"),
    BYTES("size", "Memory tested"),
    METRIC("drift", DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, "Last tenth against the first"),
    COUNT("switches", DYNO_NONE, "Involuntary switches"),
    TAKEN,
    NULL,
};

_Static_assert(sizeof bandwidth_metrics / sizeof bandwidth_metrics[0] == BANDWIDTH_METRICS + 1,
               "bandwidth.h numbers them");
_Static_assert(sizeof stairs_metrics / sizeof stairs_metrics[0] == STAIRS_METRICS + 1,
               "stairs.h numbers them");
_Static_assert(sizeof latency_metrics / sizeof latency_metrics[0] == LATENCY_METRICS + 1,
               "latency.h numbers them");
_Static_assert(sizeof verify_metrics / sizeof verify_metrics[0] == VERIFY_METRICS + 1,
               "verify.h numbers them");

#define TEST(name_, id_, flags_, title_, summary_, options_, metrics_, run_)                       \
    static const struct dyno_test name_ = {.size = sizeof name_,                                   \
                                           .targets = DYNO_MEM,                                    \
                                           .flags = (flags_),                                      \
                                           .id = (id_),                                            \
                                           .title = (title_),                                      \
                                           .summary = (summary_),                                  \
                                           .options = (options_),                                  \
                                           .metrics = (metrics_),                                  \
                                           .run = (run_)}

TEST(bandwidth_test, "memory.bandwidth", 0, "Memory bandwidth",
     "Read, write, copy: by one core, then by all.", bandwidth_options, bandwidth_metrics,
     memory_bandwidth);
TEST(stairs_test, "memory.stairs", 0, "Cache stairs", "Rate and latency from 4 KiB to the DRAM.",
     stairs_options, stairs_metrics, memory_stairs);
TEST(latency_test, "memory.latency", 0, "Memory latency", "Scattered loads, alone and under load.",
     latency_options, latency_metrics, memory_latency);
TEST(verify_test, "memory.verify", 0, "Memory verify", "Patterns on all cores: is it stable?",
     verify_options, verify_metrics, memory_verify);

/* The same tests with a bit spoilt on purpose: proof that none of them would pass over it. */
TEST(bandwidth_flip_test, "memory.bandwidth-flip", DYNO_HIDDEN, "Memory bandwidth, bit flipped",
     "Must find the bit it flips, and fail.", bandwidth_flip_options, bandwidth_metrics,
     memory_bandwidth);
TEST(latency_flip_test, "memory.latency-flip", DYNO_HIDDEN, "Memory latency, bit flipped",
     "Must find the bit it flips, and fail.", latency_flip_options, latency_metrics,
     memory_latency);
TEST(verify_flip_test, "memory.verify-flip", DYNO_HIDDEN, "Memory verify, bit flipped",
     "Must find the bit it flips, and fail.", verify_flip_options, verify_metrics, memory_verify);

static const struct dyno_test *const tests[] = {
    &bandwidth_test,      &stairs_test,       &latency_test,     &verify_test,
    &bandwidth_flip_test, &latency_flip_test, &verify_flip_test, NULL};

DYNO_EXPORT const struct dyno_plugin dyno_plugin = {
    .magic = DYNO_MAGIC,
    .abi_major = DYNO_ABI_MAJOR,
    .abi_minor = DYNO_ABI_MINOR,
    .size = sizeof dyno_plugin,
    .id = "memory",
    .title = "Memory",
    .version = IODYNO_VERSION,
    .license = "MIT",
    .tests = tests,
};
