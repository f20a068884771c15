/* extent: how many rows and columns a terminal has. */
#ifndef TERMINAL_EXTENT_H
#define TERMINAL_EXTENT_H

#define EXTENT_ROWS_MAX 512
#define EXTENT_COLUMNS_MAX 1024
#define EXTENT_ASK_MS 300 /* a serial terminal has this long to answer */

/* What the kernel knows; 0, -ENODATA when it says 0x0 (a serial line), or another negative errno.
 */
int extent_read(int fd, int *ret_rows, int *ret_columns);
/* Asks the terminal itself where its last cell is, and tells the kernel. Waits at most
 * EXTENT_ASK_MS; -ETIMEDOUT when nothing sensible came. Raw mode while it lasts. */
int extent_ask(int fd_in, int fd_out);

#endif
