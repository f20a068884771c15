/* plugin_file: opens one plugin's shared object and finds its table. Runs foreign code
 * (constructors): only in a process that may be lost. Never closed again: plugins may leave threads
 * and exit handlers behind. */
#ifndef WORKER_PLUGIN_FILE_H
#define WORKER_PLUGIN_FILE_H

#include <iodyno/plugin.h>

struct str;

/* 0, or negative errno with one sentence in `why`. Magic and version are checked; the tables below
 * are not (describe_tables does). */
int plugin_file_open(const char *path, const struct dyno_plugin **ret_plugin, struct str *why);

#endif
