/* manifest_words.c - the words of manifests, and units as text; see manifest.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sensors/manifest_inside.h"

const char *const tpi_channel_types[] = {"sensor", "actuator", "event_sensor", NULL};
const char *const tpi_unit_types[] = {"raw", "si_product", "digital", "percent", "arbitrary", NULL};
const char *const tpi_scaling_functions[] = {"none", "piecewise_lin", "polynomial", "exponential",
                                             "log",  "normalize",     NULL};

const char *tpi_channel_type_name(tpi_channel_type type)
{
    return tpi_channel_types[type];
}

const char *tpi_unit_type_name(tpi_unit_type type)
{
    return tpi_unit_types[type];
}

const char *tpi_scaling_function_name(tpi_scaling_function function)
{
    return tpi_scaling_functions[function];
}

bool tpi_manifest_same(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        const char x = *a == ' ' ? '_' : *a;
        const char y = *b == ' ' ? '_' : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

int tpi_manifest_word(const char *const *words, const char *text)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (tpi_manifest_same(words[i], text)) {
            return i;
        }
    }
    return -1;
}

/* ---- Units ----------------------------------------------------------------------------------- */

/* Base units, those with names of their own, and those that are used with them. */
static const char *const symbols[] = {
    "m",   "kg",   "g", "s", "A",   "K",  "mol", "cd",  "rad", "sr",  "Hz", "N",  "Pa", "J",
    "W",   "C",    "V", "F", "S",   "Wb", "T",   "H",   "lm",  "lx",  "Bq", "Gy", "Sv", "kat",
    "Ohm", "degC", "L", "l", "min", "h",  "d",   "deg", "dB",  "bar", "eV", "pH", "1",  NULL,
};

/* A power behind ^: a whole number, a sign first if it is negative. */
static const char *skip_power(const char *at)
{
    const char *digits;

    if (*at != '^') {
        return at;
    }
    at += 1 + (at[1] == '-');
    digits = at;
    at += strspn(at, "0123456789");
    return at > digits ? at : NULL;
}

bool tpi_si_units_valid(const char *formula)
{
    const char *at = formula;

    for (;;) {
        char name[8] = "";
        const size_t length = strcspn(at, "*/^ ");
        if (length == 0 || length >= sizeof name) {
            return false;
        }
        memcpy(name, at, length);
        if (tpi_manifest_word(symbols, name) < 0 || (at = skip_power(at + length)) == NULL) {
            return false;
        }
        if (*at == '\0') {
            return true;
        }
        if (*at != '*' && *at != '/') {
            return false;
        }
        at++;
    }
}

/* The prefix of a power of ten; NULL if there is none. */
static const char *prefix(double magnitude)
{
    static const struct {
        int power;
        const char *text;
    } all[] = {{-9, "n"}, {-6, "u"}, {-3, "m"}, {-2, "c"}, {-1, "d"},
               {0, ""},   {2, "h"},  {3, "k"},  {6, "M"},  {9, "G"}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (magnitude == all[i].power) {
            return all[i].text;
        }
    }
    return NULL;
}

/* "mm", "cm^3/s": a prefix belongs to the first unit and to its power. Without one that fits, the
 * power of ten stands in front. */
static void put_si(const tpi_conversion *c, tpi_buf *out)
{
    const bool is_kilogram = strncmp(c->si_units, "kg", 2) == 0 &&
                             (c->si_units[2] == '\0' || strchr("*/^", c->si_units[2]) != NULL);
    const char *rest = c->si_units + is_kilogram; /* its k is a prefix already */
    const char *power_at = rest + strcspn(rest, "*/^");
    const double power = *power_at == '^' ? strtod(power_at + 1, NULL) : 1;
    const char *before = power != 0 && c->si_units[0] != '1'
                             ? prefix(c->magnitude / power + (is_kilogram ? 3 : 0))
                             : NULL;

    if (c->magnitude == 0) {
        tpi_buf_puts(out, c->si_units);
    } else if (before != NULL) {
        tpi_buf_printf(out, "%s%s", before, rest);
    } else {
        tpi_buf_printf(out, "10^%g %s", c->magnitude, c->si_units);
    }
}

void tpi_conversion_put_unit(const tpi_conversion *c, tpi_buf *out)
{
    switch (c->unit) {
    case TPI_UNIT_PERCENT:
        tpi_buf_putc(out, '%');
        return;
    case TPI_UNIT_SI_PRODUCT:
        put_si(c, out);
        return;
    case TPI_UNIT_ARBITRARY:
        tpi_buf_puts(out, c->label);
        return;
    case TPI_UNIT_RAW:
    case TPI_UNIT_DIGITAL:
    default:
        return;
    }
}

const tpi_transducer *tpi_manifest_channel(const tpi_manifest *manifest, unsigned channel)
{
    for (unsigned i = 0; i < manifest->transducer_count; i++) {
        if (manifest->transducers[i].channel == channel) {
            return &manifest->transducers[i];
        }
    }
    return NULL;
}
