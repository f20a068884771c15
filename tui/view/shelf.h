/* shelf: how a device stands in a list: its group, its mode, its size; and the tests it is offered.
 * Pure. */
#ifndef VIEW_SHELF_H
#define VIEW_SHELF_H

#include "base/str.h"
#include "catalog/catalog.h"
#include "device/inventory.h"
#include "view/figures.h"

enum shelf_group { SHELF_STORAGE, SHELF_MEMORY, SHELF_NETWORK, SHELF_GROUPS };
const char *shelf_title(enum shelf_group group);           /* "STORAGE" */
enum shelf_group shelf_group(const struct device *device); /* by kind */
uint32_t shelf_targets(enum shelf_group group);            /* mask of enum dyno_target_kind */

/* Does the device stand in the list of the first screen? Whole disks, the memory and ports do;
 * partitions stand behind their disk; loop and helper devices only when something is mounted. */
bool shelf_shows(const struct inventory *inventory, const struct device *device);

/* "HS200 8 bit", "1000 full", "no medium"; with the role that fits. */
void shelf_mode(const struct device *device, struct str *into, bool *ret_is_missing);
/* A port's first address; "" of what has none. */
void shelf_address(const struct device *device, struct str *into);
/* The name without folders, as of the file behind a loop device; NULL: "". */
const char *shelf_name(const char *name);
void shelf_size(const struct device *device, struct str *into); /* "15.6 GB"; "" when unknown */

/* Seconds a test with its default options takes at the device's last rate; negative when unknown.
 */
double shelf_estimate(const struct catalog_test *test, double rate);

#endif
