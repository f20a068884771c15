/* pages: keeps the running program in memory, so that a page of it lying on the disk under test
 * cannot stop it. */
#ifndef TUI_PAGES_H
#define TUI_PAGES_H

#define PAGES_MOST_BYTES (5ul << 20) /* so that what is resident stays below 6 MiB */

/* Locks what is mapped now when that is at most PAGES_MOST_BYTES, else the program's own and its
 * libraries' code and data as long as they fit. Not permitted is no error: nothing happens. */
void pages_lock(void);

#endif
