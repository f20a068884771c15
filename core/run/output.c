#include "run/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define READS_MAX 64 /* in one go: the rest of the program gets its turn */

static void say_left_out(struct output *output, output_fn fn, void *user)
{
    if (output->left_out == 0)
        return;
    AUTO(str_done) struct str text = {0};
    str_addf(&text, "(%" PRIu64 " line%s of output left out)", output->left_out,
             output->left_out == 1 ? "" : "s");
    output->left_out = 0;
    fn(user, text.text);
}

static void say(struct output *output, output_fn fn, void *user)
{
    while (output->line.size > 0 && output->line.text[output->line.size - 1] == '\r')
        output->line.text[--output->line.size] = '\0';
    for (size_t i = 0; i < output->line.size; i++) {
        if (output->line.text[i] == '\t')
            output->line.text[i] = ' ';
    }
    AUTO(str_done) struct str clean = {0};
    str_add_clean(&clean, str_text(&output->line), output->line.size);
    str_clear(&output->line);
    if (clean.size > 0)
        fn(user, clean.text);
}

static void end_line(struct output *output, uint64_t now_ns, output_fn fn, void *user)
{
    if (now_ns - output->window_ns >= NS_PER_S) {
        output->window_ns = now_ns;
        output->in_window = 0;
    }
    if (output->in_window >= OUTPUT_LINES_A_SECOND) {
        output->left_out++;
        str_clear(&output->line);
        return;
    }
    output->in_window++;
    say_left_out(output, fn, user);
    say(output, fn, user);
}

static void split(struct output *output, uint64_t now_ns, const char *bytes, size_t size,
                  output_fn fn, void *user)
{
    while (size > 0) {
        if (*bytes == '\n') {
            end_line(output, now_ns, fn, user);
            bytes++;
            size--;
            continue;
        }
        if (output->line.size == OUTPUT_LINE_MAX)
            end_line(output, now_ns, fn, user);
        size_t room = OUTPUT_LINE_MAX - output->line.size;
        size_t most = size < room ? size : room;
        const char *end = memchr(bytes, '\n', most);
        size_t taken = end ? (size_t)(end - bytes) : most;
        str_add_bytes(&output->line, bytes, taken);
        bytes += taken;
        size -= taken;
    }
}

static uint64_t count_lines(const char *bytes, size_t size)
{
    uint64_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\n';
    return count ? count : 1;
}

void output_push(struct output *output, uint64_t now_ns, const char *bytes, size_t size,
                 output_fn fn, void *user)
{
    if (output->is_open)
        split(output, now_ns, bytes, size, fn, user);
    else if (output->held.size + size <= OUTPUT_HELD_MAX)
        str_add_bytes(&output->held, bytes, size);
    else
        output->left_out += count_lines(bytes, size);
}

void output_open(struct output *output, uint64_t now_ns, output_fn fn, void *user)
{
    output->is_open = true;
    split(output, now_ns, str_text(&output->held), output->held.size, fn, user);
    str_done(&output->held);
    output->held = (struct str){0};
}

bool output_read(struct output *output, uint64_t now_ns, int fd, output_fn fn, void *user)
{
    char bytes[4096];
    for (unsigned i = 0; i < READS_MAX; i++) {
        ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got < 0)
            return true;
        output_push(output, now_ns, bytes, (size_t)got, fn, user);
    }
    return true;
}

void output_finish(struct output *output, output_fn fn, void *user)
{
    if (!output->is_open)
        return;
    say_left_out(output, fn, user);
    say(output, fn, user);
}

void output_done(struct output *output)
{
    str_done(&output->line);
    str_done(&output->held);
}
