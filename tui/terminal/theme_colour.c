#include "terminal/theme_colour.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define FORM_MAX 32 /* bytes of one form */

static const char *const ansi_names[16] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white"};

/* The console's own palette; terminals differ, but in this neighbourhood. */
static const int32_t ansi_rgb[16] = {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa,
                                     0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55, 0xffff55,
                                     0x5555ff, 0xff55ff, 0x55ffff, 0xffffff};

static const int cube_steps[6] = {0, 95, 135, 175, 215, 255};

static int32_t rgb_of_index(int index)
{
    if (index < 16)
        return ansi_rgb[index];
    if (index >= 232)
        return (index - 232) * 0x0a0a0a + 0x080808;
    index -= 16;
    return cube_steps[index / 36] << 16 | cube_steps[index / 6 % 6] << 8 | cube_steps[index % 6];
}

/* Weighted by how the eye sees the three. */
static long distance(int32_t a, int32_t b)
{
    long red = (a >> 16 & 255) - (b >> 16 & 255);
    long green = (a >> 8 & 255) - (b >> 8 & 255);
    long blue = (a & 255) - (b & 255);

    return 3 * red * red + 6 * green * green + blue * blue;
}

/* The first 16 of 256 are skipped: their look is the user's choice. */
static int nearest(int32_t rgb, int first, int last)
{
    int best = first;

    for (int i = first + 1; i <= last; i++) {
        if (distance(rgb_of_index(i), rgb) < distance(rgb_of_index(best), rgb))
            best = i;
    }
    return best;
}

static int parse_hex(const char *digits, int32_t *ret_rgb)
{
    int32_t value = 0;

    if (strlen(digits) != 6)
        return -EINVAL;
    for (; *digits; digits++) {
        if (!isxdigit((unsigned char)*digits))
            return -EINVAL;
        int digit = isdigit((unsigned char)*digits) ? *digits - '0' : (*digits | 32) - 'a' + 10;
        value = value << 4 | digit;
    }
    *ret_rgb = value;
    return 0;
}

static int parse_index(const char *digits, int16_t *ret_index)
{
    int value = 0;

    for (; *digits; digits++) {
        if (!isdigit((unsigned char)*digits) || value > 255)
            return -EINVAL;
        value = value * 10 + (*digits - '0');
    }
    if (value > 255)
        return -EINVAL;
    *ret_index = (int16_t)value;
    return 0;
}

static int parse_form(const char *form, struct theme_colour *colour)
{
    if (form[0] == '#')
        return parse_hex(form + 1, &colour->rgb);
    if (isdigit((unsigned char)form[0]))
        return parse_index(form, &colour->index256);
    for (size_t i = 0; i < ARRAY_SIZE(ansi_names); i++) {
        if (strcmp(form, ansi_names[i]) == 0) {
            colour->ansi = (int16_t)i;
            return 0;
        }
    }
    return -EINVAL;
}

/* Copies the text without the blanks around it; -EINVAL when nothing or too much is left. */
static int trim(const char *text, size_t size, char into[FORM_MAX])
{
    while (size && isspace((unsigned char)*text))
        text++, size--;
    while (size && isspace((unsigned char)text[size - 1]))
        size--;
    if (size == 0 || size >= FORM_MAX)
        return -EINVAL;
    memcpy(into, text, size);
    into[size] = 0;
    return 0;
}

static void complete(struct theme_colour *colour)
{
    int32_t rgb = colour->rgb;

    if (rgb < 0)
        rgb = colour->index256 >= 0 ? rgb_of_index(colour->index256) : ansi_rgb[colour->ansi];
    if (colour->ansi < 0)
        colour->ansi = (int16_t)nearest(rgb, 0, 15);
    if (colour->index256 < 0)
        colour->index256 = colour->rgb < 0 ? colour->ansi : (int16_t)nearest(rgb, 16, 255);
    colour->rgb = rgb;
}

int theme_colour_parse(const char *text, size_t size, struct theme_colour *ret_colour)
{
    struct theme_colour colour = {-1, -1, -1};
    char form[FORM_MAX];

    /* The terminal's own colour stands alone: it has no other form. */
    if (trim(text, size, form) == 0 && strcmp(form, "default") == 0) {
        *ret_colour = colour;
        return 0;
    }
    for (bool is_last = false; !is_last;) {
        const char *bar = memchr(text, '|', size);
        size_t length = bar ? (size_t)(bar - text) : size;

        if (trim(text, length, form) < 0 || parse_form(form, &colour) < 0)
            return -EINVAL;
        is_last = !bar;
        if (bar) {
            text += length + 1;
            size -= length + 1;
        }
    }
    complete(&colour);
    *ret_colour = colour;
    return 0;
}
