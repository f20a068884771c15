/* expect: conditions a person puts on results: "rate >= 60MB/s". Pure. */
#ifndef RUN_EXPECT_H
#define RUN_EXPECT_H

#include <stdbool.h>

#include "catalog/catalog.h"

struct str;

enum expect_operator { EXPECT_LESS, EXPECT_AT_MOST, EXPECT_EQUAL, EXPECT_AT_LEAST, EXPECT_MORE };

struct expect {
    char *text;
    unsigned metric; /* number within the run's metrics table */
    enum expect_operator op;
    double value; /* base unit of the metric */
};

/* Metrics: `count` entries of the table the run has. 0, or -EINVAL with a sentence. */
int expect_parse(const char *text, const struct frame_metric *metrics, size_t count,
                 struct expect *ret_expect, struct str *why);
void expect_done(struct expect *expect);
bool expect_holds(const struct expect *expect, double value);

#endif
