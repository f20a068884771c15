#include "store/summary.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "store/sql.h"

/* The first of these results that a run has. */
static const char *const headline_keys[] = {"rate", "iops", "latency"};

static const char *find_headline(const struct model *model, double *ret_value)
{
    for (size_t i = 0; i < ARRAY_SIZE(headline_keys); i++)
        if (model_result(model, headline_keys[i], ret_value) == 0)
            return units_symbol(model->metrics[model_metric(model, headline_keys[i])].about.unit);
    return NULL;
}

/* How much of a read came from RAM: without it the list would pass a memory's speed off as the
 * disk's. */
static int store_cached(sqlite3 *db, int64_t run, const struct model *model)
{
    AUTO(sql_done) sqlite3_stmt *insert = NULL;
    double cached = 0;
    char text[32];
    if (model_result(model, "cached", &cached) < 0)
        return 0;
    int r = sql_prepare(db, "INSERT OR REPLACE INTO notes(key, value) VALUES('cached:' || ?1, ?2)",
                        &insert);
    if (r < 0)
        return r;
    (void)snprintf(text, sizeof(text), "%.6g", cached);
    sql_bind_number(insert, 1, (uint64_t)run);
    sql_bind_text(insert, 2, text);
    return sql_finish(insert);
}

int summary_store(sqlite3 *db, int64_t run, const struct model *model)
{
    AUTO(sql_done) sqlite3_stmt *update = NULL;
    double value = 0;
    int r = sql_prepare(db, "UPDATE runs SET rate = ?2, rate_unit = ?3, partial = ?4 WHERE id = ?1",
                        &update);
    if (r < 0)
        return r;
    const char *unit = find_headline(model, &value);
    sql_bind_number(update, 1, (uint64_t)run);
    if (unit)
        (void)sqlite3_bind_double(update, 2, value);
    sql_bind_text(update, 3, unit);
    sql_bind_number(update, 4, model->is_partial);
    r = sql_finish(update);
    return r < 0 ? r : store_cached(db, run, model);
}
