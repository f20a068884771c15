#include "diagnose/place.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static const struct place filesystems[] = {
    {"tmpfs", "tmpfs keeps its files in memory", PLACE_RAM, false},
    {"ramfs", "ramfs keeps its files in memory", PLACE_RAM, false},
    {"nfs", "this is NFS: the network and its server are measured, no disk of this board",
     PLACE_REMOTE, false},
    {"nfs4", "this is NFS: the network and its server are measured, no disk of this board",
     PLACE_REMOTE, false},
    {"cifs", "this is SMB: the network and its server are measured, no disk of this board",
     PLACE_REMOTE, false},
    {"smb3", "this is SMB: the network and its server are measured, no disk of this board",
     PLACE_REMOTE, false},
    {"9p", "this is 9P: a folder of another machine is measured, no disk of this board",
     PLACE_REMOTE, false},
    {"virtiofs", "this is virtiofs: a folder of the host is measured, no disk of this board",
     PLACE_REMOTE, false},
    {"fuse", "this is FUSE: a program serves the files, and its speed is part of the figure",
     PLACE_THROUGH, false},
    {"fuseblk", "this is FUSE: a program serves the files, and its speed is part of the figure",
     PLACE_THROUGH, true},
    {"overlay", "this is an overlay: the files lie in its upper folder, on another file system",
     PLACE_THROUGH, false},
    {"overlayfs", "this is an overlay: the files lie in its upper folder, on another file system",
     PLACE_THROUGH, false},
};

static const struct place devices[] = {
    {"zram", "zram is a disk in compressed memory", PLACE_RAM, false},
    {"loop", "a loop device stands on a file, which may answer from RAM", PLACE_THROUGH, false},
};

static const struct place *find(const struct place *places, size_t count, const char *name)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(places[i].name, name) == 0)
            return &places[i];
    return NULL;
}

const struct place *place_of_filesystem(const char *name)
{
    if (name && str_starts(name, "fuse."))
        name = "fuse";
    return find(filesystems, ARRAY_SIZE(filesystems), name);
}

/* What the worker found rules over what the order took it for. */
const struct place *place_of(const struct model *model)
{
    const char *name = model_fact(model, "file-system");
    const struct place *place =
        place_of_filesystem(name ? name : model_target(model, "filesystem"));
    const char *device = model_target(model, "device"), *disk = model_target(model, "disk");
    if (!place)
        place = find(devices, ARRAY_SIZE(devices), device);
    return place ? place : find(devices, ARRAY_SIZE(devices), disk);
}
