#include "device/linkmode.h"

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/str.h"

#define WORD_BITS 32

/* By bit, as include/uapi/linux/ethtool.h numbers them. */
static const struct {
    unsigned bit, mbps;
    const char *name;
} modes[] = {
    {0, 10, "10baseT/Half"},
    {1, 10, "10baseT/Full"},
    {2, 100, "100baseT/Half"},
    {3, 100, "100baseT/Full"},
    {4, 1000, "1000baseT/Half"},
    {5, 1000, "1000baseT/Full"},
    {12, 10000, "10000baseT/Full"},
    {15, 2500, "2500baseX/Full"},
    {17, 1000, "1000baseKX/Full"},
    {18, 10000, "10000baseKX4/Full"},
    {19, 10000, "10000baseKR/Full"},
    {21, 20000, "20000baseMLD2/Full"},
    {22, 20000, "20000baseKR2/Full"},
    {23, 40000, "40000baseKR4/Full"},
    {24, 40000, "40000baseCR4/Full"},
    {25, 40000, "40000baseSR4/Full"},
    {26, 40000, "40000baseLR4/Full"},
    {31, 25000, "25000baseCR/Full"},
    {32, 25000, "25000baseKR/Full"},
    {33, 25000, "25000baseSR/Full"},
    {34, 50000, "50000baseCR2/Full"},
    {35, 50000, "50000baseKR2/Full"},
    {36, 100000, "100000baseKR4/Full"},
    {37, 100000, "100000baseSR4/Full"},
    {38, 100000, "100000baseCR4/Full"},
    {39, 100000, "100000baseLR4_ER4/Full"},
    {40, 50000, "50000baseSR2/Full"},
    {41, 1000, "1000baseX/Full"},
    {42, 10000, "10000baseCR/Full"},
    {43, 10000, "10000baseSR/Full"},
    {44, 10000, "10000baseLR/Full"},
    {45, 10000, "10000baseLRM/Full"},
    {46, 10000, "10000baseER/Full"},
    {47, 2500, "2500baseT/Full"},
    {48, 5000, "5000baseT/Full"},
    {67, 100, "100baseT1/Full"},
    {68, 1000, "1000baseT1/Full"},
    {90, 100, "100baseFX/Half"},
    {91, 100, "100baseFX/Full"},
    {92, 10, "10baseT1L/Full"},
    {99, 10, "10baseT1S/Full"},
    {100, 10, "10baseT1S/Half"},
};

static bool has_bit(const uint32_t *words, size_t count, unsigned bit)
{
    return bit / WORD_BITS < count && (words[bit / WORD_BITS] >> bit % WORD_BITS & 1u);
}

void linkmode_names(const uint32_t *words, size_t count, struct str *into)
{
    const char *gap = "";
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        if (!has_bit(words, count, modes[i].bit))
            continue;
        str_addf(into, "%s%s", gap, modes[i].name);
        gap = " ";
    }
}

unsigned linkmode_most(const uint32_t *words, size_t count)
{
    return linkmode_most_common(words, count, words, count);
}

unsigned linkmode_most_common(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    unsigned most = 0;
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
        if (has_bit(a, a_count, modes[i].bit) && has_bit(b, b_count, modes[i].bit) &&
            modes[i].mbps > most)
            most = modes[i].mbps;
    return most;
}
