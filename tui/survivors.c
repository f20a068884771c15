#include "survivors.h"

#include <stdio.h>

#include "screen/screen.h"
#include "view/story.h"
#include "widget/dialog.h"

unsigned survivors_pick(struct core *core, enum survivors policy)
{
    unsigned going = 0;
    for (unsigned i = 0; i < core_run_count(core); i++) {
        struct runner *runner = core_run(core, core_run_at(core, i));
        if (!runner || runner_is_over(runner))
            continue;
        bool is_replay = runner_record_state(runner) == RUNNER_NOT_ASKED;
        bool goes_on = policy == SURVIVORS_ALL ||
                       (policy == SURVIVORS_AUTO && story_goes_on(runner_model(runner)));
        if (goes_on && !is_replay)
            going++;
        else
            runner_stop(runner);
    }
    return going;
}

/* A run that has told its end only waits to be reaped and recorded: nothing is to be decided. */
static unsigned undecided_runs(const struct core *core)
{
    unsigned count = screen_live_runs(core);
    for (unsigned i = 0; i < core_run_count(core); i++) {
        const struct runner *runner = core_run(core, core_run_at(core, i));
        bool is_live =
            runner && !runner_is_over(runner) && runner_record_state(runner) != RUNNER_NOT_ASKED;
        count -= is_live && runner_model(runner)->has_end;
    }
    return count;
}

bool survivors_ask(const struct core *core, struct dialog *dialog)
{
    static const struct dialog_answer answers[] = {
        {'d', "d", "detach: leave, the runs go on and are recorded", SURVIVORS_ANSWER_DETACH},
        {'s', "s", "stop them and leave", SURVIVORS_ANSWER_STOP},
        {0, "esc", "stay", SURVIVORS_ANSWER_STAY},
        {0, NULL, NULL, 0},
    };
    unsigned live = undecided_runs(core);
    char question[80];
    if (live == 0)
        return false;
    (void)snprintf(question, sizeof question,
                   live == 1 ? "One run is alive." : "%u runs are alive.", live);
    dialog_ask(dialog, question, answers);
    return true;
}

bool survivors_ask_detach(const struct core *core, struct dialog *dialog)
{
    static const struct dialog_answer answers[] = {
        {'d', "d", "leave the terminal; \"iodyno watch\" shows a run again",
         SURVIVORS_ANSWER_DETACH},
        {0, "esc", "stay", SURVIVORS_ANSWER_STAY},
        {0, NULL, NULL, 0},
    };
    if (screen_live_runs(core) == 0)
        return false;
    dialog_ask(dialog, "The runs go on without this screen.", answers);
    return true;
}
