/* term_keys: the terminal's input as key codes (term_key in term.h). */
#ifndef TERMINAL_TERM_KEYS_H
#define TERMINAL_TERM_KEYS_H

#include <stdbool.h>

void term_keys_open(bool is_serial); /* after newterm */
void term_keys_open_lines(void);     /* on a terminal without a screen */
void term_keys_close(void);

#endif
