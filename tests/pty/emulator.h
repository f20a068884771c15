/* emulator: what a terminal would show of the bytes a program wrote. */
#ifndef PTY_EMULATOR_H
#define PTY_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct emulator;

/* `reply` gets what the terminal answers and what its keys send. */
struct emulator *emulator_new(int rows, int columns,
                              void (*reply)(const char *bytes, size_t size, void *user),
                              void *user);
struct emulator *emulator_free(struct emulator *emulator);

void emulator_feed(struct emulator *emulator, const char *bytes, size_t size);
void emulator_resize(struct emulator *emulator, int rows, int columns);
int emulator_rows(const struct emulator *emulator);
int emulator_columns(const struct emulator *emulator);
/* A named key ("up", "enter", "ctrl-c", "f1") as this terminal sends it just now; -EINVAL. */
int emulator_key(struct emulator *emulator, const char *name);

/* One row without its trailing blanks; the caller frees. */
char *emulator_row(const struct emulator *emulator, int row);
bool emulator_shows(const struct emulator *emulator, const char *text); /* within one row */
void emulator_print(const struct emulator *emulator, FILE *out);
/* The same grid with a letter for each look, then the looks. */
void emulator_print_looks(const struct emulator *emulator, FILE *out);
/* "alternate=0 cursor=1 mouse=0" */
void emulator_print_modes(const struct emulator *emulator, FILE *out);

#endif
