/* err: negative errno values turned into sentences for a person. Never blocks, never logs. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

/* Writes one sentence, "cannot WHAT SUBJECT: reason", into `into` (always NUL-ended) and returns
 * it. `code` is 0 or a negative errno; subject may be NULL. */
const char *err_explain(char *into, size_t size, int code, const char *what, const char *subject);

/* The text of a negative errno ("No space left on device"), never NULL, thread-safe. */
const char *err_text(int code);

/* Its name ("ENOSPC"), or "errno 4095". Thread-safe. */
const char *err_name(int code);

/* "Segmentation fault" of a signal number, NULL when it has no well-known text. */
const char *err_signal_text(int signo);

#endif
