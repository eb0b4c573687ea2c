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
enum { EIGHT = 8, SHORT = 4, SHORT_SCALE = 10000, SHORT_LIMIT = 134 }; /* below 2^(134 - 127) */

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

/* Numbers of a byte, each with a comma behind it. */
static const char bytes[] =
    "0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, "
    "20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, "
    "40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, "
    "60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, "
    "80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, "
    "100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118,119,"
    "120,121,122,123,124,125,126,127,128,129,130,131,132,133,134,135,136,137,138,139,"
    "140,141,142,143,144,145,146,147,148,149,150,151,152,153,154,155,156,157,158,159,"
    "160,161,162,163,164,165,166,167,168,169,170,171,172,173,174,175,176,177,178,179,"
    "180,181,182,183,184,185,186,187,188,189,190,191,192,193,194,195,196,197,198,199,"
    "200,201,202,203,204,205,206,207,208,209,210,211,212,213,214,215,216,217,218,219,"
    "220,221,222,223,224,225,226,227,228,229,230,231,232,233,234,235,236,237,238,239,"
    "240,241,242,243,244,245,246,247,248,249,250,251,252,253,254,255,";

/* How many zeros a pair ends with. */
static const uint8_t zeros[100] = {[0] = 2,  [10] = 1, [20] = 1, [30] = 1, [40] = 1,
                                   [50] = 1, [60] = 1, [70] = 1, [80] = 1, [90] = 1};

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

/* A number of a byte and a comma that does not count. Four characters of `out` are written. */
static size_t put_byte(char *out, uint32_t value)
{
    memcpy(out, bytes + value * 4, 4);
    return 1U + (value > 9) + (value > 99);
}

char *tpi_number_put_bytes(char *out, const uint8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out += put_byte(out, values[i]) + 1;
    }
    return out;
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
 * `most`. Up to two without a branch, since numbers of sensors differ in this; numbers with few
 * decimals seldom come here. */
static int spare_digits(uint32_t least, uint32_t most, int decimals)
{
    int spare = (most / 10 * 10 >= least) + (most / 100 * 100 >= least);

    if (spare == 2) {
        while (spare < decimals &&
               most / whole_powers[spare + 1] * whole_powers[spare + 1] >= least) {
            spare++;
        }
    }
    return spare < decimals ? spare : decimals;
}

/* Half the interval of a float; none of a power of two, whose interval is lopsided, and of 0. */
static double half_interval(uint32_t bits)
{
    const uint64_t wide = (uint64_t)((bits >> 23 & 255) + 1023 - 127 - 24) << 52;
    double half;

    memcpy(&half, &wide, sizeof half);
    return (bits & 0x7fffff) == 0 ? 0 : half;
}

/* A number below 128 that has up to four decimals, as most sensors give them: 0 if it has more. The
 * interval is narrower than the step of four decimals here, so that there is one candidate. */
static size_t put_short(char *out, uint32_t bits, double magnitude)
{
    const double scaled = magnitude * SHORT_SCALE, nearest = scaled + to_even - to_even;

    if (fabs(scaled - nearest) > half_interval(bits) * SHORT_SCALE) {
        return 0;
    }
    const uint32_t all = (uint32_t)nearest, whole = all / SHORT_SCALE;
    const uint32_t fraction = all - whole * SHORT_SCALE, high = fraction / 100;
    const uint32_t low = fraction - high * 100;
    const unsigned decimals = SHORT - zeros[low] - (low == 0 ? zeros[high] : 0U);
    const size_t length = put_byte(out, whole);

    out[length] = '.';
    memcpy(out + length + 1, pairs + high * 2, 2);
    memcpy(out + length + 3, pairs + low * 2, 2);
    const size_t end = length + decimals + (decimals > 0);
    out[end] = '\0';
    return end;
}

/* Any other number of a known magnitude. */
static size_t put_long(char *out, double magnitude, uint32_t scale)
{
    const double scaled = magnitude * powers_of_ten[scales[scale].decimals];
    const uint32_t least = (uint32_t)(scaled - scales[scale].half) + 1;
    const uint32_t most = (uint32_t)(scaled + scales[scale].half);
    const int decimals = scales[scale].decimals - spare_digits(least, most, scales[scale].decimals);
    const uint32_t best = (uint32_t)(magnitude * powers_of_ten[decimals] + to_even - to_even);

    if (decimals == 0) {
        return tpi_number_put_whole(out, best);
    }
    const uint32_t whole = (uint32_t)magnitude; /* of `best` too: else it had no decimals */
    const size_t length = whole < 256 ? put_byte(out, whole) : tpi_number_put_whole(out, whole);
    out[length] = '.';
    put_decimals(out + length + 1, whole == 0 ? best : best - whole * whole_powers[decimals],
                 decimals);
    out[length + 1 + (size_t)decimals] = '\0';
    return length + 1 + (size_t)decimals;
}

size_t tpi_number_fast_f32(char out[TPI_NUMBER_SIZE], float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t exponent = bits >> 23 & 255, scale = exponent - LEAST, minus = bits >> 31;
    const double magnitude = fabs((double)value);
    size_t length = 0;

    *out = '-';
    out += minus;
    if (exponent < SHORT_LIMIT) {
        length = put_short(out, bits, magnitude);
    }
    if (length == 0 && scale < SCALES && (bits & 0x7fffff) != 0) {
        length = put_long(out, magnitude, scale);
    }
    return length > 0 ? minus + length : 0;
}
