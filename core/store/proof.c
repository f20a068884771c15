#include "store/proof.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "store/database.h"
#include "store/digest.h"
#include "store/stored.h"

static int as_damage(int code)
{
    return code == -EPROTO || code == -ENOENT ? -EUCLEAN : code;
}

int proof_run(sqlite3 *db, int64_t run, const struct digest *expected)
{
    AUTO(stored_done) struct stored stored;
    struct digest found = {0};
    struct frame frame;
    int r = stored_open(db, run, &stored);
    if (r < 0)
        return as_damage(r);
    while ((r = stored_next(&stored, &frame)) > 0)
        digest_add_frame(&found, &frame);
    if (r < 0)
        return as_damage(r);
    return digest_is_same(&found, expected) ? 0 : -EUCLEAN;
}

int proof_file(const char *path, int64_t run, const struct digest *expected)
{
    AUTO(str_done) struct str why = {0};
    AUTO(database_done) struct database database = {0};
    int r = database_look(path, &database, &why);
    return r < 0 ? as_damage(r) : proof_run(database.db, run, expected);
}
