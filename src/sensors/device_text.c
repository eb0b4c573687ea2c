/* device_text.c - numbers as text, for small chips too; see device_inside.h. */
#include <math.h>

#include "sensors/device_inside.h"

static const uint32_t tens[] = {1,      10,      100,      1000,      10000,
                                100000, 1000000, 10000000, 100000000, 1000000000};

uint8_t tpi_sensor_put_whole(char *out, uint64_t value)
{
    char digits[20];
    uint8_t count = 0, length = 0;

    while (value > UINT32_MAX) { /* divisions of 64 bits are slow on small chips */
        digits[count++] = (char)('0' + (uint8_t)(value % 10));
        value /= 10;
    }
    uint32_t rest = (uint32_t)value;
    do {
        digits[count++] = (char)('0' + (uint8_t)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    while (count > 0) {
        out[length++] = digits[--count];
    }
    return length;
}

uint8_t tpi_sensor_put_number(char *out, double value, uint8_t places)
{
    uint8_t length = 0;
    const double scaled = fabs(value) * tens[places > 9 ? 9 : places] + (double)0.5F;

    if (!(scaled < 9.0e18)) { /* also what is no number */
        out[0] = '?';
        return 1;
    }
    uint64_t whole = (uint64_t)scaled;
    if (value < 0 && whole > 0) {
        out[length++] = '-';
    }
    if (places == 0) {
        return (uint8_t)(length + tpi_sensor_put_whole(out + length, whole));
    }
    uint32_t fraction = (uint32_t)(whole % tens[places]);
    length = (uint8_t)(length + tpi_sensor_put_whole(out + length, whole / tens[places]));
    out[length++] = '.';
    for (uint8_t i = places; i > 0; i--) {
        out[length++] = (char)('0' + (uint8_t)(fraction / tens[i - 1] % 10));
    }
    return length;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

uint8_t tpi_sensor_read_whole(const char *text, uint8_t length, uint64_t *out)
{
    uint8_t at = 0;

    *out = 0;
    while (at < length && is_digit(text[at])) {
        const uint8_t digit = (uint8_t)(text[at] - '0');
        if (*out > (UINT64_MAX - digit) / 10) {
            return 0;
        }
        *out = *out * 10 + digit;
        at++;
    }
    return at;
}

uint8_t tpi_sensor_read_number(const char *text, uint8_t length, double *out)
{
    uint8_t at = length > 0 && text[0] == '-';
    const uint8_t digits = at;
    double scale = 1;

    *out = 0;
    while (at < length && is_digit(text[at])) {
        *out = *out * 10 + (text[at++] - '0');
    }
    if (at == digits) {
        return 0;
    }
    if (at + 1 < length && text[at] == '.' && is_digit(text[at + 1])) {
        at++;
        while (at < length && is_digit(text[at])) {
            *out = *out * 10 + (text[at++] - '0');
            scale *= 10;
        }
    }
    *out = (text[0] == '-' ? -*out : *out) / scale;
    return at;
}
