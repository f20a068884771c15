/* subject: the device a run is aimed at, as the pairs target.* of its order: what it is, what its
 * bus carries, what it claims. Pure. */
#ifndef RUN_SUBJECT_H
#define RUN_SUBJECT_H

#include "device/device.h"

struct str;

/* `disk`: the whole disk that `device` is a part of, or `device` itself. */
void subject_add(const struct device *device, const struct device *disk, struct str *pairs);

#endif
