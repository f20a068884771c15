/* describe_tables: reads a plugin's tables, with suspicion, and says them as description frames. It
 * is the one way a plugin becomes known: asked by --describe, and by a run for its own schema. A
 * pointer into nowhere ends the process; callers are processes that may be lost. */
#ifndef WORKER_DESCRIBE_TABLES_H
#define WORKER_DESCRIBE_TABLES_H

#include <iodyno/plugin.h>

#include "catalog/catalog.h"
#include "wire/frame.h"

struct str;

/* Appended to each test's metrics by the host, hence CATALOG_METRICS_MAX. */
#define TABLES_HOST_METRICS (FRAME_METRICS_MAX - CATALOG_METRICS_MAX)

/* Returns 0 or negative errno, which ends the description. */
typedef int (*tables_fn)(void *user, const struct frame *frame);

/* What a table alone can show is checked here, how names go together by catalog_apply.
 * Frames in order: PLUGIN, then TEST, OPTION…, METRIC…, TEST, … 0; -EINVAL with a reason in `why`;
 * what `fn` returned. */
int describe_tables(const struct dyno_plugin *plugin, const char *path, tables_fn fn, void *user,
                    struct str *why);

/* The test's own table, NULL when absent. Only after describe_tables accepted the plugin. */
const struct dyno_test *describe_tables_find(const struct dyno_plugin *plugin, const char *id);

#endif
