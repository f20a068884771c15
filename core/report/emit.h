/* emit: JSON text written piece by piece, without a tree: a run of a night has more intervals than
 * a small board has memory for nodes. Pure. */
#ifndef REPORT_EMIT_H
#define REPORT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

struct str;

#define EMIT_DEPTH 8

struct emit { /* start with {into, …} */
    struct str *into;
    bool is_tall; /* a line for each member and each element of its lists; else all in one line */
    unsigned depth;
    struct emit_level {
        char closing;
        bool has_items;
    } levels[EMIT_DEPTH];
};

void emit_open(struct emit *emit, const char *key,
               char bracket); /* '{' or '['; key NULL in a list */
void emit_close(struct emit *emit);
/* Text is cleaned of what is no UTF-8 and of control bytes other than \n, \r and \t; NULL: null. */
void emit_text(struct emit *emit, const char *key, const char *text);
void emit_number(struct emit *emit, const char *key, double value); /* not finite: null */
void emit_bool(struct emit *emit, const char *key, bool value);
void emit_null(struct emit *emit, const char *key);

struct number_text {
    char text[32];
};
/* The shortest text that reads back as the same number; whole numbers without a point. No locale.
 */
struct number_text number_text(double value);

#endif
