#include "base/log.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

static struct {
    int fd;
    enum log_level level;
    const char *program;
} sink = {STDERR_FILENO, LOG_WARNING, "iodyno"};

static const char *const LEVEL_NAMES[] = {"unknown", "debug", "info", "warning", "error"};

void log_open(int fd, enum log_level level, const char *program)
{
    sink.fd = fd;
    sink.level = level;
    if (program)
        sink.program = program;
}

const char *log_level_name(unsigned level)
{
    return LEVEL_NAMES[level < ARRAY_SIZE(LEVEL_NAMES) ? level : 0];
}

void log_say(enum log_level level, const char *format, ...)
{
    AUTO(str_done) struct str text = {0};
    AUTO(str_done) struct str line = {0};
    va_list args;

    if (sink.fd < 0 || level < sink.level)
        return;
    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    str_addf(&line, "%s: %s: ", sink.program, log_level_name(level));
    str_add_clean(&line, str_text(&text), text.size);
    str_add(&line, "\n");
    /* One write: lines of several processes on one terminal stay whole. Where the log itself
     * cannot be written there is nobody left to tell. */
    if (write(sink.fd, line.text, line.size) < 0)
        return;
}
