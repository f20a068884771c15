/* A plugin that writes into a folder, for a file system that does not answer. */
#include <iodyno/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

static int run(const struct dyno_host *host, struct dyno_run *the_run)
{
    int fd = open(host->opt_str(the_run, "file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    (void)close(fd);
    return 0;
}

static const struct dyno_option file = {.size = sizeof(struct dyno_option),
                                        .type = DYNO_PATH,
                                        .key = "file",
                                        .label = "File",
                                        .help = "The file to make."};
static const struct dyno_option *const options[] = {&file, NULL};
static const struct dyno_test test = {.size = sizeof(struct dyno_test),
                                      .targets = DYNO_MEM,
                                      .id = "stuck.write",
                                      .title = "Stuck",
                                      .options = options,
                                      .run = run};
static const struct dyno_test *const tests[] = {&test, NULL};
const struct dyno_plugin dyno_plugin = {.magic = DYNO_MAGIC,
                                        .abi_major = DYNO_ABI_MAJOR,
                                        .size = sizeof(struct dyno_plugin),
                                        .id = "stuck",
                                        .title = "Stuck",
                                        .version = "1",
                                        .license = "MIT",
                                        .tests = tests};
