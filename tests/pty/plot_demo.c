/* plot-demo: draws a run's screen from made-up data, for the eye, the goldens and the byte budget.
 *
 *   plot-demo sine|ramp|noisy|gap|fast|empty [--for=S] [--planned=S] [--tick=MS] [--live] [--one]
 *             [--glyphs=TIER] [--theme=FILE] [--cursor=N] [--ceiling=MB/s] [--crash]
 *
 * `--for` seconds of data stand at the start; --live adds a tick each 250 ms; --one leaves the
 * second series away; --crash makes the key C a fault. q ends it, any other key draws again. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "chart/columns.h"
#include "chart/gauge.h"
#include "chart/layout.h"
#include "chart/plot.h"
#include "chart/scale.h"
#include "iodyno/plugin.h"
#include "run/series.h"
#include "terminal/canvas.h"
#include "terminal/term.h"

#define NS_PER_SECOND 1000000000ull
#define LIVE_MS 250

typedef double shape_fn(double t, unsigned *noise);

struct demo {
    shape_fn *shape;
    double for_s, planned_s, cursor, ceiling, tick_ms;
    const char *glyphs, *theme;
    bool is_live, is_single, can_crash;
    unsigned noise;
    uint64_t now_ns;
    struct series *device, *application;
    struct scale scale;
};

static double random_share(unsigned *noise)
{
    *noise = *noise * 1664525u + 1013904223u;
    return (double)(*noise >> 8) / (1u << 24);
}

static double sine(double t, unsigned *noise)
{
    return 4.9e6 + 2.2e6 * sin(t / 3) + 0.3e6 * random_share(noise);
}

static double ramp(double t, unsigned *noise)
{
    (void)noise;
    return t * 1.5e6;
}

static double noisy(double t, unsigned *noise)
{
    return 60e6 + 9e6 * random_share(noise) - (fmod(t, 11) < 0.6 ? 45e6 : 0);
}

static double gap(double t, unsigned *noise)
{
    return fmod(t, 10) > 7 ? NAN : fmod(t, 10) > 5 ? 0 : sine(t, noise);
}

static double fast(double t, unsigned *noise)
{
    return 21e9 + 2e9 * random_share(noise) + 1e9 * sin(t);
}

static const struct {
    const char *name;
    shape_fn *shape;
} shapes[] = {{"sine", sine}, {"ramp", ramp}, {"noisy", noisy}, {"gap", gap}, {"fast", fast}};

static volatile sig_atomic_t is_resized;

static void on_resize(int number)
{
    (void)number;
    is_resized = 1;
}

static void add_tick(struct demo *demo)
{
    uint64_t tick_ns = (uint64_t)(demo->tick_ms * 1e6), end_ns = demo->now_ns + tick_ns;
    double t = (double)end_ns / 1e9;
    double rate = demo->shape ? demo->shape(t, &demo->noise) : NAN;

    if (!isnan(rate)) {
        (void)series_push(demo->device, demo->now_ns, end_ns, rate * (double)tick_ns / 1e9);
        double ahead = t < 8 ? rate * 1.3 : 0; /* the page cache fills, then the program waits */
        (void)series_push(demo->application, demo->now_ns, end_ns, ahead * (double)tick_ns / 1e9);
    }
    demo->now_ns = end_ns;
}

static double largest_of(const struct column *columns, int count)
{
    double largest = 0;

    for (int i = 0; i < count; i++)
        largest = columns[i].has_value && columns[i].mean > largest ? columns[i].mean : largest;
    return largest;
}

static void draw_plot(struct demo *demo, struct rect area)
{
    int count = plot_columns(area);
    uint64_t from_ns, to_ns;

    if (count <= 0)
        return;
    AUTO_FREE struct column *device = mem_new((size_t)count, sizeof(*device));
    AUTO_FREE struct column *application = mem_new((size_t)count, sizeof(*application));
    columns_window(0, demo->now_ns, (uint64_t)(demo->tick_ms * 1e6),
                   (uint64_t)(demo->planned_s * 1e9), (size_t)count, &from_ns, &to_ns);
    columns_make(demo->device, from_ns, to_ns, 1, (size_t)count, device);
    columns_make(demo->application, from_ns, to_ns, 1, (size_t)count, application);
    double span = (double)(to_ns - from_ns), write_end = fmin(8e9, (double)demo->now_ns);
    struct plot plot = {
        .unit = "MB/s",
        .unit_divisor = 1e6,
        .series = {{"device", device, ROLE_SERIES_1, true, 0},
                   {"application", application, ROLE_SERIES_2, false, 1}},
        .series_count = demo->is_single ? 1 : 2,
        .phases = {{"write", 0, write_end / span},
                   {"fsync", write_end / span, (double)demo->now_ns / span}},
        .phase_count = demo->now_ns > 8 * NS_PER_SECOND ? 2
                       : demo->now_ns                   ? 1
                                                        : 0,
        .ceiling = demo->ceiling * 1e6,
        .ceiling_label = "bus ceiling 104",
        .from_s = (double)from_ns / 1e9,
        .to_s = (double)to_ns / 1e9,
        .scale = &demo->scale,
        .cursor = (int)demo->cursor,
    };
    double largest =
        fmax(largest_of(device, count), demo->is_single ? 0 : largest_of(application, count));
    (void)scale_update(&demo->scale, largest / 1e6, demo->now_ns, plot_rows(area, &plot));
    plot_draw(area, &plot, term_glyphs());
}

static void draw(struct demo *demo)
{
    struct layout_run layout;
    struct rect area = canvas_area(), gauge;
    double share = demo->planned_s > 0 ? (double)demo->now_ns / 1e9 / demo->planned_s : 0.41;

    canvas_begin();
    layout_run(area.rows, area.columns, &layout);
    gauge = layout.progress;
    (void)canvas_text(0, 1, area.columns - 1, ROLE_ACCENT, "Write, dd conv=fsync");
    (void)canvas_text(0, 26, area.columns - 26, ROLE_TEXT, "TF card mmcblk1p1 · ext4 · SDR104");
    canvas_text_right(0, area.columns - 14, 13, ROLE_OK, "RUNNING");
    if (!rect_is_empty(layout.rule))
        canvas_rule(layout.rule.row, 0, area.columns);
    if (!rect_is_empty(layout.plot))
        draw_plot(demo, layout.plot);
    if (!rect_is_empty(layout.readout))
        (void)canvas_text(layout.readout.row, 1, area.columns - 1, ROLE_TEXT,
                          "device   4.9 MB/s    min 2.1    mean 4.8    p95 6.0    max 8.4");
    if (!rect_is_empty(gauge)) {
        gauge.column += 1;
        gauge.columns = gauge.columns > 42 ? 40 : gauge.columns - 12;
        gauge_draw(gauge, share, ROLE_SERIES_1, term_glyphs());
        (void)canvas_textf(gauge.row, gauge.columns + 3, 30, ROLE_TEXT, "%.0f %%", share * 100);
    }
    if (!rect_is_empty(layout.verdict))
        (void)canvas_text(layout.verdict.row, 1, area.columns - 1, ROLE_WARN,
                          "The disk is the limit: 4.8 of 104 MB/s (5 %).");
    if (!rect_is_empty(layout.footer))
        (void)canvas_text(layout.footer.row, 1, area.columns - 1, ROLE_DIM,
                          "esc back   x stop   ←→ read out   ? help   q quit");
    canvas_end();
}

static int parse(struct demo *demo, char **argv)
{
    const struct {
        const char *name;
        double *number;
        const char **text;
        bool *flag;
    } options[] = {
        {"--for=", &demo->for_s, NULL, NULL},       {"--planned=", &demo->planned_s, NULL, NULL},
        {"--tick=", &demo->tick_ms, NULL, NULL},    {"--cursor=", &demo->cursor, NULL, NULL},
        {"--ceiling=", &demo->ceiling, NULL, NULL}, {"--glyphs=", NULL, &demo->glyphs, NULL},
        {"--theme=", NULL, &demo->theme, NULL},     {"--live", NULL, NULL, &demo->is_live},
        {"--one", NULL, NULL, &demo->is_single},    {"--crash", NULL, NULL, &demo->can_crash},
    };

    for (size_t i = 0; argv[1] && i < ARRAY_SIZE(shapes); i++) {
        if (strcmp(shapes[i].name, argv[1]) == 0)
            demo->shape = shapes[i].shape;
    }
    for (char **argument = argv + 1; *argument && *++argument;) {
        size_t i = 0;
        while (i < ARRAY_SIZE(options) && !str_starts(*argument, options[i].name))
            i++;
        if (i == ARRAY_SIZE(options))
            return -EINVAL;
        const char *value = *argument + strlen(options[i].name);
        if (options[i].number && units_parse_double(value, options[i].number) < 0)
            return -EINVAL;
        if (options[i].text)
            *options[i].text = value;
        if (options[i].flag)
            *options[i].flag = true;
    }
    return 0;
}

static void run(struct demo *demo)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    for (;;) {
        draw(demo);
        int ready = poll(&input, 1, demo->is_live ? LIVE_MS : -1);
        if (is_resized) {
            is_resized = 0;
            term_resized();
        }
        if (ready > 0 && input.revents & (POLLHUP | POLLERR))
            return;
        for (int key = term_key(); key; key = term_key()) {
            if (key == 'q')
                return;
            if (key == 'C' && demo->can_crash)
                abort();
        }
        if (demo->is_live && ready == 0)
            add_tick(demo);
    }
}

int main(int argc, char **argv)
{
    struct demo demo = {.for_s = 42, .tick_ms = 250, .cursor = -1, .ceiling = 104, .noise = 1};
    struct sigaction action = {.sa_handler = on_resize};
    struct theme theme;
    char why[256];

    (void)argc;
    theme_plain(&theme);
    if (parse(&demo, argv) < 0 || (demo.theme && theme_read(demo.theme, &theme, NULL, NULL) < 0)) {
        (void)fprintf(stderr, "plot-demo: bad argument\n");
        return 2;
    }
    (void)sigaction(SIGWINCH, &action, NULL);
    struct term_plan plan = {.glyphs = demo.glyphs, .theme = &theme};
    if (term_open(&plan, why, sizeof(why)) < 0) {
        (void)fprintf(stderr, "plot-demo: %s\n", why);
        return 2;
    }
    demo.device = series_new(DYNO_DELTA);
    demo.application = series_new(DYNO_DELTA);
    while ((double)demo.now_ns < demo.for_s * 1e9 && demo.shape)
        add_tick(&demo);
    run(&demo);
    term_close();
    demo.device = series_free(demo.device);
    demo.application = series_free(demo.application);
    return 0;
}
