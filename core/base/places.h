/* places: where the programs find each other and their data: relative to the running program, so
 * that a moved tree still runs. PREFIX/bin, PREFIX/libexec/iodyno, PREFIX/lib/iodyno/plugins,
 * PREFIX/share/iodyno. */
#ifndef BASE_PLACES_H
#define BASE_PLACES_H

#include <stdbool.h>

struct str;

/* 0 or negative errno; `into` is cleared first. */
int places_program(const char *name, struct str *into); /* "iodyno-worker" -> absolute path */
int places_data(const char *name, struct str *into); /* "themes/default.ini" under share/iodyno */
/* Folders to look for plugins in: IODYNO_PLUGIN_PATH (ignored under AT_SECURE), then the tree's
 * own. Adds NUL-ended paths one after the other; an empty path ends. */
int places_plugins(struct str *into);
/* Folders of board files, in the same form: a person's and the machine's own, unless only what
 * comes with iodyno is wanted, then share/iodyno/boards. */
int places_boards(bool with_local, struct str *into);
/* results.db: --db, else $XDG_DATA_HOME/iodyno or ~/.local/share/iodyno, else /var/lib/iodyno. */
int places_results(const char *given, struct str *into);
/* Folder of the state of running owners: /run/iodyno (root), $XDG_RUNTIME_DIR/iodyno, else
 * /tmp/iodyno-UID; made with mode 0700 when absent (0755 for root). Must be ours, else -EPERM. */
int places_runtime(struct str *into);

#endif
