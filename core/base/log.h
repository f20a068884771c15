/* log: where the outermost layer of a program says what went wrong. Level and sink are the
 * program's. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_DEBUG = 1, LOG_INFO, LOG_WARNING, LOG_ERROR }; /* equal to enum dyno_level */

/* Lines below `level` are dropped; fd -1: all are. Default: stderr, LOG_WARNING. */
void log_open(int fd, enum log_level level, const char *program);
void log_say(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *log_level_name(unsigned level);

#endif
