#include "fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum fault_set { SET_OTHER, SET_ROOM, SET_GONE, SET_MEDIUM, SET_READ_ONLY, SET_SERVER, SET_SIZE };

static const struct {
    int error;
    enum fault_set set;
} sets[] = {
    {ENOSPC, SET_ROOM},      {EDQUOT, SET_ROOM},         {ENODEV, SET_GONE},
    {ENXIO, SET_GONE},       {ENOMEDIUM, SET_GONE},      {ESHUTDOWN, SET_GONE},
    {EIO, SET_MEDIUM},       {EREMOTEIO, SET_MEDIUM},    {EILSEQ, SET_MEDIUM},
    {ETIMEDOUT, SET_MEDIUM}, {ENODATA, SET_MEDIUM},      {EBADMSG, SET_MEDIUM},
    {ENOLINK, SET_MEDIUM},   {EUCLEAN, SET_MEDIUM},      {EROFS, SET_READ_ONLY},
    {ENOTCONN, SET_SERVER},  {ECONNABORTED, SET_SERVER}, {ESTALE, SET_SERVER},
    {EFBIG, SET_SIZE},
};

static const char *const hints[] = {
    [SET_OTHER] = "",
    [SET_ROOM] = ": the filesystem is full",
    [SET_GONE] = ": the device was removed",
    [SET_MEDIUM] = ": the device reports an error",
    [SET_READ_ONLY] = ": the device or filesystem has become read-only",
    [SET_SERVER] = ": the process or server behind this filesystem is gone",
    [SET_SIZE] = ": this filesystem takes no file of that size",
};

static enum fault_set set_of(int error)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (sets[i].error == error)
            return sets[i].set;
    return SET_OTHER;
}

int fault_explain(const struct fault *fault, char *text, size_t size)
{
    int error = -fault->error;
    enum fault_set set = set_of(error);
    if (fault->is_disk_gone && (set == SET_MEDIUM || set == SET_SERVER || set == SET_READ_ONLY))
        set = SET_GONE; /* a pulled device answers in many voices */
    const char *hint = hints[set];
    if (set == SET_ROOM && error == ENOSPC && fault->room_bytes >= (1u << 20))
        hint = ": the filesystem still has room, so a layer below it is full";
    if (set == SET_ROOM && error == EDQUOT)
        hint = ": the quota of this user, group or project is used up";
    bool has_turned = fault->is_read_only && set != SET_READ_ONLY && set != SET_GONE;
    snprintf(text, size, "%s on %s failed: %s after %" PRIu64 " of %" PRIu64 " bytes%s%s",
             fault->doing, fault->place, strerror(error), fault->done, fault->total, hint,
             has_turned ? "; the filesystem has turned read-only" : "");
    return set == SET_GONE ? -ENODEV : fault->error;
}
