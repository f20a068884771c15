/* units: numbers with units, from and to text. Pure; no locale. Parsing is the one checked helper:
 * results untouched on failure, -EINVAL for bad text, -ERANGE for overflow. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

int units_parse_u64(const char *text, uint64_t *ret_value);
int units_parse_double(const char *text, double *ret_value);
/* dd's suffixes: K M G T and KiB MiB … are 1024, kB MB GB TB are 1000. */
int units_parse_size(const char *text, uint64_t *ret_bytes);
/* K M G are 1000, an optional "bit/s" may follow. */
int units_parse_rate(const char *text, uint64_t *ret_bps);
/* 10, 10s, 500ms, 5m, 12h, 1.5s -> nanoseconds. */
int units_parse_time(const char *text, uint64_t *ret_ns);
/* "60MB/s", "940Mbit/s", "99%", "0.5 s", "0 B" -> base unit value for --expect: the unit must fit
 * `unit` (enum dyno_unit). */
int units_parse_value(const char *text, unsigned unit, double *ret_value);

#define UNITS_TEXT_MAX 32
struct units_text {
    char text[UNITS_TEXT_MAX];
};

/* Three significant digits and a decimal unit, as people compare them: "67.1 MB/s", "940 Mbit/s".
 */
struct units_text units_byte_rate(double bytes_per_s);
struct units_text units_byte_rate_binary(double bytes_per_s); /* "64.0 MiB/s" */
struct units_text units_bit_rate(double bits_per_s);
struct units_text units_bytes(double bytes);        /* "524 MB" */
struct units_text units_bytes_binary(double bytes); /* "24.9 GiB" */
struct units_text
units_size_option(uint64_t bytes); /* shortest exact dd spelling: "1M", "500M", "4096" */
struct units_text units_duration(double seconds);           /* "42 s", "1 min 50 s", "03:12:40" */
struct units_text units_value(double value, unsigned unit); /* any enum dyno_unit, with its unit */
const char *units_symbol(unsigned unit); /* JSON's base unit: "B" "bit" "s" "B/s" … */
int units_from_symbol(const char *symbol, unsigned *ret_unit);

#endif
