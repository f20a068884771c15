#include "worker/plugin_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "worker/trust.h"

#define PLUGIN_SIZE_MAX 4096 /* a larger `size` is no size */

static int check_head(const struct dyno_plugin *plugin, struct str *why)
{
    if (plugin->magic != DYNO_MAGIC) {
        str_addf(why, "it is no iodyno plugin: its magic number is 0x%08x, expected 0x%08x",
                 (unsigned)plugin->magic, (unsigned)DYNO_MAGIC);
        return -EINVAL;
    }
    if (plugin->abi_major != DYNO_ABI_MAJOR) {
        str_addf(why, "it was built for plugin interface %u, this iodyno has %u",
                 (unsigned)plugin->abi_major, (unsigned)DYNO_ABI_MAJOR);
        return -EINVAL;
    }
    size_t least = offsetof(struct dyno_plugin, tests) + sizeof(plugin->tests);
    if (plugin->size < least || plugin->size > PLUGIN_SIZE_MAX) {
        str_addf(why, "its plugin table says %lu bytes, at least %zu were expected",
                 (unsigned long)plugin->size, least);
        return -EINVAL;
    }
    return 0;
}

int plugin_file_open(const char *path, const struct dyno_plugin **ret_plugin, struct str *why)
{
    AUTO_FREE char *real = NULL;
    int code = trust_check(path, &real, why);
    if (code < 0)
        return code;

    void *object = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *reason = dlerror();
        str_add(why, "it cannot be loaded: ");
        str_add_clean(why, reason ? reason : "?", reason ? strlen(reason) : 1);
        return -ENOEXEC;
    }
    const struct dyno_plugin *plugin = dlsym(object, "dyno_plugin");
    if (!plugin) {
        str_add(why, "it is no iodyno plugin: it exports no dyno_plugin");
        return -EINVAL;
    }
    code = check_head(plugin, why);
    if (code < 0)
        return code;
    *ret_plugin = plugin;
    return 0;
}
