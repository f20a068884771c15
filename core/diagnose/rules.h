/* rules: what the table of the verdict calls; private to the room. Each rule looks at the evidence
 * of one run and either stays silent or adds its sentence: what it found, with the figures and
 * their units, then what to do. Pure. */
#ifndef DIAGNOSE_RULES_H
#define DIAGNOSE_RULES_H

#include "base/str.h"
#include "diagnose/evidence.h"

enum strength { SILENT, WARNING, MAIN };
typedef enum strength (*rule_fn)(const struct evidence *evidence, struct str *text);

/* "4.8 of 104 MB/s (5 %)" when the ceiling is known. */
void rules_add_rate(const struct evidence *evidence, struct str *text);
/* "SDR104, 4 bit"; "its bus" when nothing tells. */
void rules_add_source(const struct evidence *evidence, struct str *text);
/* "; the file system was 93 % full and the disk takes no discard", of a write; what is usual adds
 * nothing. */
void rules_add_state(const struct evidence *evidence, struct str *text);
/* "at 1.20 GHz and 61 °C, governor powersave"; what is unknown adds nothing. */
void rules_add_clock(const struct evidence *evidence, struct str *text);

/* storage: the path to the disk */
enum strength storage_over_ceiling(const struct evidence *evidence, struct str *text);
enum strength storage_in_ram(const struct evidence *evidence, struct str *text);
enum strength storage_place(const struct evidence *evidence, struct str *text);
enum strength storage_cached(const struct evidence *evidence, struct str *text);
enum strength storage_not_direct(const struct evidence *evidence, struct str *text);
enum strength storage_other_traffic(const struct evidence *evidence, struct str *text);

/* limit: what held a run back */
enum strength limit_bus(const struct evidence *evidence, struct str *text);
enum strength limit_cpu(const struct evidence *evidence, struct str *text);
enum strength limit_device(const struct evidence *evidence, struct str *text);
/* What is said when no rule explains the run: what was looked at. */
void limit_unknown(const struct evidence *evidence, struct str *text);

/* table: the cells of storage.table, taken together */
enum strength table_over_ceiling(const struct evidence *evidence, struct str *text);
enum strength table_too_quick(const struct evidence *evidence, struct str *text);
enum strength table_bus(const struct evidence *evidence, struct str *text);
enum strength table_device(const struct evidence *evidence, struct str *text);

/* device: what the disk did, against what it says of itself */
enum strength device_cliff(const struct evidence *evidence, struct str *text);
enum strength device_waits(const struct evidence *evidence, struct str *text);
enum strength device_below_capability(const struct evidence *evidence, struct str *text);
enum strength device_fake_capacity(const struct evidence *evidence, struct str *text);

/* claim: what an SD card's marks promise */
enum strength claim_sequential(const struct evidence *evidence, struct str *text);
enum strength claim_random(const struct evidence *evidence, struct str *text);

/* memory: what a memory test measured, and what held it back */
enum strength memory_error(const struct evidence *evidence, struct str *text);
enum strength memory_not_dram(const struct evidence *evidence, struct str *text);
enum strength memory_over_ceiling(const struct evidence *evidence, struct str *text);
enum strength memory_threads_hurt(const struct evidence *evidence, struct str *text);
enum strength memory_slow_clock(const struct evidence *evidence, struct str *text);
enum strength memory_bus_limited(const struct evidence *evidence, struct str *text);
enum strength memory_cpu_limited(const struct evidence *evidence, struct str *text);
enum strength memory_device_limited(const struct evidence *evidence, struct str *text);

/* network: what a network test showed, and what held it back */
enum strength network_wrong_path(const struct evidence *evidence, struct str *text);
enum strength network_link_dropped(const struct evidence *evidence, struct str *text);
enum strength network_half_duplex(const struct evidence *evidence, struct str *text);
enum strength network_below_capability(const struct evidence *evidence, struct str *text);
enum strength network_knee(const struct evidence *evidence, struct str *text);
enum strength network_line(const struct evidence *evidence, struct str *text);
enum strength network_paced(const struct evidence *evidence, struct str *text);
enum strength network_receiver(const struct evidence *evidence, struct str *text);
enum strength network_loss(const struct evidence *evidence, struct str *text);
enum strength network_cpu(const struct evidence *evidence, struct str *text);
enum strength network_sender(const struct evidence *evidence, struct str *text);
enum strength network_path(const struct evidence *evidence, struct str *text);
void network_unknown(const struct evidence *evidence, struct str *text);

/* machine: what happened around the run */
enum strength machine_stalled(const struct evidence *evidence, struct str *text);
enum strength machine_thermal(const struct evidence *evidence, struct str *text);
enum strength machine_slower(const struct evidence *evidence, struct str *text);
enum strength machine_kernel_errors(const struct evidence *evidence, struct str *text);

#endif
