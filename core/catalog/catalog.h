/* catalog: the test kinds that the plugins offer, as data. Filled from description frames; knows no
 * dlopen. */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include "catalog/options.h"
#include "wire/frame.h"

struct catalog_test {
    char *id, *title, *summary;
    char *plugin;            /* path of the shared object */
    uint32_t targets, flags; /* enums of plugin.h */
    struct option *options;
    size_t option_count;
    struct frame_metric *metrics;
    size_t metric_count;
};

struct catalog_plugin {
    char *path, *id, *title, *version, *license;
    char *refused; /* why it is not used; NULL: it is */
};

struct catalog {
    struct catalog_test *tests; /* sorted by id */
    size_t test_count;
    struct catalog_plugin *plugins;
    size_t plugin_count;
};

void catalog_done(struct catalog *catalog);

/* Takes one description frame of the plugin at `path`. 0 or -EPROTO. A REFUSED frame marks it
 * refused. Frames of one plugin must come in order: PLUGIN, then TEST, OPTION…, METRIC…, TEST, … */
int catalog_apply(struct catalog *catalog, const char *path, const struct frame *frame);
void catalog_refuse(struct catalog *catalog, const char *path,
                    const char *reason); /* drops its tests */

const struct catalog_test *catalog_find(const struct catalog *catalog,
                                        const char *id);                               /* or NULL */
const struct option *catalog_option(const struct catalog_test *test, const char *key); /* or NULL */

#endif
