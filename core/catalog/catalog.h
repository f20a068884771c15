/* catalog: the test kinds that the plugins offer, as data. Filled from description frames; knows no
 * dlopen. */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include "catalog/options.h"
#include "wire/frame.h"

#define CATALOG_PLUGINS_MAX 64
#define CATALOG_TESTS_MAX 64                        /* of one plugin */
#define CATALOG_OPTIONS_MAX 64                      /* of one test */
#define CATALOG_CHOICES_MAX 64                      /* of one option */
#define CATALOG_METRICS_MAX (FRAME_METRICS_MAX - 6) /* of one test; the host adds six */
#define CATALOG_TEXT_MAX 512 /* bytes of a title, summary, label, help, default or choice */

struct catalog_test {
    char *id, *title, *summary;
    char *plugin;            /* path of the shared object */
    uint32_t targets, flags; /* enums of plugin.h */
    unsigned ordinal;        /* its place in its plugin's table */
    struct option *options;
    size_t option_count;
    struct frame_metric *metrics;
    size_t metric_count;
};

struct catalog_plugin {
    char *path, *id, *title, *version, *license; /* all but path NULL before its PLUGIN frame */
    char *refused;                               /* why it is not used; NULL: it is */
    char *last_test; /* id of the test that OPTION and METRIC frames now belong to */
};

struct catalog {
    struct catalog_test *tests; /* sorted by id */
    size_t test_count;
    struct catalog_plugin *plugins;
    size_t plugin_count;
};

void catalog_done(struct catalog *catalog);

/* Takes one description frame of the plugin at `path`; copies all it keeps. Frames of one plugin
 * must come in order: PLUGIN, then TEST, OPTION…, METRIC…, TEST, … 0, also for a REFUSED frame,
 * which marks the plugin refused; -EPROTO when the plugin is refused for what this frame says (or
 * was before): `refused` then holds the sentence. */
int catalog_apply(struct catalog *catalog, const char *path, const struct frame *frame);
/* Refuses a plugin and drops its tests; the first reason stays. */
void catalog_refuse(struct catalog *catalog, const char *path, const char *reason);

const struct catalog_test *catalog_find(const struct catalog *catalog,
                                        const char *id);                               /* or NULL */
const struct option *catalog_option(const struct catalog_test *test, const char *key); /* or NULL */

#endif
