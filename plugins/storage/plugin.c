/* storage: the tables of this plugin. */
#include "job.h"
#include "meter.h"
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

static const char *const data_choices[] = {"zero", "random", NULL};

static const struct dyno_option *const write_options[] = {
    OPTION(.type = DYNO_CHOICE, .key = "method", .label = "Method", .def = "dd-fsync",
           .choices = write_method_names,
           .help = "How dd would do it: conv=fsync, conv=fdatasync, oflag=direct, both, or dd && "
                   "sync."),
    OPTION_BS,
    OPTION_COUNT,
    OPTION_SIZE,
    OPTION_DATA,
    OPTION(.type = DYNO_TEXT, .key = "file", .label = "File",
           .help = "Name of a file to create in the folder and to keep; without it the data is "
                   "removed."),
    NULL,
};

static const struct dyno_option *const read_options[] = {
    OPTION(.type = DYNO_CHOICE, .key = "method", .label = "Method", .def = "dd-direct",
           .choices = read_method_names,
           .help = "iflag=direct, cold (out of RAM first), or dd as often published: perhaps from "
                   "RAM."),
    OPTION_BS,
    OPTION_COUNT,
    OPTION_SIZE,
    OPTION_DATA,
    OPTION(.type = DYNO_TEXT, .key = "file", .label = "File",
           .help = "Name of a file in the folder to read; without it the test writes its own "
                   "first."),
    NULL,
};

/* Both tables follow the metric numbers of meter.h. */
#define METRICS_COMMON                                                                             \
    METRIC("device_written", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Written by the disk"),             \
        METRIC("device_read", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Read by the disk"),               \
        METRIC("requests", DYNO_COUNT, DYNO_DELTA, DYNO_NONE, "Disk requests"),                    \
        METRIC("rate", DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, "Rate"),                          \
        METRIC("transfer_time", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Time by dd's clock"),        \
        METRIC("real_time", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Real time, with open and sync")

static const struct dyno_metric *const write_metrics[] = {
    METRIC("written", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "Written by the test"),
    METRICS_COMMON,
    METRIC("sync_time", DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, "Time in fsync and sync"),
    NULL,
};

static const struct dyno_metric *const read_metrics[] = {
    METRIC("read", DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, "Read by the test"),
    METRICS_COMMON,
    METRIC("cached", DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, "Served from RAM"),
    METRIC("written", DYNO_BYTE, DYNO_DELTA, DYNO_NONE, "Written beforehand, not in the rate"),
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
    .flags = DYNO_EXCLUSIVE, /* what it writes first, room() tells: none with file= */
    .id = "storage.read",
    .title = "Sequential read",
    .summary = "Reads as dd does; tells what came from RAM.",
    .options = read_options,
    .metrics = read_metrics,
    .run = storage_read,
    .room = storage_read_room,
};

static const struct dyno_test *const tests[] = {&write_test, &read_test, NULL};

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
