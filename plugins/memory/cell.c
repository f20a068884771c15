#include "cell.h"

#include <errno.h>
#include <stdlib.h>

#define WRITE_WORD UINT64_C(0x0102030405060708) /* its low byte is what memset stores */

/* -EIO with events and the sentence once anything was wrong. */
static int judge(struct cell *cell)
{
    const struct setting *setting = cell->setting;
    char text[WRONG_TEXT];
    if (wrong_tell(cell->wrong, setting->host, setting->run) == 0)
        return 0;
    wrong_sentence(cell->wrong, text);
    setting->host->explain(setting->run, text);
    return -EIO;
}

static bool is_large(const struct cell *cell)
{
    return (uint64_t)cell->bytes * cell->crew->count >= CELL_LARGE;
}

static void say_phase(const struct cell *cell, const char *name)
{
    const struct setting *setting = cell->setting;
    if (name)
        setting->host->phase(setting->run, name);
}

/* What is not measured, but takes its time of large sets. */
static int do_aside(struct cell *cell, crew_duty *duty, struct sweep *sweep, const char *name)
{
    bool is_told = cell->name && is_large(cell);
    struct watch_view view = {.metric = cell->setting->taken, .is_silent = !is_told};
    struct watch_task task = {duty, sweep, 0};
    if (is_told)
        say_phase(cell, name);
    return watch_crew(cell->watch, cell->crew, &task, &view, 1);
}

/* A cancelled run's figures are proven too, but somebody waits. */
static int check(struct cell *cell, struct sweep *sweep, bool is_cancelled)
{
    sweep->is_hasty = is_cancelled;
    int checked = is_cancelled ? crew_do(cell->crew, sweep_check, sweep)
                               : do_aside(cell, sweep_check, sweep, "check");
    int judged = judge(cell);
    return judged < 0 ? judged : checked;
}

static int sweep(struct cell *cell, struct watch_view *view, uint64_t for_ns, bool flips_bit,
                 uint64_t *ret_switches)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return -ENOMEM;
    *sweep = (struct sweep){.kernel = cell->kernel,
                            .fn = cell->choice.fn,
                            .bytes = cell->bytes,
                            .word = WRITE_WORD,
                            .flips_bit = flips_bit,
                            .wrong = cell->wrong};
    int error = do_aside(cell, sweep_prepare, sweep, "prepare");
    if (error == 0) {
        struct watch_task task = {sweep_run, sweep, for_ns};
        if (is_large(cell))
            say_phase(cell, cell->name);
        error = watch_crew(cell->watch, cell->crew, &task, view, 1);
        if (ret_switches)
            *ret_switches = crew_switches(cell->crew);
        if (error == 0 || error == -ECANCELED) {
            int checked = check(cell, sweep, error == -ECANCELED);
            error = checked < 0 ? checked : error;
        }
    }
    free(sweep);
    return error;
}

int cell_try(struct cell *cell)
{
    struct isa_choice choices[ISA_CANDIDATES];
    unsigned count = isa_candidates(cell->kernel, cell->setting->isa, choices);
    double best = 0;
    struct isa_choice winner = choices[0];
    if (count == 0)
        return -EINVAL;
    struct cell trial = *cell;
    trial.name = NULL;
    trial.bytes = cell->bytes < CELL_TRIAL_BYTES ? cell->bytes : CELL_TRIAL_BYTES;
    for (unsigned i = 0; i < count && count > 1; i++) {
        struct watch_view view = {.is_silent = true};
        trial.choice = choices[i];
        int error = sweep(&trial, &view, CELL_TRIAL_NS, false, NULL);
        if (error < 0)
            return error;
        double rate = (double)view.bytes / (double)view.ns;
        if (rate > best) {
            best = rate;
            winner = choices[i];
        }
    }
    cell->choice = winner;
    return 0;
}

int cell_measure(struct cell *cell, uint64_t for_ns, struct cell_result *ret_result)
{
    struct spread spread = {0};
    struct watch_view view = {.metric = cell->metric, .lane = cell->lane, .spread = &spread};
    uint64_t switches = 0;
    if (!is_large(cell))
        say_phase(cell, cell->name);
    int error = sweep(cell, &view, for_ns, cell->flips_bit, &switches);
    *ret_result = (struct cell_result){.figures = spread_figures(&spread),
                                       .bytes = view.bytes,
                                       .ns = view.ns,
                                       .switches = switches};
    spread_done(&spread);
    return error;
}
