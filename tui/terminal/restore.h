/* restore: brings the terminal back when the program dies by a fault of its own (SEGV ABRT BUS FPE
 * ILL): a byte string made beforehand and the saved termios, both async-signal-safe, then the
 * signal's default action. One terminal per process. */
#ifndef TERMINAL_RESTORE_H
#define TERMINAL_RESTORE_H

#include <stddef.h>

#define RESTORE_MAX 512 /* bytes of the string */

int restore_save(int fd); /* saves termios; 0 or negative errno */
/* Installs the handlers (the first time) and takes the string; longer ones are cut to nothing. */
void restore_arm(const char *bytes, size_t size);
/* Gives the handlers back and sets the saved termios. */
void restore_disarm(void);

#endif
