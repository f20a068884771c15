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

struct device_usb {        /* of a disk on USB; 0 and NULL: unknown */
    unsigned speed_mbps;   /* negotiated */
    unsigned port_mbps;    /* the most its port can do */
    unsigned capable_mbps; /* the most the device can do */
    bool is_proven; /* capable_mbps stands in its descriptors; else its version hints at it */
    char *driver;   /* "uas", "usb-storage" */
    char *ids;      /* "0951:1666" */
    bool is_uas_capable;
    char *uas_off; /* it could, but runs as bulk-only: why, "?" when nobody knows */
    char *advice;  /* it is slower than its port and itself: what to do */
};

struct device_claims { /* what an SD card promises in its status register; 0: nothing */
    unsigned speed_class, uhs, video, application;
    uint64_t unit_bytes; /* allocation unit */
};

struct device_health { /* wear of an eMMC as it reports it */
    unsigned used[2];  /* percent of its life at most, by memory type; 0 unknown */
    bool is_past;      /* beyond its estimated life */
    unsigned reserved; /* spare blocks: 1 normal, 2 warning, 3 urgent; 0 unknown */
};

struct device_card { /* of eMMC and SD */
    char *maker, *firmware, *date;
    char *doubt;          /* why it may be a counterfeit; NULL: no sign */
    uint64_t erase_bytes; /* preferred erase size; 0 unknown */
    struct device_claims claims;
    unsigned revision;  /* of an eMMC's extended CSD: 7 is eMMC 5.0, 8 is 5.1; 0 unknown */
    unsigned bus_lines; /* data lines that an SD card's SCR register offers: 1 or 4; 0 unknown */
    struct device_health health;
};

struct link; /* of a network port: device/link.h */

struct device {
    enum device_kind kind;
    char *id;            /* kernel name: "mmcblk0", "sda1", "dram" */
    char *name;          /* model or card name, cleaned; NULL unknown */
    char *parent;        /* id of the whole disk; NULL */
    char *serial, *cid;  /* NULL unknown */
    char *identity;      /* stays the same in any slot of any machine: CID, VID:PID:serial; NULL */
    uint64_t size_bytes; /* 0: no medium or none */
    bool has_medium, is_read_only;
    bool is_write_protected; /* by the card or bridge: a lock switch */
    bool is_path;            /* one of several ways to a disk that stands there once */
    bool is_root;            /* holds the root file system, itself or on a partition */
    bool is_boot;            /* the same of a boot loader's files; unknown when no device has it */
    char *filesystem;        /* of the mount; NULL */
    char *label;             /* of the file system; NULL unknown */
    char **mounts; /* decoded mount points, NULL-ended; NULL: not mounted. Those of the whole file
                      system first, then binds of a folder or file of it; each shortest first */
    bool is_mount_read_only; /* of mounts[0] */
    char *stat_path;         /* sysfs `stat` of the leaf disk; NULL: none */
    char *sysfs_path;        /* resolved folder in sysfs; NULL */
    unsigned major, minor;
    unsigned logical_block, physical_block; /* bytes, 0 unknown */
    uint64_t start_bytes;                   /* of a partition */
    uint64_t disk_sequence;                 /* counts every disk that came; 0 unknown */
    char *bus_mode;                         /* "HS200", "SuperSpeed"; NULL unknown */
    unsigned bus_width;
    uint64_t bus_clock_hz;
    double ceiling_bps; /* bytes per second, 0 unknown */
    char *bus_source;
    bool is_bus_at_most; /* what the board allows, not what was negotiated */
    char *bus_allowed;   /* the fastest mode its device tree allows, kept beside that; NULL */
    unsigned bus_allowed_width;
    uint64_t bus_allowed_hz; /* 0: as the mode has it */
    char *bus_error;         /* last the kernel said of a host; NULL */
    struct device_usb usb;
    struct device_card card;
    struct link *link; /* of a network port; NULL else */
    bool is_hidden;    /* left out of the plain list: `why` tells its nature */
    bool is_testable;
    char *why; /* when it is not, what to say after "sda: " ("it has no medium"); NULL */
};

void device_done(struct device *device);

#endif
