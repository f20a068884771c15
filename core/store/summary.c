#include "store/summary.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "report/figures.h"
#include "run/likeness.h"
#include "store/sql.h"

/* A note that the list of runs shows with the run. */
static int store_note(sqlite3 *db, int64_t run, const char *key, const char *text)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    int r = sql_prepare(db, "INSERT OR REPLACE INTO notes(key, value) VALUES(?1 || ':' || ?2, ?3)",
                        &insert);
    if (r < 0)
        return r;
    sql_bind_text(insert, 1, key);
    sql_bind_number(insert, 2, (uint64_t)run);
    sql_bind_text(insert, 3, text);
    return sql_finish(insert);
}

/* How much of a read came from RAM: without it the list would pass a memory's speed off as the
 * disk's. And each direction of a network test, of which the rate is the lower. */
static const char *const listed_results[] = {"cached", "rate_out", "rate_in"};

static int store_results(sqlite3 *db, int64_t run, const struct model *model)
{
    int r = 0;
    for (size_t i = 0; i < ARRAY_SIZE(listed_results) && r == 0; i++) {
        double value = 0;
        char text[32];
        if (model_result(model, listed_results[i], &value) < 0)
            continue;
        (void)snprintf(text, sizeof(text), "%.6g", value);
        r = store_note(db, run, listed_results[i], text);
    }
    return r;
}

/* By these a later run of the same kind is found. */
static int store_settings(sqlite3 *db, int64_t run, const struct model *model)
{
    AUTO(str_done) struct str text = {0};
    likeness_add(model, &text);
    return store_note(db, run, "settings", str_text(&text));
}

int summary_store(sqlite3 *db, int64_t run, const struct model *model)
{
    AUTO(sql_done) sqlite3_stmt *update = NULL;
    struct model_result leading;
    int r = sql_prepare(db, "UPDATE runs SET rate = ?2, rate_unit = ?3, partial = ?4 WHERE id = ?1",
                        &update);
    if (r < 0)
        return r;
    bool has_leading = figures_leading(model, &leading);
    sql_bind_number(update, 1, (uint64_t)run);
    if (has_leading)
        (void)sqlite3_bind_double(update, 2, leading.value);
    sql_bind_text(update, 3,
                  has_leading ? units_symbol(model->metrics[leading.metric].about.unit) : NULL);
    sql_bind_number(update, 4, model->is_partial);
    r = sql_finish(update);
    if (r == 0)
        r = store_settings(db, run, model);
    return r < 0 ? r : store_results(db, run, model);
}
