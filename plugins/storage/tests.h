/* tests: the run functions of this plugin's test kinds, one file each. */
#ifndef STORAGE_TESTS_H
#define STORAGE_TESTS_H

#include <iodyno/plugin.h>

int storage_write(const struct dyno_host *host, struct dyno_run *run);
uint64_t storage_write_room(const struct dyno_host *host, struct dyno_run *run);
int storage_queued_write(const struct dyno_host *host, struct dyno_run *run);
int storage_queued_read(const struct dyno_host *host, struct dyno_run *run);
int storage_random(const struct dyno_host *host, struct dyno_run *run);
int storage_table(const struct dyno_host *host, struct dyno_run *run);
uint64_t storage_size_room(const struct dyno_host *host, struct dyno_run *run); /* option size */
int storage_verify(const struct dyno_host *host, struct dyno_run *run);
uint64_t storage_verify_room(const struct dyno_host *host, struct dyno_run *run);
int storage_read(const struct dyno_host *host, struct dyno_run *run);
uint64_t storage_read_room(const struct dyno_host *host, struct dyno_run *run);

#endif
