/* iodyno-screen: the screen. Started by iodyno, which watches over the terminal. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/places.h"
#include "base/str.h"
#include "base/units.h"
#include "terminal/glyph.h"

#define EXIT_USAGE 2

#define THEMES "default, light, mono, high-contrast, colour-blind, console, amber"

static const char help_text[] =
    "usage: iodyno [OPTION...]\n"
    "  --theme=NAME|FILE    " THEMES "\n"
    "  --glyphs=TIER        auto braille eighths halves shades ascii\n"
    "  --db=FILE            where runs are recorded\n"
    "  --sysroot=DIR        look at a recorded machine: DIR/sys and DIR/proc\n"
    "  --replay=RUN|FILE    show a stored run\n"
    "  --speed=X            of the replay, default 1; 0 as fast as it goes\n"
    "  --on-hangup=WHAT     auto stop detach: what runs do when the terminal goes away\n"
    "  --demo               offer the self-tests on the memory\n"
    "  --timing             say at the end how late the screen's timers came\n"
    "  --version  --help\n";

enum {
    OPTION_THEME = 1,
    OPTION_GLYPHS,
    OPTION_DB,
    OPTION_ROOT,
    OPTION_REPLAY,
    OPTION_SPEED,
    OPTION_HANGUP,
    OPTION_DEMO,
    OPTION_TIMING,
    OPTION_GUARD,
    OPTION_VERSION,
    OPTION_HELP
};

static const struct option long_options[] = {
    {"theme", required_argument, NULL, OPTION_THEME},
    {"glyphs", required_argument, NULL, OPTION_GLYPHS},
    {"db", required_argument, NULL, OPTION_DB},
    {"sysroot", required_argument, NULL, OPTION_ROOT},
    {"replay", required_argument, NULL, OPTION_REPLAY},
    {"speed", required_argument, NULL, OPTION_SPEED},
    {"on-hangup", required_argument, NULL, OPTION_HANGUP},
    {"demo", no_argument, NULL, OPTION_DEMO},
    {"timing", no_argument, NULL, OPTION_TIMING},
    {"guard", required_argument, NULL, OPTION_GUARD}, /* by iodyno: the pipe to it */
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static int take_hangup(const char *text, struct app_plan *plan)
{
    static const char *const names[] = {
        [SURVIVORS_AUTO] = "auto", [SURVIVORS_NONE] = "stop", [SURVIVORS_ALL] = "detach"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], text) == 0) {
            plan->on_hangup = (enum survivors)i;
            return 0;
        }
    log_say(LOG_ERROR, "--on-hangup: expected auto, stop or detach, got \"%s\"", text);
    return -EINVAL;
}

static int take_glyphs(const char *text, struct app_plan *plan)
{
    enum glyph_tier tier;
    plan->glyphs = text;
    if (strcmp(text, "auto") == 0 || glyph_tier_from_name(text, &tier) == 0)
        return 0;
    log_say(LOG_ERROR,
            "--glyphs: expected auto, braille, eighths, halves, shades or ascii, got \"%s\"", text);
    return -EINVAL;
}

static int take_speed(const char *text, struct app_plan *plan)
{
    double speed;
    plan->speed = text;
    if (units_parse_double(text, &speed) == 0 && speed >= 0)
        return 0;
    log_say(LOG_ERROR, "--speed: expected a number from 0, got \"%s\"", text);
    return -EINVAL;
}

static int take_guard(const char *text, struct app_plan *plan)
{
    uint64_t fd;
    if (units_parse_u64(text, &fd) < 0 || fd > 1024 || fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0) {
        log_say(LOG_ERROR, "--guard: there is no descriptor %s", text);
        return -EINVAL;
    }
    plan->guard_fd = (int)fd;
    return 0;
}

/* Words on stderr would be gone with the first drawing: the screen's event line shows the first. */
static void keep_fault(void *user, const char *sentence)
{
    struct str *notice = user;
    if (notice->size == 0)
        str_add(notice, sentence);
}

/* A name is looked for among the installed themes; the built-in one needs no file. */
static int take_theme(const char *text, struct theme *theme, struct str *notice)
{
    struct str path AUTO(str_done) = {0};
    char sentence[256];
    bool is_file = text && (strchr(text, '/') || str_ends(text, ".ini"));
    int code = 0;
    if (is_file) {
        str_add(&path, text);
    } else {
        struct str name AUTO(str_done) = {0};
        str_addf(&name, "themes/%s.ini", text ? text : "default");
        code = places_data(name.text, &path);
    }
    if (code == 0)
        code = theme_read(str_text(&path), theme, keep_fault, notice);
    if (code == 0 || !text)
        return 0;
    if (is_file)
        log_say(LOG_ERROR, "--theme: %s",
                err_explain(sentence, sizeof sentence, code, "read", text));
    else
        log_say(LOG_ERROR, "--theme: there is no theme \"%s\"; expected " THEMES " or a file",
                text);
    return code;
}

/* 0: go on; 1: leave with status 0; negative: a fault was said. */
static int take_option(int option, const char *value, struct app_plan *plan, const char **theme)
{
    switch (option) {
    case OPTION_THEME:
        *theme = value;
        return 0;
    case OPTION_GLYPHS:
        return take_glyphs(value, plan);
    case OPTION_DB:
        plan->database = value;
        return 0;
    case OPTION_ROOT:
        plan->root = value;
        return 0;
    case OPTION_REPLAY:
        plan->replay = value;
        return 0;
    case OPTION_SPEED:
        return take_speed(value, plan);
    case OPTION_HANGUP:
        return take_hangup(value, plan);
    case OPTION_DEMO:
        plan->is_demo = true;
        return 0;
    case OPTION_TIMING:
        plan->is_timed = true;
        return 0;
    case OPTION_GUARD:
        return take_guard(value, plan);
    case OPTION_VERSION:
        (void)fputs("iodyno-screen " IODYNO_VERSION "\n", stdout);
        return 1;
    case OPTION_HELP:
        (void)fputs(help_text, stdout);
        return 1;
    default: /* getopt has said what is wrong */
        log_say(LOG_ERROR, "`iodyno --help` and `iodyno COMMAND --help` tell what there is");
        return -EINVAL;
    }
}

int main(int argc, char **argv)
{
    struct theme theme;
    struct app_plan plan = {.glyphs = "auto", .theme = &theme, .speed = "1", .guard_fd = -1};
    const char *theme_name = NULL;
    int option;
    argv[0] = (char *)"iodyno"; /* what a person typed, for getopt's sentences */
    log_open(STDERR_FILENO, LOG_WARNING, "iodyno");
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        int taken = take_option(option, optarg, &plan, &theme_name);
        if (taken != 0)
            return taken > 0 ? 0 : EXIT_USAGE;
    }
    if (optind < argc) {
        log_say(LOG_ERROR, "the command comes first: iodyno %s OPTIONS", argv[optind]);
        return EXIT_USAGE;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        (void)fputs(help_text, stdout);
        return EXIT_USAGE;
    }
    struct str notice AUTO(str_done) = {0};
    theme_plain(&theme);
    if (take_theme(theme_name, &theme, &notice) < 0)
        return EXIT_USAGE;
    plan.notice = notice.text;
    tzset();
    struct str why AUTO(str_done) = {0};
    uint64_t worst_late_ns = 0;
    int code = app_run(&plan, &why, &worst_late_ns);
    if (why.size)
        log_say(LOG_ERROR, "%s", why.text);
    else if (plan.is_timed)
        (void)fprintf(stderr, "worst lateness of a timer: %.3f ms\n",
                      (double)worst_late_ns / (double)NS_PER_MS);
    return code;
}
