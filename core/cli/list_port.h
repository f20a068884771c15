/* list_port: what the JSON of `list` says of a network port beside what it says of all devices. */
#ifndef CLI_LIST_PORT_H
#define CLI_LIST_PORT_H

#include <jansson.h>

#include "device/device.h"

void list_port_set(json_t *object, const struct device *device);

#endif
