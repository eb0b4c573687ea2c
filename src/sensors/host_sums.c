/*
 * host_sums.c - what commands and answers are checked by; see host_inside.h.
 *
 * On a bad line (`verify`) a command has a number and a CRC, "*nHHHH". Its answer has the same
 * number, and a command that comes twice is carried out once. Otherwise it has the exclusive or of
 * its bytes, "*HH", or nothing if the sensor does not know that.
 */
#include <stdio.h>
#include <string.h>

#include "sensors/crc.h"
#include "sensors/host_inside.h"

enum { SUM_SIZE = 3, NUMBER_SIZE = 6 };

bool tpi_sensor_host_has_numbers(const tpi_sensor_host *host)
{
    return host->sums == TPI_SUMS_NUMBERS || host->sums == TPI_SUMS_TRY_NUMBERS;
}

void tpi_sensor_host_renumber(tpi_sensor_host *host)
{
    host->number = host->number >= 'a' && host->number < 'z' ? (char)(host->number + 1) : 'a';
}

size_t tpi_sensor_host_sum_size(const tpi_sensor_host *host)
{
    return tpi_sensor_host_has_numbers(host) ? NUMBER_SIZE : SUM_SIZE;
}

void tpi_sensor_host_knows_sums(tpi_sensor_host *host)
{
    host->sums = tpi_sensor_host_has_numbers(host) ? TPI_SUMS_NUMBERS : TPI_SUMS_YES;
}

static unsigned sum_of(const char *bytes, size_t length)
{
    unsigned sum = 0;

    for (size_t i = 0; i < length; i++) {
        sum ^= (unsigned char)bytes[i];
    }
    return sum;
}

static unsigned crc_of(const char *bytes, size_t length)
{
    uint16_t crc = TPI_SENSOR_CRC_START;

    for (size_t i = 0; i < length; i++) {
        crc = tpi_sensor_crc(crc, bytes[i]);
    }
    return crc;
}

/* The command with its check sum. */
static size_t put_command(const tpi_sensor_host *host, char *out, size_t size)
{
    int length = snprintf(out, size, "%s", host->command);

    if (host->sums == TPI_SUMS_UNKNOWN || host->sums == TPI_SUMS_YES) {
        length +=
            snprintf(out + length, size - (size_t)length, "*%02X", sum_of(out, (size_t)length));
    } else if (tpi_sensor_host_has_numbers(host)) {
        length += snprintf(out + length, size - (size_t)length, "*%c", host->number);
        length +=
            snprintf(out + length, size - (size_t)length, "%04X", crc_of(out, (size_t)length));
    }
    return (size_t)length;
}

size_t tpi_sensor_host_wrap(const tpi_sensor_host *host, char *out, size_t size)
{
    out[0] = '<';
    const size_t length = 1 + put_command(host, out + 1, size - 2);
    out[length] = '>';
    return length + 1;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The number that these digits stand for; negative if they are none. */
static int read_hex(const char *digits, size_t count)
{
    int value = 0;

    for (size_t i = 0; i < count; i++) {
        const int digit = hex_digit(digits[i]);
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

bool tpi_sensor_host_sum(const tpi_sensor_host *host, const char *line, size_t length,
                         size_t *without)
{
    const size_t size = tpi_sensor_host_sum_size(host);

    if (length < size || line[length - size] != '*') {
        return false;
    }
    *without = length - size;
    return size == NUMBER_SIZE ? read_hex(line + length - 4, 4) == (int)crc_of(line, length - 4)
                               : read_hex(line + length - 2, 2) == (int)sum_of(line, *without);
}

bool tpi_sensor_host_is_old(tpi_sensor_host *host, const char *line, size_t length)
{
    enum { SHOWN = 32 };
    char text[TPI_HOST_COMMAND + 16] = "!!!,";

    if (host->sums != TPI_SUMS_UNKNOWN && host->sums != TPI_SUMS_TRY_NUMBERS) {
        return false;
    }
    (void)put_command(host, text + 4, sizeof text - 4);
    text[4 + SHOWN] = '\0';
    if (length != strlen(text) || memcmp(line, text, length) != 0) {
        return false;
    }
    host->sums = host->sums == TPI_SUMS_UNKNOWN ? TPI_SUMS_NO : TPI_SUMS_UNKNOWN;
    return true;
}
