/*
 * number.c - numbers as text, exactly.
 *
 * Both directions rest on one fact: an integer below 2^53 and a power of ten up to 10^22 are exact
 * doubles, so their quotient or product is rounded once, which is what reading the decimal text
 * means. Numbers outside that range take the slow path through the C library.
 */
#include "base/number.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_POWERS = 22, LONGEST_READ = 800 };

static const double powers_of_ten[EXACT_POWERS + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static const double exact_integers = 9007199254740992.0; /* 2^53 */

static size_t put_word(char *out, const char *word)
{
    size_t length = strlen(word);
    memcpy(out, word, length + 1);
    return length;
}

/* mantissa / 10^decimals, with at least one digit before the point. */
static size_t put_decimal(char *out, bool negative, uint64_t mantissa, int decimals)
{
    char digits[24];
    size_t count = 0;
    size_t length = 0;

    do {
        digits[count++] = (char)('0' + mantissa % 10);
        mantissa /= 10;
    } while (mantissa > 0 || count <= (size_t)decimals);

    if (negative) {
        out[length++] = '-';
    }
    while (count > 0) {
        out[length++] = digits[--count];
        if (decimals > 0 && count == (size_t)decimals) {
            out[length++] = '.';
        }
    }
    out[length] = '\0';
    return length;
}

/* Exchange one decimal point for another; in some locales it takes several bytes. */
static void exchange_point(char *text, const char *from, const char *to)
{
    char *point = strstr(text, from);

    if (point != NULL) {
        const char *rest = point + strlen(from);
        memmove(point + strlen(to), rest, strlen(rest) + 1);
        memcpy(point, to, strlen(to));
    }
}

/* The C library writes the locale's decimal point; JSON wants a full stop. */
static size_t put_general(char *out, int digits, double value)
{
    snprintf(out, TPI_NUMBER_SIZE, "%.*g", digits, value);
    exchange_point(out, localeconv()->decimal_point, ".");
    return strlen(out);
}

static size_t put_special(char *out, double value)
{
    if (isnan(value)) {
        return put_word(out, "NaN");
    }
    return put_word(out, value > 0 ? "Infinity" : "-Infinity");
}

typedef bool same_number(double text_value, double value);

static bool same_f64(double text_value, double value)
{
    return text_value == value;
}

static bool same_f32(double text_value, double value)
{
    return (float)text_value == (float)value;
}

/* The power of ten that the first digit stands for; the magnitude is 1e-5 or more. */
static int exponent_of(double magnitude)
{
    int exponent = 0;

    if (magnitude >= 1) {
        while (exponent < EXACT_POWERS && magnitude >= powers_of_ten[exponent + 1]) {
            exponent++;
        }
        return exponent;
    }
    do {
        exponent--;
    } while (exponent > -6 && magnitude * powers_of_ten[-exponent] < 1);
    return exponent;
}

static size_t put_stripped(char *out, bool negative, uint64_t mantissa, int decimals)
{
    while (decimals > 0 && mantissa % 10 == 0) {
        mantissa /= 10;
        decimals--;
    }
    return put_decimal(out, negative, mantissa, decimals);
}

/* With few digits. A number that has at most `sure` digits is found by rounding to so many, since
 * every decimal of so many digits survives the way through the type; one more digit at a time
 * follows. `places` is how many decimals are worth trying, `digits` how many digits always
 * suffice. */
static size_t put_finite(char *out, double value, int places, int sure, int digits,
                         same_number *same)
{
    const double magnitude = fabs(value);

    if (magnitude < exact_integers && magnitude == nearbyint(magnitude)) {
        return put_decimal(out, signbit(value), (uint64_t)magnitude, 0);
    }
    if (magnitude >= 1e-5 && magnitude < exact_integers) {
        int decimals = sure - 1 - exponent_of(magnitude);

        decimals = decimals < 1 ? 1 : decimals > places ? places : decimals;
        for (; decimals <= places; decimals++) {
            const double scaled = magnitude * powers_of_ten[decimals];
            const double mantissa = nearbyint(scaled);

            if (scaled >= exact_integers) {
                break;
            }
            if (same(mantissa / powers_of_ten[decimals], magnitude)) {
                return put_stripped(out, signbit(value), (uint64_t)mantissa, decimals);
            }
        }
    }
    for (int fewer = digits - 2; fewer < digits; fewer++) {
        size_t length = put_general(out, fewer, value);
        double back = 0;
        tpi_number_read_f64(out, length, &back);
        if (same(back, value)) {
            return length;
        }
    }
    return put_general(out, digits, value);
}

size_t tpi_number_put_f64(char out[TPI_NUMBER_SIZE], double value)
{
    return isfinite(value) ? put_finite(out, value, 17, 15, 17, same_f64) : put_special(out, value);
}

size_t tpi_number_put_f32(char out[TPI_NUMBER_SIZE], float value)
{
    const size_t length = tpi_number_fast_f32(out, value);

    if (length > 0) {
        return length;
    }
    return isfinite(value) ? put_finite(out, (double)value, 12, 6, 9, same_f32)
                           : put_special(out, (double)value);
}

/* The parts of a decimal text. */
struct decimal {
    uint64_t mantissa; /* the first 19 significant digits */
    int exponent;      /* of ten */
    bool negative;
    bool cut; /* more digits than the mantissa holds */
};

static size_t scan_digits(const char *text, size_t length, struct decimal *out, bool fraction)
{
    size_t i = 0;

    for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        if (out->mantissa < UINT64_C(1000000000000000000)) {
            out->mantissa = out->mantissa * 10 + (uint64_t)(text[i] - '0');
            out->exponent -= fraction ? 1 : 0;
        } else {
            out->cut = true;
            out->exponent += fraction ? 0 : 1;
        }
    }
    return i;
}

/* "e-12" at `text`: its length, 0 if it has no digits; the value is kept within reason. */
static size_t scan_exponent(const char *text, size_t length, int *exponent)
{
    if (length < 2) {
        return 0;
    }
    size_t i = text[1] == '+' || text[1] == '-' ? 2 : 1;
    size_t first = i;
    int value = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        value = value < 100000 ? value * 10 + (text[i] - '0') : value;
    }
    if (i == first) {
        return 0;
    }
    *exponent += text[1] == '-' ? -value : value;
    return i;
}

/* The length of the JSON number at `text`, 0 if there is none. */
static size_t scan_number(const char *text, size_t length, struct decimal *out)
{
    size_t i = length > 0 && text[0] == '-' ? 1 : 0;
    out->negative = i == 1;

    size_t whole = scan_digits(text + i, length - i, out, false);
    if (whole == 0 || (whole > 1 && text[i] == '0')) {
        return 0;
    }
    i += whole;
    if (i < length && text[i] == '.') {
        size_t fraction = scan_digits(text + i + 1, length - i - 1, out, true);
        if (fraction == 0) {
            return 0;
        }
        i += 1 + fraction;
    }
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        size_t exponent = scan_exponent(text + i, length - i, &out->exponent);
        if (exponent == 0) {
            return 0;
        }
        i += exponent;
    }
    return i;
}

static double read_slowly(const char *text, size_t length)
{
    char copy[LONGEST_READ + MB_LEN_MAX + 1];

    memcpy(copy, text, length);
    copy[length] = '\0';
    exchange_point(copy, ".", localeconv()->decimal_point);
    return strtod(copy, NULL);
}

size_t tpi_number_read_f64(const char *text, size_t length, double *value)
{
    struct decimal d = {0};
    const size_t used = scan_number(text, length, &d);

    if (used == 0 || used > LONGEST_READ) {
        return 0;
    }
    if (!d.cut && d.mantissa < UINT64_C(9007199254740992) && d.exponent >= -EXACT_POWERS &&
        d.exponent <= EXACT_POWERS) {
        double magnitude = (double)d.mantissa;
        magnitude = d.exponent < 0 ? magnitude / powers_of_ten[-d.exponent]
                                   : magnitude * powers_of_ten[d.exponent];
        *value = d.negative ? -magnitude : magnitude;
    } else {
        *value = read_slowly(text, used);
    }
    return used;
}

bool tpi_number_read_i64(const char *text, size_t length, int64_t *value)
{
    const bool negative = length > 0 && text[0] == '-';
    const uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    size_t i = negative ? 1 : 0;
    uint64_t magnitude = 0;

    if (i == length) {
        return false;
    }
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (magnitude > (most - digit) / 10) {
            return false;
        }
        magnitude = magnitude * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}
