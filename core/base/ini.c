#include "base/ini.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

#define SECTION_MAX 49 /* libinih silently cuts names at 50 with their NUL */

/* libinih splits the lines; this reader hands it only lines it takes as they were meant. */
struct ini_reading {
    const char *name, *at, *end; /* file's name; unread text */
    unsigned line, faults;
    bool is_skipping; /* within a refused section */
    bool is_awaiting; /* an entry was handed out and must come back to on_entry */
    struct str seen;  /* section names, NUL after each */
    ini_entry_fn entry;
    ini_fault_fn fault;
    void *user;
};

static void __attribute__((format(printf, 2, 3)))
ini_fault(struct ini_reading *reading, const char *format, ...)
{
    AUTO(str_done) struct str why = {0};
    AUTO(str_done) struct str sentence = {0};
    va_list args;

    reading->faults++;
    if (!reading->fault || reading->faults > INI_FAULTS_MAX)
        return;
    str_addf(&sentence, "%s:%u: ", reading->name, reading->line);
    va_start(args, format);
    if (reading->faults == INI_FAULTS_MAX)
        str_add(&why, "too many bad lines, further ones are not listed");
    else
        str_addv(&why, format, args);
    va_end(args);
    str_add_clean(&sentence, str_text(&why), why.size);
    reading->fault(reading->user, str_text(&sentence));
}

/* Takes the next line of the text without its end. */
static bool next_line(struct ini_reading *reading, const char **ret_line, size_t *ret_size)
{
    const char *line = reading->at, *newline;
    size_t size;

    if (line == reading->end)
        return false;
    newline = memchr(line, '\n', (size_t)(reading->end - line));
    reading->at = newline ? newline + 1 : reading->end;
    reading->line++;
    size = (size_t)((newline ? newline : reading->end) - line);
    if (size > 0 && line[size - 1] == '\r')
        size--;
    if (reading->line == 1 && size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3;
        size -= 3;
    }
    *ret_line = line;
    *ret_size = size;
    return true;
}

static bool is_seen(const struct ini_reading *reading, const char *section)
{
    const char *at = reading->seen.text, *end = at ? at + reading->seen.size : at;

    for (; at < end; at += strlen(at) + 1) {
        if (strcmp(at, section) == 0)
            return true;
    }
    return false;
}

/* Begins a section, or refuses it with all its lines. */
static bool accept_section(struct ini_reading *reading, const char *line)
{
    const char *close = strchr(line, ']');
    char section[INI_LINE_MAX + 1];
    size_t size;

    reading->is_skipping = true;
    if (!close) {
        ini_fault(reading, "expected ']' at the end of the section's name");
        return false;
    }
    size = (size_t)(close - line) - 1;
    if (size == 0 || size > SECTION_MAX) {
        ini_fault(reading, "expected a section name of 1 to %d bytes", SECTION_MAX);
        return false;
    }
    close += 1 + strspn(close + 1, " \t");
    if (*close != '\0' && *close != ';' && *close != '#') {
        ini_fault(reading, "expected nothing behind the section's name");
        return false;
    }
    memcpy(section, line + 1, size);
    section[size] = '\0';
    if (is_seen(reading, section)) {
        ini_fault(reading, "section [%s] stands here for the second time; this one is not used",
                  section);
        return false;
    }
    str_add_bytes(&reading->seen, section, size + 1);
    reading->is_skipping = false;
    return true;
}

/* Whether libinih may see this line. A line it must not see was reported. */
static bool accept_line(struct ini_reading *reading, const char *line)
{
    const char *text = line + strspn(line, " \t\v\f\r");

    if (*text == '\0' || *text == ';' || *text == '#')
        return false;
    if (text > line) {
        if (!reading->is_skipping)
            ini_fault(reading, "expected a line that begins in the first column");
        return false;
    }
    if (*line == '[')
        return accept_section(reading, line);
    if (reading->is_skipping)
        return false;
    reading->is_awaiting = true;
    return true;
}

static void check_awaited(struct ini_reading *reading)
{
    if (reading->is_awaiting)
        ini_fault(reading, "expected \"key = value\"");
    reading->is_awaiting = false;
}

/* Takes the line if it is plain text of a bearable length. */
static bool copy_line(struct ini_reading *reading, const char *line, size_t size, char *into)
{
    if (size > INI_LINE_MAX) {
        ini_fault(reading, "expected at most %d bytes in a line", INI_LINE_MAX);
        /* An over-long section name must not lend its lines to the section before. */
        if (line[0] == '[')
            reading->is_skipping = true;
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f) {
            ini_fault(reading, "expected text without control bytes");
            return false;
        }
    }
    memcpy(into, line, size);
    into[size] = '\0';
    return true;
}

/* The reader libinih calls: one line into `into`, NULL at the end. */
static char *on_read(char *into, int room, void *stream)
{
    struct ini_reading *reading = stream;
    char line[INI_LINE_MAX + 1];
    const char *text;
    size_t size;

    check_awaited(reading);
    while (next_line(reading, &text, &size)) {
        if (!copy_line(reading, text, size, line) || !accept_line(reading, line))
            continue;
        (void)snprintf(into, (size_t)room, "%s\n", line);
        return into;
    }
    return NULL;
}

static int on_entry(void *user, const char *section, const char *key, const char *value)
{
    struct ini_reading *reading = user;
    char why[512] = "";
    int code;

    reading->is_awaiting = false;
    if (*key == '\0') {
        ini_fault(reading, "expected \"key = value\"");
        return 1;
    }
    code = reading->entry(reading->user, section, key, value, why, sizeof(why));
    if (code < 0)
        ini_fault(reading, "%s%s%s", why[0] ? "" : key, why[0] ? "" : ": ",
                  why[0] ? why : err_text(code));
    return 1;
}

int ini_read_text(const char *name, const char *text, size_t size, ini_entry_fn entry,
                  ini_fault_fn fault, void *user)
{
    struct ini_reading reading = {
        .name = name, .at = text, .end = text + size, .entry = entry, .fault = fault, .user = user};
    int code;

    if (size > INI_FILE_MAX)
        return -EFBIG;
    code = ini_parse_stream(on_read, &reading, on_entry, &reading);
    check_awaited(&reading);
    str_done(&reading.seen);
    return code == -2 ? -ENOMEM : 0; /* positive: a line it could not split, reported above */
}

int ini_read(const char *path, ini_entry_fn entry, ini_fault_fn fault, void *user)
{
    AUTO(str_done) struct str text = {0};
    struct stat st;
    int code;

    if (stat(path, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode)) /* a pipe would make us wait */
        return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
    code = file_read(path, INI_FILE_MAX + 1, &text);
    if (code < 0)
        return code;
    return ini_read_text(path, str_text(&text), text.size, entry, fault, user);
}
