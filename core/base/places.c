#include "base/places.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"

/* Where a program lies below PREFIX. Test programs of the build tree find the others, too. */
static const struct {
    const char *folder; /* last part of the program's folder */
    unsigned depth;     /* its parts */
} SHAPES[] = {
    {"/bin", 1},        {"/libexec/iodyno", 2}, {"/tests/unit", 2},
    {"/tests/fuzz", 2}, {"/tests/bench", 2},
};

static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = '\0';
}

static int places_prefix(struct str *into)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (size < 0)
        return -errno;
    path[size] = '\0';
    cut_last(path);
    for (size_t i = 0; i < ARRAY_SIZE(SHAPES); i++) {
        if (!str_ends(path, SHAPES[i].folder))
            continue;
        for (unsigned part = 0; part < SHAPES[i].depth; part++)
            cut_last(path);
        str_add(into, path);
        return 0;
    }
    return -ENOENT;
}

int places_program(const char *name, struct str *into)
{
    int code;

    str_clear(into);
    code = places_prefix(into);
    if (code < 0)
        return code;
    str_addf(into, "%s%s", strcmp(name, "iodyno") == 0 ? "/bin/" : "/libexec/iodyno/", name);
    return 0;
}

int places_data(const char *name, struct str *into)
{
    int code;

    str_clear(into);
    code = places_prefix(into);
    if (code < 0)
        return code;
    str_addf(into, "/share/iodyno/%s", name);
    return 0;
}

int places_plugins(struct str *into)
{
    const char *given = secure_getenv("IODYNO_PLUGIN_PATH");
    AUTO(str_done) struct str prefix = {0};
    int code;

    str_clear(into);
    while (given && *given) {
        size_t size = strcspn(given, ":");

        if (size > 0 && given[0] == '/') { /* relative ones would mean the current folder */
            str_add_bytes(into, given, size);
            str_add_bytes(into, "", 1);
        }
        given += size;
        given += *given == ':';
    }
    code = places_prefix(&prefix);
    if (code < 0)
        return into->size ? 0 : code;
    str_addf(into, "%s/lib/iodyno/plugins", str_text(&prefix));
    str_add_bytes(into, "", 1);
    return 0;
}

/* An environment variable that must be an absolute path to count, as XDG's rules say. */
static const char *absolute_env(const char *name)
{
    const char *value = secure_getenv(name);

    return value && value[0] == '/' ? value : NULL;
}

static void add_path(struct str *into, const char *folder, const char *below)
{
    str_addf(into, "%s%s", folder, below);
    str_add_bytes(into, "", 1);
}

int places_boards(bool with_local, struct str *into)
{
    const char *config = absolute_env("XDG_CONFIG_HOME"), *home = absolute_env("HOME");
    AUTO(str_done) struct str prefix = {0};

    str_clear(into);
    if (with_local && (config || home))
        add_path(into, config ? config : home,
                 config ? "/iodyno/boards" : "/.config/iodyno/boards");
    if (with_local)
        add_path(into, "/etc", "/iodyno/boards");
    if (places_prefix(&prefix) == 0)
        add_path(into, prefix.text, "/share/iodyno/boards");
    return into->size ? 0 : -ENOENT;
}

int places_results(const char *given, struct str *into)
{
    const char *data = absolute_env("XDG_DATA_HOME"), *home = absolute_env("HOME");

    str_clear(into);
    if (given && *given) /* "./-x" is no option, "./:memory:" a file */
        str_addf(into, "%s%s", given[0] == '/' ? "" : "./", given);
    else if (data)
        str_addf(into, "%s/iodyno/results.db", data);
    else if (home)
        str_addf(into, "%s/.local/share/iodyno/results.db", home);
    else
        str_add(into, "/var/lib/iodyno/results.db");
    return 0;
}

/* The folder is made when absent, and must be a real folder of ours that no other can write to. */
static int own_folder(const char *path, mode_t mode)
{
    struct stat st;

    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return -errno;
    if (lstat(path, &st) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return -EPERM;
    return 0;
}

int places_runtime(struct str *into)
{
    const char *xdg = absolute_env("XDG_RUNTIME_DIR");
    const bool is_root = geteuid() == 0;
    int code;

    str_clear(into);
    if (is_root)
        str_add(into, "/run/iodyno");
    else if (xdg)
        str_addf(into, "%s/iodyno", xdg);
    if (into->size) {
        code = own_folder(str_text(into), is_root ? 0755 : 0700);
        if (code == 0 || code == -EPERM)
            return code;
        str_clear(into);
    }
    str_addf(into, "/tmp/iodyno-%u", (unsigned)geteuid());
    return own_folder(str_text(into), is_root ? 0755 : 0700);
}
