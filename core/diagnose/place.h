/* place: where the files of a storage test lie when that is no plain disk: RAM, a network, a
 * program, another file system. Pure. */
#ifndef DIAGNOSE_PLACE_H
#define DIAGNOSE_PLACE_H

#include "run/model.h"

enum place_kind { PLACE_RAM, PLACE_REMOTE, PLACE_THROUGH }; /* the last: something in between */

struct place {
    const char *name; /* of the file system or kind of device */
    const char *note; /* what a person has to know of its figures; a whole sentence */
    enum place_kind kind;
    bool has_bus; /* the ceiling of the device's bus holds all the same */
};

/* NULL: a disk as any other, or unknown. Static. */
const struct place *place_of(const struct model *model);
/* By the name of a file system alone. */
const struct place *place_of_filesystem(const char *name);

#endif
