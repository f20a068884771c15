/* plugin: the contract between iodyno and a plugin of test kinds.
 *
 * A plugin is a shared object that exports one symbol, `dyno_plugin`. It is loaded only by
 * iodyno-worker, in a process of its own, once per run. Standard headers only; C99 and C++11 clean.
 *
 * Ownership: every table and string a plugin exports must stay valid while it is loaded. Every
 * string and pointer the host hands out is valid until run() returns and must not be freed.
 * Units: times are nanoseconds of CLOCK_MONOTONIC, sizes bytes, rates bit/s.
 * Errors: functions return 0 or a negative errno unless they say otherwise.
 */
#ifndef IODYNO_PLUGIN_H
#define IODYNO_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYNO_MAGIC 0x4f4e5944u /* "DYNO" in little-endian memory */
#define DYNO_ABI_MAJOR 1
#define DYNO_ABI_MINOR 2

#define DYNO_LANE_MAX 255    /* lanes are 0..255: stream, thread, port or client */
#define DYNO_LANE_ALL 0xffff /* the whole test: headline results stand here, samples never */

enum dyno_option_type {
    DYNO_BOOL = 1, /* 0 or 1 */
    DYNO_UINT,     /* plain number */
    DYNO_SIZE,     /* bytes, dd's suffixes: K M G 1024, kB MB GB 1000 */
    DYNO_RATE,     /* bit/s, K M G are 1000 */
    DYNO_TIME,     /* nanoseconds; typed as 10, 10s, 500ms, 5m, 12h */
    DYNO_CHOICE,   /* index into choices */
    DYNO_TEXT,
    DYNO_ADDRESS,
    DYNO_PATH,
    DYNO_DEVICE
};

enum dyno_target_kind { DYNO_BLOCK = 1, DYNO_FOLDER = 2, DYNO_MEM = 4, DYNO_NET = 8 }; /* mask */

enum dyno_test_flag {
    DYNO_WRITES = 1,      /* writes to the target */
    DYNO_ROOT = 2,        /* needs root */
    DYNO_EXCLUSIVE = 4,   /* one such run per leaf device at a time */
    DYNO_ENDLESS = 8,     /* runs until cancelled */
    DYNO_NEEDS_PEER = 16, /* needs a second machine or port */
    DYNO_HIDDEN = 32      /* left out of menus (self-tests) */
};

enum dyno_unit {
    DYNO_BYTE = 1,
    DYNO_BIT,
    DYNO_SECOND,
    DYNO_COUNT,
    DYNO_RATIO,
    DYNO_HERTZ,
    DYNO_CELSIUS,
    DYNO_BYTE_PER_S, /* results and gauges only: a live rate is always DELTA / time */
    DYNO_BIT_PER_S,
    DYNO_PER_S
};

enum dyno_kind {
    DYNO_DELTA = 1, /* an amount within [t0, t1] */
    DYNO_GAUGE,     /* a state at t1 */
    DYNO_TOTAL      /* one value of the run, sent with result() */
};

enum dyno_better { DYNO_HIGHER = 1, DYNO_LOWER, DYNO_ZERO, DYNO_NONE };

enum dyno_level { DYNO_DEBUG = 1, DYNO_INFO, DYNO_WARNING, DYNO_ERROR };

struct dyno_host;
struct dyno_run; /* opaque: one run, handed back to each host function */

/* Every struct starts with its own size; a host reads members beyond it as 0. */
struct dyno_option {
    uint32_t size, type;
    const char *key;            /* lower case, '-' between words */
    const char *label;          /* form label */
    const char *help;           /* one sentence */
    const char *def;            /* default as typed; NULL: unset (reads as 0 and "") */
    uint64_t min, max;          /* inclusive, in the option's base unit; both 0: no range */
    const char *const *choices; /* DYNO_CHOICE: NULL-ended */
};

struct dyno_metric {
    uint32_t size, unit, kind, better;
    const char *key, *label;
};

struct dyno_test {
    uint32_t size, targets, flags;
    const char *id, *title, *summary;         /* id = "plugin.kind" */
    const struct dyno_option *const *options; /* NULL-ended */
    const struct dyno_metric *const *metrics; /* NULL-ended; index = metric number */
    int (*run)(const struct dyno_host *, struct dyno_run *);
    /* Bytes this run will place into the target folder, from its options; called before run().
     * The host's guard refuses the run when they do not fit. NULL: nothing is placed. */
    uint64_t (*room)(const struct dyno_host *, struct dyno_run *);
};

struct dyno_plugin {
    uint32_t magic;
    uint16_t abi_major, abi_minor; /* major must be equal, minor may differ */
    uint32_t size;
    const char *id, *title, *version, *license;
    const struct dyno_test *const *tests; /* NULL-ended */
};

#if defined(__GNUC__)
#define DYNO_EXPORT __attribute__((visibility("default")))
#else
#define DYNO_EXPORT
#endif

extern DYNO_EXPORT const struct dyno_plugin dyno_plugin; /* the one symbol */

/* What the guard allows this run to touch. A plugin never chooses what to overwrite. */
struct dyno_target {
    uint32_t size, kind;     /* one of enum dyno_target_kind */
    const char *id;          /* device id of `iodyno list`, or the folder's path */
    const char *path;        /* folder the run may use, absolute; the node's with raw_fd; "" for
                                memory */
    int scratch_dirfd;       /* open folder for the run's files, -1: none */
    uint64_t free_bytes;     /* room a file may take: reserve already deducted */
    uint64_t max_file_bytes; /* largest single file of this filesystem; 0: no limit known */
    uint32_t logical_block;  /* bytes; 512 when unknown */
    uint32_t has_tmpfile;    /* filesystem accepts O_TMPFILE */
    const char *const
        *leaf_stat;         /* sysfs `stat` files of the leaf disks, NULL-ended; may be empty */
    const char *filesystem; /* "ext4"; "" when none */
    const char *ifname, *peer_ifname;
    /* The whole block device, opened O_RDONLY | O_DIRECT, or -1. Only for tests without DYNO_WRITES
     * that have an option `raw`; there is no scratch folder then. Check `size` before reading it.
     */
    int raw_fd;
    /* What the bus of this target can carry at most, in bytes per second, and who says so. */
    double ceiling_bps;         /* 0: unknown */
    const char *ceiling_source; /* "" when unknown */
};

/* What run() may call. All functions may be called from any thread of the plugin. */
struct dyno_host {
    uint32_t size;
    const struct dyno_target *(*target)(struct dyno_run *);
    /* Numbers of the parsed options: base unit, CHOICE: index, BOOL: 0/1, unset or unknown: 0. */
    uint64_t (*opt_u64)(struct dyno_run *, const char *key);
    /* The option as typed (or its default); "" when unset or unknown. Never NULL. */
    const char *(*opt_str)(struct dyno_run *, const char *key);
    uint64_t (*interval_ns)(struct dyno_run *); /* the tick: one sample per metric, lane and tick */
    uint64_t (*now_ns)(struct dyno_run *);      /* CLOCK_MONOTONIC */
    int (*cancelled)(struct dyno_run *);        /* look at it once a second or more often */
    int (*cancel_fd)(struct dyno_run *);        /* readable once cancelled */
    void (*phase)(struct dyno_run *, const char *name);                 /* a phase begins now */
    void (*progress)(struct dyno_run *, uint64_t done, uint64_t total); /* never blocks */
    /* Never blocks and never loses an amount: what the line cannot take is added to the lane's next
     * sample. Requires t1 > t0, t0 >= the lane's last t1, a finite value. */
    void (*sample)(struct dyno_run *, unsigned metric, unsigned lane, uint64_t t0_ns,
                   uint64_t t1_ns, double value);
    void (*result)(struct dyno_run *, unsigned metric, unsigned lane, double value); /* may block */
    void (*fact)(struct dyno_run *, const char *key,
                 const char *text); /* text <= 1 KiB; may block */
    void (*event)(struct dyno_run *, const char *code, const char *text); /* <= 4 KiB; may block */
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    void (*log)(struct dyno_run *, int level, const char *format, ...);
    /* The sentence that ends the run when run() returns an error; else the errno's text is used.
     * Explained before the first phase, sample or result, the run counts as refused, not failed
     * (but for EIO and ENOMEM). */
    void (*explain)(struct dyno_run *, const char *sentence);
};

#ifdef __cplusplus
}
#endif
#endif
