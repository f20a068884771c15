/* row: answers of the worker where it is asked and not told to run: one row of pairs, sent on the
 * line. Waits a second at most. */
#ifndef WORKER_ROW_H
#define WORKER_ROW_H

struct str;

int row_send(const struct str *row); /* 0 or negative errno */

#endif
