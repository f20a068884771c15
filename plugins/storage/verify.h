/* verify: the metrics that only storage.verify has. */
#ifndef STORAGE_VERIFY_H
#define STORAGE_VERIFY_H

#include "meter.h"

enum {
    METRIC_VERIFIED = METRIC_OWN,
    METRIC_WRONG_SECTORS,
    METRIC_FIRST_WRONG,
    METRIC_WRITE_RATE,
    METRIC_REMAINING
};

#endif
