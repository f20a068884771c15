/* storage: the tables of this plugin. */
#include "job.h"
#include "queue.h"
#include "tests.h"

#define OPTION(...) (&(const struct dyno_option){.size = sizeof(struct dyno_option), __VA_ARGS__})
#define METRIC(key_, unit_, kind_, better_, label_)                                                \
    (&(const struct dyno_metric){.size = sizeof(struct dyno_metric),                               \
                                 .unit = (unit_),                                                  \
                                 .kind = (kind_),                                                  \
                                 .better = (better_),                                              \
                                 .key = (key_),                                                    \
                                 .label = (label_)})

#define OPTION_BS                                                                                  \
    OPTION(.type = DYNO_SIZE, .key = "bs", .label = "Block size", .def = "1M", .min = JOB_BS_MIN,  \
           .max = JOB_BS_MAX, .help = "Bytes of one read or write call, as dd's bs.")
#define OPTION_COUNT                                                                               \
    OPTION(.type = DYNO_UINT, .key = "count", .label = "Blocks",                                   \
           .help = "Blocks to move, as dd's count; takes the place of size.")
#define OPTION_SIZE                                                                                \
    OPTION(.type = DYNO_SIZE, .key = "size", .label = "Size", .def = "500M", .min = 1,             \
           .max = INT64_MAX, .help = "Bytes to move in all.")
#define OPTION_DATA                                                                                \
    OPTION(.type = DYNO_CHOICE, .key = "data", .label = "Data", .def = "zero",                     \
           .choices = data_choices,                                                                \
           .help = "Zeros as dd writes them, or random bytes that no device can compress.")

#define OPTION_DEPTH(def_)                                                                         \
    OPTION(.type = DYNO_UINT, .key = "depth", .label = "Queue depth", .def = (def_), .min = 1,     \
           .max = QUEUE_DEPTH_MAX, .help = "Requests in flight at a time, with a queue.")
#define OPTION_ENGINE(choices_)                                                                    \
    OPTION(.type = DYNO_CHOICE, .key = "engine", .label = "Engine", .def = "auto",                 \
           .choices = (choices_),                                                                  \
           .help = "What keeps a queue filled; auto: io_uring where it works, else threads.")
#define OPTION_TIME(def_, help_)                                                                   \
    OPTION(.type = DYNO_TIME, .key = "time", .label = "Time", .def = (def_), .min = 10000000ull,   \
           .max = 86400000000000ull, .help = (help_))
#define OPTION_AREA(def_)                                                                          \
    OPTION(.type = DYNO_SIZE, .key = "size", .label = "File size", .def = (def_), .min = 1u << 20, \
           .max = INT64_MAX,                                                                       \
           .help = "Bytes of the test's own file, written first, in which the requests go.")

static const char *const data_choices[] = {"zero", "random", NULL};
static const char *const mode_choices[] = {"read", "write", "mix", NULL};
static const char *const table_engines[] = {"auto", "io_uring", "threads", NULL};

static const struct dyno_option *const write_options[] = {
    OPTION(.type = DYNO_CHOICE, .key = "method", .label = "Method", .def = "dd-fsync",
           .choices = write_method_names,
           .help = "How dd would do it: conv=fsync, conv=fdatasync, oflag=direct, both, or dd && "
                   "sync; or with a queue."),
    OPTION_BS,
    OPTION_COUNT,
    OPTION_SIZE,
    OPTION_DATA,
    OPTION(.type = DYNO_TEXT, .key = "file", .label = "File",
           .help = "Name of a file to create in the folder and to keep; without it the data is "
                   "removed."),
    OPTION_DEPTH("32"),
    OPTION_ENGINE(engine_choices),
    OPTION_TIME(NULL, "Ends a queue early; without it the size does."),
    NULL,
};

static const struct dyno_option *const read_options[] = {
    OPTION(.type = DYNO_CHOICE, .key = "method", .label = "Method", .def = "dd-direct",
           .choices = read_method_names,
           .help = "iflag=direct, cold (out of RAM first), dd as often published: perhaps from "
                   "RAM; or with a queue."),
    OPTION_BS,
    OPTION_COUNT,
    OPTION_SIZE,
    OPTION_DATA,
    OPTION(.type = DYNO_TEXT, .key = "file", .label = "File",
           .help = "Name of a file in the folder to read; without it the test writes its own "
                   "first."),
    OPTION_DEPTH("32"),
    OPTION_ENGINE(engine_choices),
    OPTION_TIME(NULL, "Ends a queue early; without it the size does."),
    OPTION(.type = DYNO_BOOL, .key = "raw", .label = "Raw device",
           .help = "Reads the whole device instead of a file; without a word: when nothing of it "
                   "is mounted."),
    NULL,
};

static const struct dyno_option *const random_options[] = {
    OPTION(.type = DYNO_CHOICE, .key = "mode", .label = "Mode", .def = "read",
           .choices = mode_choices, .help = "What the requests do."),
    OPTION(.type = DYNO_SIZE, .key = "bs", .label = "Block size", .def = "4K", .min = JOB_BS_MIN,
           .max = JOB_BS_MAX, .help = "Bytes of one request."),
    OPTION_DEPTH("1"),
    OPTION_AREA("256M"),
    OPTION_TIME("10", "How long the requests go on."),
    OPTION_ENGINE(engine_choices),
    OPTION(.type = DYNO_UINT, .key = "reads", .label = "Reads", .def = "70", .min = 1, .max = 99,
           .help = "Percent of reads with mode=mix."),
    NULL,
};

static const struct dyno_option *const table_options[] = {
    OPTION_AREA("256M"),
    OPTION(.type = DYNO_TIME, .key = "time", .label = "Time of a cell", .def = "5",
           .min = 10000000ull, .max = 5000000000ull, .help = "How long each cell is measured."),
    OPTION_ENGINE(table_engines),
    NULL,
};

static const struct dyno_option *const verify_options[] = {
    OPTION(.type = DYNO_SIZE, .key = "size", .label = "Size", .min = 1u << 20, .max = INT64_MAX,
           .help = "Bytes to write and read back; without it a share of the free room."),
    OPTION(.type = DYNO_UINT, .key = "share", .label = "Share", .def = "50", .min = 1, .max = 100,
           .help = "Percent of the free room to take; a reserve is always kept."),
    OPTION(.type = DYNO_BOOL, .key = "resume", .label = "Resume", .def = "no",
           .help = "Goes on with what a verify that was broken off left in the folder, in the size "
                   "it had; without it such files are removed."),
    NULL,
};

/* All tables follow the metric numbers of meter.h. */
#define METRICS_COMMON(moved_key, moved_label)                                                     \
    METRIC((moved_key), DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, (moved_label)),                        \
        METRIC("device_written", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Written by the disk"),         \
        METRIC("device_read", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Read by the disk"),               \
        METRIC("requests", DYNO_COUNT, DYNO_DELTA, DYNO_NONE, "Requests"),                         \
        METRIC("rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, "Rate"),                          \
        METRIC("transfer_time", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Time by dd's clock"),        \
        METRIC("real_time", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Real time, with open and sync"), \
        METRIC("stalls_count", DYNO_COUNT, DYNO_TOTAL, DYNO_ZERO, "Requests above 0.5 s"),         \
        METRIC("latency_max", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Slowest request"),             \
        METRIC("iops", DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, "Requests a second"),                  \
        METRIC("latency_p50", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Half the requests within"),    \
        METRIC("latency_p95", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "95 % within"),                 \
        METRIC("latency_p99", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "99 % within"),                 \
        METRIC("latency_p999", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "99.9 % within"),              \
        METRIC("sync_time", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Time in fsync and sync"),        \
        METRIC("cached", DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, "Served from RAM"),                    \
        METRIC("cpu_share", DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, "CPU taken, of one core"),          \
        METRIC("kernel_share", DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, "Busiest core in the kernel")
#define METRIC_OTHER(better_, label_) METRIC("written", DYNO_BYTE, DYNO_DELTA, (better_), (label_))
#define METRIC_CELL(key_, label_) METRIC((key_), DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, (label_))
#define METRIC_CELL_IOPS(key_, label_) METRIC((key_), DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, (label_))

static const struct dyno_metric *const write_metrics[] = {
    METRICS_COMMON("written", "Written by the test"),
    METRIC("prepared", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Written beforehand, not in the rate"),
    NULL,
};

static const struct dyno_metric *const read_metrics[] = {
    METRICS_COMMON("read", "Read by the test"),
    METRIC_OTHER(DYNO_NONE, "Written beforehand, not in the rate"),
    NULL,
};

static const struct dyno_metric *const random_metrics[] = {
    METRICS_COMMON("read", "Read by the test"),
    METRIC_OTHER(DYNO_HIGHER, "Written by the test"),
    NULL,
};

static const struct dyno_metric *const table_metrics[] = {
    METRICS_COMMON("read", "Read by the test"),
    METRIC_OTHER(DYNO_HIGHER, "Written by the test"),
    METRIC_CELL("seq1m_q8_read", "SEQ1M Q8 read"),
    METRIC_CELL("seq1m_q1_read", "SEQ1M Q1 read"),
    METRIC_CELL("rnd4k_q32_read", "RND4K Q32 read"),
    METRIC_CELL("rnd4k_q1_read", "RND4K Q1 read"),
    METRIC_CELL("seq1m_q8_write", "SEQ1M Q8 write"),
    METRIC_CELL("seq1m_q1_write", "SEQ1M Q1 write"),
    METRIC_CELL("rnd4k_q32_write", "RND4K Q32 write"),
    METRIC_CELL("rnd4k_q1_write", "RND4K Q1 write"),
    METRIC_CELL_IOPS("rnd4k_q32_read_iops", "RND4K Q32 read IOPS"),
    METRIC_CELL_IOPS("rnd4k_q1_read_iops", "RND4K Q1 read IOPS"),
    METRIC_CELL_IOPS("rnd4k_q32_write_iops", "RND4K Q32 write IOPS"),
    METRIC_CELL_IOPS("rnd4k_q1_write_iops", "RND4K Q1 write IOPS"),
    NULL,
};

static const struct dyno_metric *const verify_metrics[] = {
    METRICS_COMMON("read", "Read back"),
    METRIC_OTHER(DYNO_HIGHER, "Written by the test"),
    METRIC("verified", DYNO_BYTE, DYNO_TOTAL, DYNO_HIGHER, "Came back as written"),
    METRIC("wrong_sectors", DYNO_COUNT, DYNO_TOTAL, DYNO_ZERO, "Sectors that came back wrong"),
    METRIC("first_wrong", DYNO_BYTE, DYNO_TOTAL, DYNO_NONE, "First wrong byte of the data"),
    METRIC("write_rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, "Write rate"),
    METRIC("remaining", DYNO_BYTE, DYNO_TOTAL, DYNO_LOWER, "Not compared yet"),
    NULL,
};

static const struct dyno_test write_test = {
    .size = sizeof write_test,
    .targets = DYNO_BLOCK | DYNO_FOLDER,
    .flags = DYNO_WRITES | DYNO_EXCLUSIVE,
    .id = "storage.write",
    .title = "Sequential write",
    .summary = "Writes as dd does; shows what the disk did.",
    .options = write_options,
    .metrics = write_metrics,
    .run = storage_write,
    .room = storage_write_room,
};

static const struct dyno_test read_test = {
    .size = sizeof read_test,
    .targets = DYNO_BLOCK | DYNO_FOLDER,
    .flags = DYNO_EXCLUSIVE, /* what it writes first, room() tells: none with file= or raw */
    .id = "storage.read",
    .title = "Sequential read",
    .summary = "Reads as dd does; tells what came from RAM.",
    .options = read_options,
    .metrics = read_metrics,
    .run = storage_read,
    .room = storage_read_room,
};

static const struct dyno_test random_test = {
    .size = sizeof random_test,
    .targets = DYNO_BLOCK | DYNO_FOLDER,
    .flags = DYNO_WRITES | DYNO_EXCLUSIVE,
    .id = "storage.random",
    .title = "Random requests",
    .summary = "Small requests all over a file: their IOPS.",
    .options = random_options,
    .metrics = random_metrics,
    .run = storage_random,
    .room = storage_size_room,
};

static const struct dyno_test table_test = {
    .size = sizeof table_test,
    .targets = DYNO_BLOCK | DYNO_FOLDER,
    .flags = DYNO_WRITES | DYNO_EXCLUSIVE,
    .id = "storage.table",
    .title = "Benchmark table",
    .summary = "Sequential and random, queued and single.",
    .options = table_options,
    .metrics = table_metrics,
    .run = storage_table,
    .room = storage_size_room,
};

static const struct dyno_test verify_test = {
    .size = sizeof verify_test,
    .targets = DYNO_BLOCK | DYNO_FOLDER,
    .flags = DYNO_WRITES | DYNO_EXCLUSIVE,
    .id = "storage.verify",
    .title = "Verify",
    .summary = "Fills free room and reads it back, compared.",
    .options = verify_options,
    .metrics = verify_metrics,
    .run = storage_verify,
    .room = storage_verify_room,
};

static const struct dyno_test *const tests[] = {&write_test, &read_test,   &random_test,
                                                &table_test, &verify_test, NULL};

DYNO_EXPORT const struct dyno_plugin dyno_plugin = {
    .magic = DYNO_MAGIC,
    .abi_major = DYNO_ABI_MAJOR,
    .abi_minor = DYNO_ABI_MINOR,
    .size = sizeof dyno_plugin,
    .id = "storage",
    .title = "Storage",
    .version = IODYNO_VERSION,
    .license = "MIT",
    .tests = tests,
};
