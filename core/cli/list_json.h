/* list_json: devices as the JSON of `list` (iodyno.list/1). */
#ifndef CLI_LIST_JSON_H
#define CLI_LIST_JSON_H

#include <jansson.h>

#include "device/inventory.h"

/* `is_all`: hidden ones as well. The caller drops it. */
json_t *list_json(const struct inventory *inventory, bool is_all);

#endif
