/* witness: what the thread samples and which lines of the kernel it tells. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "wire/channel.h"
#include "worker/witness.h"

static const struct frame_metric metrics[WITNESS_METRICS] = {
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_NONE, 1, "temperature", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_clock", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_limit", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "dram_clock", ""},
};

static void put(const char *root, const char *path, const char *text)
{
    AUTO(str_done) struct str full = {0};
    str_addf(&full, "%s%s", root, path);
    for (char *slash = strchr(full.text + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(full.text, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full.text, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

struct seen {
    double values[WITNESS_METRICS];
    unsigned samples[WITNESS_METRICS], events;
    struct str texts;
};

static void take_all(int line, struct seen *seen)
{
    static struct packet packet;
    while (channel_receive(line, &packet) == 1) {
        struct frame frame;
        size_t at = 0;
        while (frame_next(packet.bytes, packet.size, &at, &frame) == 1) {
            if (frame.type == FRAME_SAMPLE) {
                seen->values[frame.sample.metric] = frame.sample.value;
                seen->samples[frame.sample.metric]++;
            }
            const char *text = frame_pair(&frame, "kernel");
            seen->events += frame.type == FRAME_EVENT;
            if (text)
                str_addf(&seen->texts, "%s\n", text);
            text = frame_pair(&frame, "kernel-lines");
            if (text)
                str_addf(&seen->texts, "(%s)\n", text);
        }
    }
}

/* A log that gives a record for each read, as /dev/kmsg does. */
static void open_log(int log[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, log), 0);
}

static void watch(const char *root, const char *const *records, struct seen *seen)
{
    int line[2], log[2];
    struct outlet *outlet;
    struct witness *witness;
    assert_int_equal(channel_pair(line), 0);
    open_log(log);
    assert_int_equal(outlet_new(line[1], &outlet), 0);
    outlet_set_metrics(outlet, metrics, WITNESS_METRICS);
    const struct witness_plan plan = {.outlet = outlet,
                                      .root = root,
                                      .kmsg_fd = log[1],
                                      .interval_ns = 20000000,
                                      .with_memory = true,
                                      .names = {"mmcblk0", "mmc0"}};
    for (size_t i = 0; records[i]; i++)
        assert_true(send(log[0], records[i], strlen(records[i]), 0) > 0);
    assert_int_equal(witness_start(&plan, &witness), 0);
    (void)poll(NULL, 0, 70);
    assert_null(witness_stop(witness));
    outlet_on_timer(outlet);
    take_all(line[0], seen);
    outlet_free(outlet);
    for (unsigned i = 0; i < 2; i++) {
        (void)close(line[i]);
        (void)close(log[i]);
    }
}

static void test_climate_and_lines(void **state)
{
    static const char *const records[] = {
        "3,1,1,-;mmc0: error -110 whilst initialising", "6,2,2,-;mmc0: new card", /* no complaint */
        "3,3,3,-;mmc1: error -110",                                               /* not ours */
        "4,4,4,-;I/O error, dev mmcblk0, sector 8\n SUBSYSTEM=block", NULL};
    char root[] = "/tmp/iodyno-witness-XXXXXX";
    AUTO(str_done) struct str clean = {0};
    struct seen seen = {.events = 0};
    (void)state;
    assert_non_null(mkdtemp(root));
    put(root, "/sys/class/thermal/thermal_zone0/type", "battery\n");
    put(root, "/sys/class/thermal/thermal_zone0/temp", "31000\n");
    put(root, "/sys/class/thermal/thermal_zone1/type", "cpu-thermal\n");
    put(root, "/sys/class/thermal/thermal_zone1/temp", "-1500\n");
    put(root, "/sys/devices/system/cpu/cpufreq/policy4/cpuinfo_max_freq", "1800000\n");
    put(root, "/sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq", "816000\n");
    put(root, "/sys/devices/system/cpu/cpufreq/policy4/scaling_max_freq", "1800000\n");
    put(root, "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "1000000\n");
    put(root, "/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "408000\n");
    put(root, "/sys/class/devfreq/dmc/cur_freq", "528000000\n");
    watch(root, records, &seen);
    str_addf(&clean, "rm -r %s", root);
    assert_int_equal(system(clean.text), 0);
    assert_true(seen.samples[WITNESS_TEMPERATURE] >= 2);
    assert_true(seen.values[WITNESS_TEMPERATURE] < -1.49 &&
                seen.values[WITNESS_TEMPERATURE] > -1.51);
    assert_true(seen.values[WITNESS_CLOCK] > 815e6 && seen.values[WITNESS_CLOCK] < 817e6);
    assert_true(seen.values[WITNESS_LIMIT] > 1.79e9);
    assert_true(seen.values[WITNESS_MEMORY] > 527e6 && seen.values[WITNESS_MEMORY] < 529e6);
    assert_int_equal(seen.events, 2);
    assert_string_equal(str_text(&seen.texts), "mmc0: error -110 whilst initialising\n"
                                               "I/O error, dev mmcblk0, sector 8\n");
    str_done(&seen.texts);
}

static void test_a_flood_is_counted(void **state)
{
    const char *records[41] = {NULL};
    struct seen seen = {.events = 0};
    (void)state;
    for (unsigned i = 0; i < 40; i++)
        records[i] = "3,1,1,-;mmc0: again";
    watch("/nowhere", records, &seen);
    assert_int_equal(seen.events, WITNESS_LINES);
    assert_int_equal(seen.samples[WITNESS_TEMPERATURE], 0);
    assert_non_null(strstr(str_text(&seen.texts), "(40, of which the first 32 are told"));
    str_done(&seen.texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_climate_and_lines),
        cmocka_unit_test(test_a_flood_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
