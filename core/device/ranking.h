/* ranking: the order of the list: disks by kind and name, each followed by its partitions. Pure. */
#ifndef DEVICE_RANKING_H
#define DEVICE_RANKING_H

#include "device/device.h"

/* A partition whose disk is not there stands for itself. About count × log(count). */
void ranking_sort(struct device *devices, size_t count);

#endif
