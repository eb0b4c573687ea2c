/* scip.c - see scip.h. */
#include "scip.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct scip_model scip_urg_04lx = {
    .version = 1,
    .min_mm = 20,
    .max_mm = 4095,
    .steps = 1024,
    .first = 44,
    .last = 725,
    .front = 384,
    .rpm = 600,
};

/* ---- Lines ----------------------------------------------------------------------------------- */

bool scip_sum_is_right(const char *line, size_t length, bool information)
{
    const size_t uncounted = information && length > 1 && line[length - 2] == ';' ? 2 : 1;
    unsigned sum = 0;

    if (length < 2) {
        return false;
    }
    for (size_t i = 0; i + uncounted < length; i++) {
        sum += (unsigned char)line[i];
    }
    return (char)((sum & 0x3f) + 0x30) == line[length - 1];
}

/* Where a number that follows the key is put; NULL if that is of no interest. */
static unsigned *place_of(struct scip_model *model, const char *key)
{
    const struct {
        const char *key;
        unsigned *place;
    } places[] = {
        {"DMIN:", &model->min_mm}, {"DMAX:", &model->max_mm}, {"ARES:", &model->steps},
        {"AMIN:", &model->first},  {"AMAX:", &model->last},   {"AFRT:", &model->front},
        {"SCAN:", &model->rpm},
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strncmp(key, places[i].key, 5) == 0) {
            return places[i].place;
        }
    }
    return NULL;
}

/* "SERI:H0706400" */
static uint32_t digits_of(const char *text)
{
    uint32_t number = 0;

    for (; *text != '\0' && *text != ';'; text++) {
        number = isdigit((unsigned char)*text) ? number * 10 + (uint32_t)(*text - '0') : number;
    }
    return number;
}

bool scip_learn(struct scip_model *model, const char *line, size_t length)
{
    char copy[128];
    unsigned *place;

    if (model->version == 2 && !scip_sum_is_right(line, length, true)) {
        return false;
    }
    if (length >= sizeof copy) {
        return true;
    }
    memcpy(copy, line, length);
    copy[length] = '\0';
    place = place_of(model, copy);
    if (place != NULL) {
        *place = (unsigned)strtoul(copy + 5, NULL, 10);
    } else if (strncmp(copy, "SERI:", 5) == 0) {
        model->serial = digits_of(copy + 5);
    }
    return true;
}

/* ---- Scans ----------------------------------------------------------------------------------- */

void scip_scan_begin(struct scip_scan *scan)
{
    scan->length = 0;
    scan->damaged = false;
}

void scip_scan_add(struct scip_scan *scan, unsigned version, const char *line, size_t length)
{
    if (version == 2 && !scip_sum_is_right(line, length, false)) {
        scan->damaged = true;
        return;
    }
    length -= version == 2;
    if (length > sizeof scan->text - scan->length) {
        scan->damaged = true;
        return;
    }
    memcpy(scan->text + scan->length, line, length);
    scan->length += length;
}

/* A number of 2 or 3 characters, 6 bits each, the highest first. */
static unsigned decode(const char *text, size_t width)
{
    unsigned value = 0;

    for (size_t i = 0; i < width; i++) {
        value = value << 6 | (((unsigned)(unsigned char)text[i] - 0x30) & 0x3f);
    }
    return value;
}

size_t scip_scan_read(const struct scip_scan *scan, unsigned version, unsigned *readings)
{
    const size_t width = version == 2 ? 3 : 2;
    const size_t count = scan->length / width;

    if (scan->damaged || scan->length % width != 0 || count > SCIP_MOST_READINGS) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        readings[i] = decode(scan->text + i * width, width);
    }
    return count;
}
