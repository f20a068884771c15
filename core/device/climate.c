#include "device/climate.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/dram.h"
#include "device/sysfs.h"

#define CELSIUS_MIN (-60.0)
#define CELSIUS_MAX 200.0 /* beyond: the sensor says that it has no reading */

/* Words in the names of sensors, the nearest to the CPU first; others count less, these not at all.
 */
static const char *const near_words[] = {"cpu", "x86_pkg", "coretemp", "k10temp", "soc", "package"};
static const char *const far_words[] = {"battery", "bat",  "wifi", "iwl",
                                        "charger", "nvme", "drive"};

static unsigned score_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(far_words); i++)
        if (strcasestr(name, far_words[i]))
            return 0;
    for (size_t i = 0; i < ARRAY_SIZE(near_words); i++)
        if (strcasestr(name, near_words[i]))
            return (unsigned)(ARRAY_SIZE(near_words) - i + 1);
    return 1;
}

static bool read_celsius(const char *folder, const char *file, double *ret_celsius)
{
    AUTO_FREE char *text = sysfs_label(folder, file);
    double thousandths = 0;
    if (!text || units_parse_double(text, &thousandths) < 0)
        return false;
    double celsius = thousandths / 1000;
    if (!(celsius >= CELSIUS_MIN && celsius <= CELSIUS_MAX))
        return false;
    *ret_celsius = celsius;
    return true;
}

/* Takes the best of the folders below a class; one that cannot be read is no sensor. */
static void find_sensor(const char *root, const char *class, const char *name_file,
                        const char *sensor_file, unsigned *best, struct climate *climate)
{
    AUTO_FREE char *folder = NULL;
    char **names = NULL;
    if (sysfs_resolve(root, class, &folder) < 0 || sysfs_list(folder, &names) < 0)
        return;
    for (size_t i = 0; names[i]; i++) {
        AUTO_FREE char *sensor = NULL;
        double unused;
        if (sysfs_follow(root, folder, names[i], &sensor) < 0)
            continue;
        AUTO_FREE char *name = sysfs_label(sensor, name_file);
        unsigned score = name ? score_of(name) : 0;
        if (score <= *best || !read_celsius(sensor, sensor_file, &unused))
            continue;
        *best = score;
        free(climate->sensor_folder);
        free(climate->sensor);
        climate->sensor_folder = take_pointer(&sensor);
        climate->sensor = take_pointer(&name);
        climate->sensor_file = sensor_file;
    }
    sysfs_list_free(names);
}

/* Where the cores differ, a test runs on the fastest. Older kernels have no common folder. */
static char *find_policy(const char *root)
{
    AUTO_FREE char *folder = NULL;
    char **names = NULL, *best = NULL;
    uint64_t fastest = 0;
    if (sysfs_resolve(root, "/sys/devices/system/cpu/cpufreq", &folder) == 0)
        (void)sysfs_list(folder, &names);
    for (size_t i = 0; names && names[i]; i++) {
        char *policy = NULL;
        uint64_t kilohertz = 0;
        if (!str_starts(names[i], "policy") || sysfs_follow(root, folder, names[i], &policy) < 0)
            continue;
        if (sysfs_number(policy, "cpuinfo_max_freq", &kilohertz) == 0 && kilohertz > fastest) {
            fastest = kilohertz;
            free(best);
            best = take_pointer(&policy);
        }
        free(policy);
    }
    sysfs_list_free(names);
    if (!best)
        (void)sysfs_resolve(root, "/sys/devices/system/cpu/cpu0/cpufreq", &best);
    return best;
}

void climate_find(const char *root, struct climate *ret_climate)
{
    struct climate climate = {0};
    unsigned best = 0;
    find_sensor(root, "/sys/class/thermal", "type", "temp", &best, &climate);
    find_sensor(root, "/sys/class/hwmon", "name", "temp1_input", &best, &climate);
    climate.policy_folder = find_policy(root);
    *ret_climate = climate;
}

/* Clocks of the memory by the names of vendors' kernels: Tegra, RK3399. Root reads debugfs. */
static char *find_debug_clock(const char *root)
{
    static const char *const folders[] = {"/sys/kernel/debug/clk/emc",
                                          "/sys/kernel/debug/clk/sclk_ddrc"};
    char *folder = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(folders) && !folder; i++)
        if (sysfs_resolve(root, folders[i], &folder) < 0)
            folder = NULL;
    return folder;
}

void climate_find_memory(const char *root, struct climate *climate)
{
    climate->memory_file = "cur_freq";
    climate->memory_folder = dram_devfreq(root);
    if (climate->memory_folder)
        return;
    climate->memory_file = "clk_rate";
    climate->memory_folder = find_debug_clock(root);
}

void climate_done(struct climate *climate)
{
    free(climate->sensor_folder);
    free(climate->sensor);
    free(climate->policy_folder);
    free(climate->memory_folder);
    *climate = (struct climate){0};
}

static bool read_hertz(const char *folder, const char *file, double *ret_hertz)
{
    uint64_t kilohertz = 0;
    if (!folder || sysfs_number(folder, file, &kilohertz) < 0 || kilohertz == 0)
        return false;
    *ret_hertz = (double)kilohertz * 1000;
    return true;
}

void climate_read(const struct climate *climate, struct climate_reading *ret_reading)
{
    struct climate_reading reading = {0};
    reading.has_temperature =
        climate->sensor_folder &&
        read_celsius(climate->sensor_folder, climate->sensor_file, &reading.celsius);
    reading.has_clock = read_hertz(climate->policy_folder, "scaling_cur_freq", &reading.clock_hz);
    reading.has_limit = read_hertz(climate->policy_folder, "scaling_max_freq", &reading.limit_hz);
    uint64_t hertz = 0;
    reading.has_memory = climate->memory_folder &&
                         sysfs_number(climate->memory_folder, climate->memory_file, &hertz) == 0 &&
                         hertz > 0;
    reading.memory_hz = (double)hertz;
    *ret_reading = reading;
}
