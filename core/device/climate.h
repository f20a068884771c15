/* climate: how warm the board is and how fast its CPU may run. Reads sysfs text; a sensor on a slow
 * bus may block: worker and probe only. */
#ifndef DEVICE_CLIMATE_H
#define DEVICE_CLIMATE_H

#include <stdbool.h>

struct climate { /* resolved folders; NULL: the board has none */
    char *sensor_folder;
    const char *sensor_file; /* "temp" of a thermal zone, "temp1_input" of hwmon; static */
    char *sensor;            /* its own name, cleaned: "cpu-thermal" */
    char *policy_folder;     /* cpufreq of cpu0 */
};

struct climate_reading {
    bool has_temperature, has_clock, has_limit;
    double celsius;
    double clock_hz, limit_hz; /* now; the most that is allowed now */
};

/* `root` as for inventory_scan. The sensor nearest to the CPU is taken. */
void climate_find(const char *root, struct climate *ret_climate);
void climate_done(struct climate *climate);
void climate_read(const struct climate *climate, struct climate_reading *ret_reading);

#endif
