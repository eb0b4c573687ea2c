/*
 * number_fast.c - the numbers that sensors send in thousands, as text.
 *
 * A float stands for all numbers that are nearer to it than to its neighbours. Times a power of ten
 * that makes this interval one to ten units wide, the float and the ends of the interval are exact
 * as doubles: 24 bits of the float, 24 bits of a power of five. Half the interval is odd over a
 * power of two, and its ends are odd multiples of that: they are never whole, so it does not matter
 * to which neighbour they belong. The fewest digits are those of the roundest whole number between
 * the ends. The whole number that is nearest to the float is between them too, since the float is
 * in the middle. Outside of the usual magnitudes the caller takes the slow way.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"

enum { LEAST = 117, MOST = 149, SCALES = MOST - LEAST + 1, POWERS = 11 };
enum { EIGHT = 8 };

/* Of a binary exponent: so many decimals, and half the interval in their units. */
static const struct {
    int decimals;
    double half;
} scales[SCALES] = {
    {10, 0.5820766091346741},
    {10, 1.1641532182693481},
    {10, 2.3283064365386963},
    {10, 4.656612873077393},
    {9, 0.9313225746154785},
    {9, 1.862645149230957},
    {9, 3.725290298461914},
    {8, 0.7450580596923828},
    {8, 1.4901161193847656},
    {8, 2.9802322387695312},
    {7, 0.5960464477539062},
    {7, 1.1920928955078125},
    {7, 2.384185791015625},
    {7, 4.76837158203125},
    {6, 0.95367431640625},
    {6, 1.9073486328125},
    {6, 3.814697265625},
    {5, 0.762939453125},
    {5, 1.52587890625},
    {5, 3.0517578125},
    {4, 0.6103515625},
    {4, 1.220703125},
    {4, 2.44140625},
    {4, 4.8828125},
    {3, 0.9765625},
    {3, 1.953125},
    {3, 3.90625},
    {2, 0.78125},
    {2, 1.5625},
    {2, 3.125},
    {1, 0.625},
    {1, 1.25},
    {1, 2.5},
};

static const double powers_of_ten[POWERS] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
                                             1e6, 1e7, 1e8, 1e9, 1e10};

static const uint32_t whole_powers[] = {1,      10,      100,      1000,      10000,
                                        100000, 1000000, 10000000, 100000000, 1000000000};

static const double to_even = 4503599627370496.0; /* 2^52: adding it rounds, half to even */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* The digits of a number, the last one before `end`; where they begin. */
static char *put_digits(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + value * 2, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

size_t tpi_number_put_whole(char out[TPI_NUMBER_SIZE], int64_t value)
{
    char digits[24];
    const uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    size_t length = 0;

    if (value < 0) {
        out[length++] = '-';
    }
    if (rest < 10) {
        out[length++] = (char)('0' + rest);
    } else if (rest < 100) {
        memcpy(out + length, pairs + rest * 2, 2);
        length += 2;
    } else if (rest < 1000) {
        out[length++] = (char)('0' + rest / 100);
        memcpy(out + length, pairs + rest % 100 * 2, 2);
        length += 2;
    } else {
        const char *first = put_digits(digits + sizeof digits, rest);
        memcpy(out + length, first, (size_t)(digits + sizeof digits - first));
        length += (size_t)(digits + sizeof digits - first);
    }
    out[length] = '\0';
    return length;
}

/* Eight digits, with zeros before. */
static void put_eight(char *out, uint32_t value)
{
    const uint32_t high = value / 10000, low = value % 10000;

    memcpy(out, pairs + high / 100 * 2, 2);
    memcpy(out + 2, pairs + high % 100 * 2, 2);
    memcpy(out + 4, pairs + low / 100 * 2, 2);
    memcpy(out + 6, pairs + low % 100 * 2, 2);
}

/* fraction / 10^decimals behind the point, 1 to 10 decimals. Behind the text some zeros of `out`
 * are written that do not count. */
static void put_decimals(char *out, uint32_t fraction, int decimals)
{
    if (decimals <= EIGHT) {
        put_eight(out, fraction * whole_powers[EIGHT - decimals]);
        return;
    }
    const uint32_t power = whole_powers[decimals - EIGHT], last = fraction % power;

    put_eight(out, fraction / power);
    memcpy(out + EIGHT, pairs + (decimals == EIGHT + 1 ? last * 10 : last) * 2, 2);
}

/* How many digits at the end can be left out: the power of ten that has a multiple from `least` to
 * `most`. Up to four without a branch, since numbers of sensors differ in this. */
static int spare_digits(uint32_t least, uint32_t most, int decimals)
{
    int spare = (most / 10 * 10 >= least) + (most / 100 * 100 >= least) +
                (most / 1000 * 1000 >= least) + (most / 10000 * 10000 >= least);

    if (spare == 4) {
        while (spare < decimals &&
               most / whole_powers[spare + 1] * whole_powers[spare + 1] >= least) {
            spare++;
        }
    }
    return spare < decimals ? spare : decimals;
}

size_t tpi_number_fast_f32(char out[TPI_NUMBER_SIZE], float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t scale = (bits >> 23 & 255) - LEAST, minus = bits >> 31;

    if (scale >= SCALES ||
        (bits & 0x7fffff) == 0) { /* the interval of a power of two is lopsided */
        return 0;
    }
    const double magnitude = fabs((double)value);
    const double scaled = magnitude * powers_of_ten[scales[scale].decimals];
    const uint32_t least = (uint32_t)(scaled - scales[scale].half) + 1;
    const uint32_t most = (uint32_t)(scaled + scales[scale].half);
    const int decimals = scales[scale].decimals - spare_digits(least, most, scales[scale].decimals);
    const uint32_t best = (uint32_t)(magnitude * powers_of_ten[decimals] + to_even - to_even);

    *out = '-';
    out += minus;
    if (decimals == 0) {
        return minus + tpi_number_put_whole(out, best);
    }
    const uint32_t whole = (uint32_t)magnitude; /* of `best` too: else it had no decimals */
    const size_t length = tpi_number_put_whole(out, whole);
    out[length] = '.';
    put_decimals(out + length + 1, whole == 0 ? best : best - whole * whole_powers[decimals],
                 decimals);
    out[length + 1 + (size_t)decimals] = '\0';
    return minus + length + 1 + (size_t)decimals;
}
