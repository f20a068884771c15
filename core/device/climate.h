/* climate: how warm the board is and how fast its CPU may run. Reads sysfs text; a sensor on a slow
 * bus may block: worker and probe only. */
#ifndef DEVICE_CLIMATE_H
#define DEVICE_CLIMATE_H

#include <stdbool.h>

struct climate { /* resolved folders; NULL: the board has none */
    char *sensor_folder;
    const char *sensor_file; /* "temp" of a thermal zone, "temp1_input" of hwmon; static */
    char *sensor;            /* its own name, cleaned: "cpu-thermal" */
    char *policy_folder;     /* cpufreq of the fastest CPUs */
    char *memory_folder;     /* of the clock of the memory; looked for on request */
    const char *memory_file; /* "cur_freq" of devfreq, "clk_rate" of debugfs; static */
};

struct climate_reading {
    bool has_temperature, has_clock, has_limit, has_memory;
    double celsius;
    double clock_hz, limit_hz; /* now; the most that is allowed now */
    double memory_hz;          /* as the board counts it: of Rockchip half the transfers */
};

/* `root` as for inventory_scan. The sensor nearest to the CPU is taken. */
void climate_find(const char *root, struct climate *ret_climate);
void climate_find_memory(const char *root, struct climate *climate);
void climate_done(struct climate *climate);
void climate_read(const struct climate *climate, struct climate_reading *ret_reading);

#endif
