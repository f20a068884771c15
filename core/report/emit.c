#include "report/emit.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

struct number_text number_text(double value)
{
    struct number_text out = {"null"};
    if (!isfinite(value))
        return out;
    if (value == floor(value) && fabs(value) <= WHOLE_MAX) {
        (void)snprintf(out.text, sizeof(out.text), "%lld", (long long)value);
        return out;
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out.text, sizeof(out.text), "%.*g", digits, value);
        if (strtod(out.text, NULL) == value)
            break;
    }
    if (plain) {
        (void)uselocale(before);
        freelocale(plain);
    }
    return out;
}

static void add_quoted(struct str *into, const char *text)
{
    static const char escaped[] = "\n\r\t\"\\", letters[] = "nrt\"\\";
    str_add(into, "\"");
    while (*text) {
        size_t size = strcspn(text, escaped);
        str_add_clean(into, text, size);
        text += size;
        const char *special = *text ? strchr(escaped, *text) : NULL;
        if (special) {
            str_addf(into, "\\%c", letters[special - escaped]);
            text++;
        }
    }
    str_add(into, "\"");
}

/* Members of the outermost object and elements of its lists stand in lines of their own. */
static void add_break(struct emit *emit, const struct emit_level *level)
{
    if (emit->is_tall && (emit->depth == 1 || (emit->depth == 2 && level->closing == ']')))
        str_addf(emit->into, "\n%*s", (int)emit->depth, "");
    else if (level->has_items)
        str_add(emit->into, " ");
}

static void begin_value(struct emit *emit, const char *key)
{
    if (!emit->depth)
        return;
    struct emit_level *level = &emit->levels[emit->depth - 1];
    if (level->has_items)
        str_add(emit->into, ",");
    add_break(emit, level);
    level->has_items = true;
    if (key) {
        add_quoted(emit->into, key);
        str_add(emit->into, ": ");
    }
}

void emit_open(struct emit *emit, const char *key, char bracket)
{
    assert(emit->depth < EMIT_DEPTH);
    begin_value(emit, key);
    emit->levels[emit->depth++] = (struct emit_level){bracket == '{' ? '}' : ']', false};
    str_addf(emit->into, "%c", bracket);
}

void emit_close(struct emit *emit)
{
    struct emit_level level = emit->levels[--emit->depth];
    if (emit->is_tall && level.has_items && !emit->depth)
        str_add(emit->into, "\n");
    str_addf(emit->into, "%c", level.closing);
}

static void emit_raw(struct emit *emit, const char *key, const char *text)
{
    begin_value(emit, key);
    str_add(emit->into, text);
}

void emit_text(struct emit *emit, const char *key, const char *text)
{
    if (!text) {
        emit_null(emit, key);
        return;
    }
    begin_value(emit, key);
    add_quoted(emit->into, text);
}

void emit_number(struct emit *emit, const char *key, double value)
{
    emit_raw(emit, key, number_text(value).text);
}

void emit_bool(struct emit *emit, const char *key, bool value)
{
    emit_raw(emit, key, value ? "true" : "false");
}

void emit_null(struct emit *emit, const char *key)
{
    emit_raw(emit, key, "null");
}
