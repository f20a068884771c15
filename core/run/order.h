/* order: checks what a person asked for, by names and texts, and makes the order frame from it.
 * Pure but for the working folder, which makes a relative folder absolute, and the mount table; the
 * folder itself is looked at by the worker. */
#ifndef RUN_ORDER_H
#define RUN_ORDER_H

#include "catalog/catalog.h"
#include "device/board.h"
#include "device/inventory.h"

struct str;

struct order_wish {
    const char *test, *target;   /* device id or folder path */
    const char *const *options;  /* "key=text", NULL-ended; NULL: none */
    const char *const *expects;  /* NULL-ended; NULL: none */
    const char *const *confirms; /* ids of what a person agreed to, NULL-ended; NULL: none */
    const char *label;           /* NULL: none */
    uint64_t report_ns;          /* report interval */
    uint64_t tick_most_ns;       /* 1 s by command, 0.25 s on the screen */
    bool is_recorded;
};

/* Values are the exit codes of the commands. */
enum order_refusal { ORDER_OK = 0, ORDER_UNKNOWN = 2, ORDER_UNFIT = 3 };

#define ORDER_REPORT_MIN_NS (100ull * 1000000)     /* 0.1 s */
#define ORDER_REPORT_MAX_NS (3600ull * 1000000000) /* 1 h */
#define ORDER_LABEL_MAX 200                        /* bytes */
#define ORDER_EXPECTS_MAX 16

struct order_context {
    const struct catalog *catalog;
    const struct inventory *inventory;
    const struct board *board;
    const char *root; /* whose mount table tells on what device a folder lies; NULL: not asked */
};

/* ORDER_OK: *ret_order is filled, its pairs live in `pairs`. Else one sentence in `why`. */
enum order_refusal order_make(const struct order_context *context, const struct order_wish *wish,
                              struct str *pairs, struct frame *ret_order, struct str *why);

/* What to know before it is started ("12 h at up to 67.1 MB/s …: 186 drive writes"); nothing added
 * when there is nothing. */
void order_note(const struct order_context *context, const struct order_wish *wish,
                struct str *note);

/* What a person must agree to before it is started, by --confirm=ID or on the screen: one sentence,
 * or nothing added when there is nothing. */
void order_ask(const struct order_context *context, const struct order_wish *wish,
               struct str *question);

#endif
