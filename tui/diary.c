#include "diary.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "view/story.h"

void diary_event(struct notes *notes, const struct core *core, unsigned run,
                 const struct frame *frame)
{
    const struct runner *runner = core_run(core, run);
    const struct model *model = runner ? runner_model(runner) : NULL;
    size_t at = 0;
    const char *code, *text;
    if (!model || runner_record_state(runner) == RUNNER_NOT_ASKED || /* a replay: it is long past */
        !frame_pair_next(frame, &at, &code, &text))
        return;
    notes_add(notes, clock_wall_ns(), ROLE_TEXT, "%s: %s",
              model->target_id ? model->target_id : code, text);
}

void diary_end(struct notes *notes, const struct core *core, unsigned run)
{
    const struct runner *runner = core_run(core, run);
    const struct model *model = runner ? runner_model(runner) : NULL;
    struct str title AUTO(str_done) = {0};
    enum theme_role role;
    double rate;
    if (!model)
        return;
    int metric = model_metric(model, "rate");
    const char *word = story_word(model, RUNNER_GOING, &role);
    story_title(model, &title);
    str_addf(&title, " on %s: %s", model->target_id ? model->target_id : "?", word);
    if (metric >= 0 && model_result(model, "rate", &rate) == 0)
        str_addf(&title, ", %s", units_value(rate, model->metrics[metric].about.unit).text);
    notes_add(notes, clock_wall_ns(), role, "%s", str_text(&title));
}

void diary_refused_plugins(struct notes *notes, const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->plugin_count; i++)
        if (catalog->plugins[i].refused)
            notes_add(notes, clock_wall_ns(), ROLE_WARN, "plugin %s is not used: %s",
                      catalog->plugins[i].path, catalog->plugins[i].refused);
}
