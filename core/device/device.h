/* device: one thing that can be tested, or the place where it is missing. Plain data, owned by its
 * inventory; other rooms look devices up by id and never keep a pointer over a turn of the loop. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum device_kind { /* names as in the JSON of `list` */
                   DEVICE_EMMC,
                   DEVICE_SD,
                   DEVICE_USB,
                   DEVICE_NVME,
                   DEVICE_SATA,
                   DEVICE_UFS,
                   DEVICE_VIRTIO,
                   DEVICE_LOOP,
                   DEVICE_ZRAM,
                   DEVICE_DM,
                   DEVICE_MD,
                   DEVICE_MTD,
                   DEVICE_DISK, /* a disk none of the rules knows */
                   DEVICE_PARTITION,
                   DEVICE_DRAM,
                   DEVICE_ETHERNET,
                   DEVICE_WIFI,
                   DEVICE_SLOT, /* a place without its device */
                   DEVICE_KINDS
};
const char *device_kind_name(enum device_kind kind);  /* "emmc" */
const char *device_kind_label(enum device_kind kind); /* "eMMC", for the screen */

struct device {
    enum device_kind kind;
    char *id;            /* kernel name: "mmcblk0", "sda1", "dram" */
    char *name;          /* model or card name, cleaned; NULL unknown */
    char *parent;        /* id of the whole disk; NULL */
    char *serial, *cid;  /* NULL unknown */
    uint64_t size_bytes; /* 0: no medium or none */
    bool has_medium, is_read_only;
    bool is_root;     /* holds the root file system, itself or on a partition */
    char *filesystem; /* of the mount; NULL */
    char **mounts; /* decoded mount points, NULL-ended; NULL: not mounted. Those of the whole file
                      system first, then binds of a folder or file of it; each shortest first */
    bool is_mount_read_only; /* of mounts[0] */
    char *stat_path;         /* sysfs `stat` of the leaf disk; NULL: none */
    char *sysfs_path;        /* resolved folder in sysfs; NULL */
    unsigned major, minor;
    unsigned logical_block, physical_block; /* bytes, 0 unknown */
    char *bus_mode;                         /* "HS200", "SuperSpeed"; NULL unknown */
    unsigned bus_width;
    uint64_t bus_clock_hz;
    double ceiling_bps; /* bytes per second, 0 unknown */
    char *bus_source;
    unsigned usb_speed_mbps; /* negotiated; 0: not on USB or unknown */
    char *usb_driver;        /* "uas", "usb-storage"; NULL */
    bool is_uas_capable;
    bool is_testable;
    char *why; /* when it is not, what to say after "sda: " ("it has no medium"); NULL */
};

void device_done(struct device *device);

#endif
