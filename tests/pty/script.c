#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"

#define SETTLE_MS 20 /* reads on this long after the end, for what is still on its way */

typedef int command_fn(struct judge *judge, const char *rest);

static int untrue(const struct judge *judge, const char *what, const char *text)
{
    (void)fprintf(stderr, "line %d: %s \"%s\"; the screen:\n", judge->line, what, text);
    emulator_print(judge->emulator, stderr);
    return 1;
}

static int bad(const struct judge *judge, const char *what)
{
    (void)fprintf(stderr, "line %d: %s\n", judge->line, what);
    return 2;
}

/* Cuts a number off the front; -EINVAL. */
static int take_number(const char **rest, double *ret_number)
{
    char word[32];
    size_t size = strcspn(*rest, " ");

    if (size == 0 || size >= sizeof(word))
        return -EINVAL;
    memcpy(word, *rest, size);
    word[size] = 0;
    *rest += size + strspn(*rest + size, " ");
    return units_parse_double(word, ret_number);
}

static int wait_text(struct judge *judge, const char *rest, bool wanted)
{
    double seconds;

    if (take_number(&rest, &seconds) < 0 || !*rest)
        return bad(judge, "expected seconds, then a text");
    long until = judge_now_ms() + (long)(seconds * 1000);
    while (emulator_shows(judge->emulator, rest) != wanted) {
        if (judge_now_ms() >= until)
            return untrue(judge, wanted ? "waited in vain for" : "waited in vain for the end of",
                          rest);
        if (judge->child.has_ended) {
            judge_pump_for(judge, SETTLE_MS);
            if (emulator_shows(judge->emulator, rest) != wanted)
                return untrue(judge, "the program ended before", rest);
        }
        (void)judge_pump(judge, -1, until - judge_now_ms());
    }
    return 0;
}

static int do_wait(struct judge *judge, const char *rest)
{
    return wait_text(judge, rest, true);
}

static int do_gone(struct judge *judge, const char *rest)
{
    return wait_text(judge, rest, false);
}

static int do_quiet(struct judge *judge, const char *rest)
{
    double ms, seconds;

    if (take_number(&rest, &ms) < 0 || take_number(&rest, &seconds) < 0)
        return bad(judge, "expected milliseconds, then seconds");
    long until = judge_now_ms() + (long)(seconds * 1000), since = judge_now_ms();
    for (;;) {
        long start = judge->last_byte_ms > since ? judge->last_byte_ms : since;
        long left = start + (long)ms - judge_now_ms();
        if (left <= 0)
            return 0;
        if (judge_now_ms() >= until)
            return untrue(judge, "it never was", "quiet");
        (void)judge_pump(judge, -1, left);
    }
}

static int do_run(struct judge *judge, const char *rest)
{
    double ms;

    if (take_number(&rest, &ms) < 0)
        return bad(judge, "expected milliseconds");
    judge_pump_for(judge, (long)ms);
    return 0;
}

static int do_expect(struct judge *judge, const char *rest)
{
    return emulator_shows(judge->emulator, rest) ? 0 : untrue(judge, "nothing shows", rest);
}

static int do_reject(struct judge *judge, const char *rest)
{
    return emulator_shows(judge->emulator, rest) ? untrue(judge, "something shows", rest) : 0;
}

static int hex_digit(char c)
{
    if (!isxdigit((unsigned char)c))
        return -1;
    return isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10;
}

static int do_send(struct judge *judge, const char *rest)
{
    static const char names[] = "ernt\\", values[] = "\033\r\n\t\\";
    AUTO(str_done) struct str text = {0};

    for (; *rest; rest++) {
        char c = *rest;
        if (c == '\\' && rest[1] == 'x' && hex_digit(rest[2]) >= 0 && hex_digit(rest[3]) >= 0) {
            c = (char)(hex_digit(rest[2]) << 4 | hex_digit(rest[3]));
            rest += 3;
        } else if (c == '\\') {
            const char *name = rest[1] ? strchr(names, rest[1]) : NULL;
            if (!name)
                return bad(judge, "expected \\e \\r \\n \\t \\\\ or \\xHH");
            c = values[name - names];
            rest++;
        }
        str_add_bytes(&text, &c, 1);
    }
    judge_type(judge, str_text(&text), text.size);
    return 0;
}

static int do_key(struct judge *judge, const char *rest)
{
    return emulator_key(judge->emulator, rest) < 0 ? bad(judge, "unknown key") : 0;
}

static int do_resize(struct judge *judge, const char *rest)
{
    double rows, columns;

    if (take_number(&rest, &rows) < 0 || take_number(&rest, &columns) < 0 || rows < 1 ||
        columns < 1 || rows > 1000 || columns > 1000)
        return bad(judge, "expected rows and columns");
    emulator_resize(judge->emulator, (int)rows, (int)columns);
    return child_resize(&judge->child, (int)rows, (int)columns) < 0 ? bad(judge, "cannot resize")
                                                                    : 0;
}

static int do_signal(struct judge *judge, const char *rest)
{
    return child_signal(&judge->child, rest) < 0 ? bad(judge, "cannot send such a signal") : 0;
}

static int do_hangup(struct judge *judge, const char *rest)
{
    (void)rest;
    child_hang_up(&judge->child);
    return 0;
}

static int do_exit(struct judge *judge, const char *rest)
{
    double seconds;

    if (take_number(&rest, &seconds) < 0)
        return bad(judge, "expected seconds");
    long until = judge_now_ms() + (long)(seconds * 1000);
    while (!judge->child.has_ended && judge_now_ms() < until)
        (void)judge_pump(judge, -1, until - judge_now_ms());
    if (!judge->child.has_ended)
        return untrue(judge, "waited in vain for", "exit");
    judge_pump_for(judge, SETTLE_MS);
    int status = judge->child.status;
    if (WIFSIGNALED(status))
        (void)printf("exit signal %s\n", child_signal_name(WTERMSIG(status)));
    else
        (void)printf("exit %d\n", WEXITSTATUS(status));
    return 0;
}

static int print_screen(struct judge *judge, const char *word, const char *name,
                        void print(const struct emulator *, FILE *))
{
    (void)printf("%s %s %dx%d\n", word, *name ? name : "-", emulator_rows(judge->emulator),
                 emulator_columns(judge->emulator));
    print(judge->emulator, stdout);
    (void)printf("end\n");
    return 0;
}

static int do_dump(struct judge *judge, const char *rest)
{
    return print_screen(judge, "dump", rest, emulator_print);
}

static int do_looks(struct judge *judge, const char *rest)
{
    return print_screen(judge, "looks", rest, emulator_print_looks);
}

static int do_bytes(struct judge *judge, const char *rest)
{
    (void)rest;
    (void)printf("bytes %zu\n", judge->bytes);
    judge->bytes = 0;
    return 0;
}

static int do_high(struct judge *judge, const char *rest)
{
    (void)rest;
    (void)printf("high %zu\n", judge->high_bytes);
    judge->high_bytes = 0;
    return 0;
}

static int do_clock(struct judge *judge, const char *rest)
{
    (void)rest;
    (void)printf("clock %ld\n", judge_now_ms() - judge->clock_ms);
    judge->clock_ms = judge_now_ms();
    return 0;
}

static int do_state(struct judge *judge, const char *rest)
{
    (void)rest;
    (void)printf("state ");
    emulator_print_modes(judge->emulator, stdout);
    (void)printf(" termios=%s\n", child_left_modes(&judge->child) ? "as-before" : "changed");
    return 0;
}

static int do_log(struct judge *judge, const char *rest)
{
    if (judge->log)
        (void)fclose(judge->log);
    judge->log = fopen(rest, "ae");
    return judge->log ? 0 : bad(judge, "cannot write that file");
}

static const struct {
    const char *name;
    command_fn *run;
} commands[] = {
    {"wait", do_wait},     {"gone", do_gone},     {"quiet", do_quiet},   {"run", do_run},
    {"expect", do_expect}, {"reject", do_reject}, {"send", do_send},     {"key", do_key},
    {"resize", do_resize}, {"signal", do_signal}, {"hangup", do_hangup}, {"exit", do_exit},
    {"dump", do_dump},     {"looks", do_looks},   {"bytes", do_bytes},   {"high", do_high},
    {"clock", do_clock},   {"state", do_state},   {"log", do_log},
};

int script_line(struct judge *judge, char *line)
{
    line[strcspn(line, "\n")] = 0;
    line += strspn(line, " ");
    size_t size = strcspn(line, " ");
    const char *rest = line + size + (line[size] == ' ');

    if (!*line || *line == '#')
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strlen(commands[i].name) == size && memcmp(commands[i].name, line, size) == 0) {
            int code = commands[i].run(judge, rest);
            (void)fflush(stdout);
            return code;
        }
    }
    return bad(judge, "unknown command");
}
