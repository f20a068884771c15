#include "screen/screen.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "terminal/canvas.h"
#include "view/page.h"

#define REPORT_NS NS_PER_S
#define TICK_MOST_NS (250 * NS_PER_MS)

struct outcome outcome_to(enum outcome_action action, enum screen_id screen, const char *format,
                          ...)
{
    struct outcome outcome = {.action = action, .screen = screen};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(outcome.argument, sizeof outcome.argument, format, args);
    va_end(args);
    return outcome;
}

struct outcome screen_start(struct screen_context *context, const char *test, const char *target,
                            bool is_confirmed, struct str *why)
{
    const char *const confirms[] = {is_confirmed ? target : NULL, NULL};
    unsigned run = 0;
    str_clear(why);
    if (!core_catalog_is_ready(context->core)) {
        str_add(why, "the tests are still being looked up; try again in a moment");
        return outcome_of(OUTCOME_STAY);
    }
    char **options = kept_options(context->kept, test, target);
    const struct order_wish wish = {
        .test = test,
        .target = target,
        .options = (const char *const *)options,
        .confirms = confirms,
        .report_ns = REPORT_NS,
        .tick_most_ns = TICK_MOST_NS,
        .is_recorded = true,
    };
    int refusal = core_start(context->core, &wish, &run, why);
    kept_options_free(options);
    if (refusal != 0) {
        if (why->size == 0)
            str_add(why, "the run could not be started");
        return outcome_of(OUTCOME_STAY);
    }
    return outcome_to(OUTCOME_OPEN, SCREEN_RUN, "%u", run);
}

unsigned screen_live_runs(const struct core *core)
{
    unsigned live = 0;
    for (unsigned i = 0; i < core_run_count(core); i++) {
        const struct runner *runner = core_run(core, core_run_at(core, i));
        live += runner && !runner_is_over(runner) &&
                runner_record_state(runner) != RUNNER_NOT_ASKED; /* a replay is no run */
    }
    return live;
}

void screen_note(const struct screen_context *context, struct rect row, const char *instead,
                 enum theme_role role)
{
    const struct note *note = notes_last(context->notes);
    if (rect_is_empty(row))
        return;
    if (instead && instead[0]) {
        page_line(row, role, instead);
        return;
    }
    if (!note)
        return;
    char clock[NOTES_CLOCK_MAX];
    int used = canvas_text(row.row, row.column + 1, row.columns - 2, ROLE_DIM,
                           notes_clock(note->wall_ns, clock));
    canvas_text(row.row, row.column + 3 + used, row.columns - 4 - used, note->role, note->text);
}
