/* colour.c - colours by name. */
#include "sim/world/colour.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LONGEST = 40 };

/* Small letters, no blanks, "gray" for "grey"; false if it is too long for a name. */
static bool simplify(const char *name, char out[LONGEST])
{
    size_t length = 0;

    for (; *name != '\0'; name++) {
        if (length + 1 == LONGEST) {
            return false;
        }
        if (*name != ' ' && *name != '\t') {
            const bool capital = *name >= 'A' && *name <= 'Z';
            out[length++] = (char)(capital ? *name - 'A' + 'a' : *name);
        }
    }
    out[length] = '\0';
    char *grey = strstr(out, "grey");
    if (grey != NULL) {
        grey[2] = 'a';
    }
    return true;
}

static int compare(const void *name, const void *colour)
{
    return strcmp(name, ((const struct sim_colour *)colour)->name);
}

static const struct sim_colour *find(const char *name)
{
    return bsearch(name, tpi_sim_colours, tpi_sim_colour_count, sizeof tpi_sim_colours[0], compare);
}

/* gray0 to gray100. */
static bool find_gray(const char *name, uint32_t *rgb)
{
    const char *digits = name + 4;
    const size_t count = strncmp(name, "gray", 4) == 0 ? strspn(digits, "0123456789") : 0;

    if (count == 0 || count > 3 || digits[count] != '\0' || atoi(digits) > 100) {
        return false;
    }
    *rgb = (uint32_t)((atoi(digits) * 255 + 50) / 100) * 0x010101u;
    return true;
}

static bool find_variant(char *name, uint32_t *rgb)
{
    const size_t length = strlen(name);
    const char digit = length > 0 ? name[length - 1] : '\0';

    if (digit < '1' || digit > '4') {
        return false;
    }
    name[length - 1] = '\0';
    const struct sim_colour *colour = find(name);
    if (colour == NULL || colour->rgb[4] == 0) {
        return false;
    }
    *rgb = colour->rgb[digit - '0'];
    return true;
}

bool tpi_sim_colour_find(const char *name, uint32_t *colour)
{
    char simple[LONGEST];
    uint32_t rgb;

    if (!simplify(name, simple)) {
        return false;
    }
    const struct sim_colour *plain = find(simple);
    if (plain != NULL) {
        rgb = plain->rgb[0];
    } else if (!find_gray(simple, &rgb) && !find_variant(simple, &rgb)) {
        return false;
    }
    *colour = rgb << 8 | 0xff;
    return true;
}

const char *tpi_sim_colour_guess(const char *name)
{
    char simple[LONGEST];
    tpi_nearest nearest;

    if (!simplify(name, simple)) {
        return NULL;
    }
    tpi_nearest_init(&nearest, simple);
    for (size_t i = 0; i < tpi_sim_colour_count; i++) {
        tpi_nearest_offer(&nearest, tpi_sim_colours[i].name);
    }
    return nearest.best;
}

static uint32_t part(double value)
{
    const double cut = value > 0 ? value : 0;

    return (uint32_t)((cut < 1 ? cut : 1) * 255 + 0.5);
}

uint32_t tpi_sim_colour_of(double red, double green, double blue, double alpha)
{
    return part(red) << 24 | part(green) << 16 | part(blue) << 8 | part(alpha);
}
