#include "run/expect.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"

#define EXPECT_MAX 200   /* bytes of text */
#define EQUAL_SHARE 1e-9 /* two values this close, as a share of the larger, are equal */

static const struct {
    const char *sign;
    enum expect_operator op;
} signs[] = {
    /* the longer ones first */
    {"<=", EXPECT_AT_MOST}, {">=", EXPECT_AT_LEAST}, {"==", EXPECT_EQUAL},
    {"<", EXPECT_LESS},     {">", EXPECT_MORE},      {"=", EXPECT_EQUAL},
};

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static int find_metric(const char *key, const struct frame_metric *metrics, size_t count,
                       unsigned *ret_metric)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_key(metrics[i].key, key)) {
            *ret_metric = (unsigned)i;
            return 0;
        }
    }
    return -EINVAL;
}

static int find_sign(const char *text, enum expect_operator *ret_op, size_t *ret_size)
{
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
        if (str_starts(text, signs[i].sign)) {
            *ret_op = signs[i].op;
            *ret_size = strlen(signs[i].sign);
            return 0;
        }
    }
    return -EINVAL;
}

static void complain_metric(const char *text, const char *key, const struct frame_metric *metrics,
                            size_t count, struct str *why)
{
    str_add(why, "expectation \"");
    str_add_clean(why, text, strlen(text));
    str_add(why, "\": this test has no result \"");
    str_add_clean(why, key, strlen(key));
    str_add(why, "\"");
    for (size_t i = 0; i < count; i++)
        str_addf(why, "%s%s", i ? ", " : "; it has ", metrics[i].key);
}

static int complain(const char *text, const char *expected, struct str *why)
{
    str_add(why, "expectation \"");
    str_add_clean(why, text, strnlen(text, EXPECT_MAX));
    str_addf(why, "\": expected %s, as in \"rate >= 60MB/s\"", expected);
    return -EINVAL;
}

int expect_parse(const char *text, const struct frame_metric *metrics, size_t count,
                 struct expect *ret_expect, struct str *why)
{
    if (strlen(text) > EXPECT_MAX)
        return complain(text, "at most 200 bytes", why);
    const char *key = skip_blanks(text), *end = key;
    while (isalnum((unsigned char)*end) || *end == '_' || *end == '-')
        end++;
    if (end == key)
        return complain(text, "the name of a result", why);
    AUTO_FREE char *name = mem_copy_text(key);
    name[end - key] = '\0';

    struct expect expect = {0};
    size_t size;
    end = skip_blanks(end);
    if (find_sign(end, &expect.op, &size) < 0)
        return complain(text, "one of < <= = >= > after the name", why);
    if (find_metric(name, metrics, count, &expect.metric) < 0) {
        complain_metric(text, name, metrics, count, why);
        return -EINVAL;
    }
    unsigned unit = metrics[expect.metric].unit;
    if (units_parse_value(skip_blanks(end + size), unit, &expect.value) < 0) {
        AUTO(str_done) struct str expected = {0};
        str_addf(&expected, "a number in %s", units_symbol(unit));
        return complain(text, str_text(&expected), why);
    }
    expect.text = mem_copy_text(text);
    *ret_expect = expect;
    return 0;
}

void expect_done(struct expect *expect)
{
    free(expect->text);
    *expect = (struct expect){0};
}

bool expect_holds(const struct expect *expect, double value)
{
    double limit = expect->value;
    bool is_equal = fabs(value - limit) <= EQUAL_SHARE * fmax(fabs(value), fabs(limit));
    switch (expect->op) {
    case EXPECT_LESS:
        return value < limit && !is_equal;
    case EXPECT_AT_MOST:
        return value < limit || is_equal;
    case EXPECT_EQUAL:
        return is_equal;
    case EXPECT_AT_LEAST:
        return value > limit || is_equal;
    case EXPECT_MORE:
        return value > limit && !is_equal;
    }
    return false;
}
