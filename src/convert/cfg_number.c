/*
 * cfg_number.c - numbers as configuration files write them.
 *
 * The reader in base wants JSON's form, so a number is taken apart and put together again without a
 * plus sign and leading zeros, and with digits on both sides of its point.
 */
#include "convert/cfg_number.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { LONGEST = 800, LONGEST_HEX = 16 };

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* `text` is what follows 0x. */
static tpi_cfg_number_form read_hex(const char *text, bool negative, double *value)
{
    const size_t length = strlen(text);
    const size_t zeros = strspn(text, "0");

    if (length == 0 || strspn(text, "0123456789abcdefABCDEF") < length) {
        return TPI_CFG_NO_NUMBER;
    }
    if (length - zeros > LONGEST_HEX) {
        return TPI_CFG_TOO_LARGE;
    }
    *value = (double)strtoull(text, NULL, 16);
    *value = negative ? -*value : *value;
    return TPI_CFG_HEX;
}

/* Whether the whole text is "e-3" or alike, or empty. */
static bool is_exponent(const char *text)
{
    if (text[0] == '\0') {
        return true;
    }
    if (text[0] != 'e' && text[0] != 'E') {
        return false;
    }
    text += text[1] == '+' || text[1] == '-' ? 2 : 1;
    return text[0] != '\0' && text[count_digits(text)] == '\0';
}

static tpi_cfg_number_form read_decimal(const char *text, bool negative, double *value)
{
    const size_t whole = count_digits(text);
    const char *fraction = text + whole + (text[whole] == '.' ? 1 : 0);
    const size_t decimals = fraction > text + whole ? count_digits(fraction) : 0;
    const char *exponent = fraction + decimals;
    const size_t zeros = strspn(text, "0");
    char json[LONGEST + 1];

    if (whole + decimals == 0 || !is_exponent(exponent)) {
        return TPI_CFG_NO_NUMBER;
    }
    if (whole - zeros + decimals + strlen(exponent) > LONGEST - 4) { /* sign, point, two zeros */
        return TPI_CFG_TOO_LONG;
    }
    snprintf(json, sizeof json, "%s%.*s%s.%.*s%s%s", negative ? "-" : "", (int)(whole - zeros),
             text + zeros, whole == zeros ? "0" : "", (int)decimals, fraction,
             decimals == 0 ? "0" : "", exponent);
    if (tpi_number_read_f64(json, strlen(json), value) == 0 || !isfinite(*value)) {
        return TPI_CFG_TOO_LARGE;
    }
    return exponent[0] == '\0' ? TPI_CFG_DECIMAL : TPI_CFG_EXPONENT;
}

tpi_cfg_number_form tpi_cfg_number_read(const char *text, double *value)
{
    const bool negative = text[0] == '-';

    text += negative || text[0] == '+' ? 1 : 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        return read_hex(text + 2, negative, value);
    }
    return read_decimal(text, negative, value);
}
