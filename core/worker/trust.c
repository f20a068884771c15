#include "worker/trust.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

static bool is_trusted_owner(uid_t uid)
{
    if (uid == 0 || uid == geteuid())
        return true;
    struct stat self;
    return stat("/proc/self/exe", &self) == 0 && uid == self.st_uid;
}

/* `what` is "it" or "its folder". */
static int judge(const char *what, const char *path, const struct stat *about, struct str *why)
{
    if (!is_trusted_owner(about->st_uid)) {
        str_addf(why, "%s belongs to user %lu, not to root or the owner of iodyno (chown root ",
                 what, (unsigned long)about->st_uid);
        str_add_clean(why, path, strlen(path));
        str_add(why, ")");
        return -EACCES;
    }
    if (about->st_mode & (S_IWGRP | S_IWOTH)) {
        str_addf(why, "other users may write to %s (chmod go-w ", what);
        str_add_clean(why, path, strlen(path));
        str_add(why, ")");
        return -EACCES;
    }
    return 0;
}

static int cannot(int code, const char *path, struct str *why)
{
    char sentence[512];
    str_add(why, err_explain(sentence, sizeof(sentence), code, "load", path));
    return code;
}

int trust_check(const char *path, char **ret_real, struct str *why)
{
    AUTO_FREE char *real = realpath(path, NULL);
    if (!real)
        return cannot(-errno, path, why);
    struct stat about;
    if (stat(real, &about) < 0)
        return cannot(-errno, path, why);
    if (!S_ISREG(about.st_mode)) {
        str_add(why, "it is not a regular file");
        return -EACCES;
    }
    int code = judge("it", real, &about, why);
    if (code < 0)
        return code;

    AUTO_FREE char *folder = mem_copy_text(real);
    char *slash = strrchr(folder, '/'); /* realpath is absolute: there is one */
    slash[slash == folder] = '\0';
    if (stat(folder, &about) < 0)
        return cannot(-errno, folder, why);
    code = judge("its folder", folder, &about, why);
    if (code == 0)
        *ret_real = take_pointer(&real);
    return code;
}
