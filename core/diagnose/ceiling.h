/* ceiling: what the negotiated mode of a storage bus, or a network line, can carry at most. Pure.
 */
#ifndef DIAGNOSE_CEILING_H
#define DIAGNOSE_CEILING_H

#include <stdbool.h>
#include <stdint.h>

struct ceiling_link {
    const char *mode;  /* "HS200", "SDR104", "SuperSpeed", "SATA 6.0 Gbps", "PCIe 8.0 GT/s" */
    unsigned width;    /* data lines of a card, lanes of PCIe; 0: unknown */
    uint64_t clock_hz; /* the actual one; 0: what the standard names */
    bool is_emmc;      /* "legacy" and "high speed" have other clocks on an SD card */
};

/* Bytes per second; 0 when the mode is unknown or its width is needed and is not. */
double ceiling_of(const struct ceiling_link *link);
/* What a line of so many bit/s carries of the data of TCP or UDP, in full frames of 1500 bytes with
 * time stamps: bit/s. 0 of 0. */
double ceiling_tcp(double line_bps);
double ceiling_udp(double line_bps);
/* The share of the ceiling that is all a device gets over such a bus: from there on the bus is what
 * limits it. */
double ceiling_reach(const char *mode);

#endif
