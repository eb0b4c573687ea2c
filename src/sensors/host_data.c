/* host_data.c - lines of data; see host_inside.h. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sensors/host_inside.h"

/* The next field of a line, up to a comma or the end; false if there is none. */
static bool next_field(const char **at, const char *end, const char **field, size_t *length)
{
    if (*at == NULL) {
        return false;
    }
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    *field = *at;
    *length = (size_t)((comma == NULL ? end : comma) - *at);
    *at = comma == NULL ? NULL : comma + 1;
    return true;
}

static bool next_whole(const char **at, const char *end, uint64_t *out)
{
    const char *field;
    size_t length;
    int64_t value = 0;

    if (!next_field(at, end, &field, &length) || !tpi_number_read_i64(field, length, &value) ||
        value < 0) {
        return false;
    }
    *out = (uint64_t)value;
    return true;
}

static bool read_values(tpi_sensor_samples *out, const char *at, const char *end)
{
    for (unsigned i = 0; i < out->count; i++) {
        const size_t used = tpi_number_read_f64(at, (size_t)(end - at), &out->values[i]);
        at += used;
        if (used == 0 || (i + 1 < out->count ? at == end || *at++ != ';' : at != end)) {
            return false;
        }
    }
    return true;
}

/* "L,ch,first,count,time,v;v" or "L,ch,lost,first,count": whether it has the shape. */
static bool has_shape(const char *line, size_t length)
{
    size_t at = 2;

    if (length < 6 || memcmp(line, "L,", 2) != 0) {
        return false;
    }
    while (at < length && line[at] >= '0' && line[at] <= '9') {
        at++;
    }
    return at > 2 && at + 1 < length && line[at] == ',' &&
           ((line[at + 1] >= '0' && line[at + 1] <= '9') ||
            (length - at > 5 && memcmp(line + at + 1, "lost,", 5) == 0));
}

static bool take(tpi_sensor_host *host, const char *line, const char *end)
{
    tpi_sensor_samples samples = {0};
    const char *at = line + 2, *field;
    uint64_t channel, count;
    size_t length;

    if (!next_whole(&at, end, &channel) || channel > 99) {
        return false;
    }
    samples.channel = (unsigned)channel;
    if (at != NULL && end - at > 5 && memcmp(at, "lost,", 5) == 0) {
        at += 5;
        if (!next_whole(&at, end, &samples.first) || !next_whole(&at, end, &count) || at != NULL) {
            return false;
        }
        if (host->hooks.lost != NULL) {
            host->hooks.lost(host->hooks.context, samples.channel, samples.first, count);
        }
        return true;
    }
    if (!next_whole(&at, end, &samples.first) || !next_whole(&at, end, &count) ||
        count > TPI_SENSOR_HOST_VALUES || !next_whole(&at, end, &samples.time_us) ||
        !next_field(&at, end, &field, &length)) {
        return false;
    }
    samples.count = (unsigned)count;
    if (!read_values(&samples, field, end)) {
        return false;
    }
    if (host->hooks.samples != NULL) {
        host->hooks.samples(host->hooks.context, &samples);
    }
    return true;
}

bool tpi_sensor_host_data(tpi_sensor_host *host, const char *line, size_t length)
{
    size_t without = length;

    if (!has_shape(line, length)) {
        return false;
    }
    const bool summed = memchr(line, '*', length) != NULL;
    if ((summed && !tpi_sensor_host_sum(host, line, length, &without)) ||
        (!summed && (host->sums == TPI_SUMS_YES || host->sums == TPI_SUMS_NUMBERS)) ||
        !take(host, line, line + without)) {
        host->damaged++; /* the numbers of the samples tell what is missing */
    }
    return true;
}
