#include "diagnose/ceiling.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"

#define REACH_CARD 0.80 /* 71 to 89 % were seen on boards */
#define REACH_USB2 0.55 /* 34 to 43 of 60 MB/s */
#define REACH_USB3 0.80

static const struct card_mode {
    const char *name;
    uint64_t sd_hz, emmc_hz; /* 0: not of this kind of card */
    unsigned transfers;      /* a clock */
} card_modes[] = {
    {"legacy", 25000000, 26000000, 1}, {"high speed", 50000000, 52000000, 1},
    {"SDR12", 25000000, 0, 1},         {"SDR25", 50000000, 0, 1},
    {"SDR50", 100000000, 0, 1},        {"SDR104", 208000000, 0, 1},
    {"DDR50", 50000000, 0, 2},         {"DDR52", 0, 52000000, 2},
    {"HS200", 0, 200000000, 1},        {"HS400", 0, 200000000, 2},
    {"HS400ES", 0, 200000000, 2},
};

/* The whole bus at once, after line coding. */
static const struct {
    const char *name;
    double bps, reach;
} plain_modes[] = {
    {"Low Speed", 1.5e6 / 8, REACH_USB2},
    {"Full Speed", 12e6 / 8, REACH_USB2},
    {"High Speed", 480e6 / 8, REACH_USB2},
    {"SuperSpeed", 5e9 / 10, REACH_USB3},              /* 8b/10b */
    {"SuperSpeed+", 10e9 / 8 * 128 / 132, REACH_USB3}, /* 128b/132b */
    {"SuperSpeed+ x2", 20e9 / 8 * 128 / 132, REACH_USB3},
    {"SATA 1.5 Gbps", 1.5e9 / 10, REACH_CARD},
    {"SATA 3.0 Gbps", 3e9 / 10, REACH_CARD},
    {"SATA 6.0 Gbps", 6e9 / 10, REACH_CARD},
};

static const struct {
    double giga_transfers, lane_bps;
} pcie_speeds[] = {
    {2.5, 2.5e9 / 10},          {5, 5e9 / 10}, {8, 8e9 / 8 * 128 / 130}, {16, 16e9 / 8 * 128 / 130},
    {32, 32e9 / 8 * 128 / 130},
};

static double of_card(const struct card_mode *mode, const struct ceiling_link *link)
{
    uint64_t standard_hz = link->is_emmc && mode->emmc_hz ? mode->emmc_hz : mode->sd_hz;
    if (standard_hz == 0)
        standard_hz = mode->emmc_hz;
    uint64_t clock_hz = link->clock_hz ? link->clock_hz : standard_hz;
    return (double)clock_hz * link->width / 8 * mode->transfers;
}

static double of_pcie(const struct ceiling_link *link)
{
    AUTO_FREE char *speed = mem_copy_text(link->mode + strlen("PCIe "));
    double value = 0;
    speed[strcspn(speed, " ")] = '\0';
    if (units_parse_double(speed, &value) < 0)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(pcie_speeds); i++)
        if (value > pcie_speeds[i].giga_transfers - 0.01 &&
            value < pcie_speeds[i].giga_transfers + 0.01)
            return pcie_speeds[i].lane_bps * link->width;
    return 0;
}

double ceiling_of(const struct ceiling_link *link)
{
    if (!link->mode)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(card_modes); i++)
        if (strcmp(card_modes[i].name, link->mode) == 0)
            return of_card(&card_modes[i], link);
    for (size_t i = 0; i < ARRAY_SIZE(plain_modes); i++)
        if (strcmp(plain_modes[i].name, link->mode) == 0)
            return plain_modes[i].bps;
    return str_starts(link->mode, "PCIe ") ? of_pcie(link) : 0;
}

double ceiling_reach(const char *mode)
{
    for (size_t i = 0; mode && i < ARRAY_SIZE(plain_modes); i++)
        if (strcmp(plain_modes[i].name, mode) == 0)
            return plain_modes[i].reach;
    return REACH_CARD;
}

/* A full frame takes 1538 bytes of the wire with its preamble and gap: 1448 of TCP's data are left
 * in it (20 IP, 20 TCP, 12 time stamp), of UDP's 1472. */
double ceiling_tcp(double line_bps)
{
    return line_bps > 0 ? line_bps * (1448.0 / 1538.0) : 0;
}

double ceiling_udp(double line_bps)
{
    return line_bps > 0 ? line_bps * (1472.0 / 1538.0) : 0;
}
