/* nmea.c - see nmea.h. */
#include "nmea.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 24 };

static const double knot_mps = 0.514444;

/* ---- Sentences ------------------------------------------------------------------------------- */

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Whether the sum after the * is the exclusive-or of all between $ and it. */
static bool sum_is_right(const char *line, size_t length)
{
    unsigned sum = 0;

    if (length < 9 || length >= NMEA_LONGEST || line[0] != '$' || line[length - 3] != '*') {
        return false;
    }
    for (size_t i = 1; i < length - 3; i++) {
        if (line[i] < ' ' || line[i] > '~') {
            return false;
        }
        sum ^= (unsigned char)line[i];
    }
    return hex(line[length - 2]) * 16 + hex(line[length - 1]) == (int)sum;
}

/* Cut the text of a sentence at its commas; how many fields there are. */
static size_t cut(char *text, char *fields[MOST_FIELDS])
{
    size_t count = 0;

    for (char *at = text; at != NULL && count < MOST_FIELDS; count++) {
        char *comma = strchr(at, ',');
        fields[count] = at;
        at = comma == NULL ? NULL : comma + 1;
        if (comma != NULL) {
            *comma = '\0';
        }
    }
    return count;
}

/* A number, if the field has one; true if it is empty or a number. */
static bool take(const char *field, double *out)
{
    char *end = NULL;

    if (field[0] == '\0') {
        return true;
    }
    const double number = strtod(field, &end);
    if (*end != '\0' || !(fabs(number) < 1e9)) {
        return false;
    }
    *out = number;
    return true;
}

/* "4807.038" and "N" are 48 degrees and 7.038 minutes to the north. */
static bool take_angle(const char *field, const char *side, const char *sides, double most,
                       double *out)
{
    double number = NAN;

    if (field[0] == '\0') {
        return true;
    }
    if (!take(field, &number) || !(number >= 0) || (side[0] != sides[0] && side[0] != sides[1])) {
        return false;
    }
    const double whole = floor(number / 100);
    const double angle = whole + (number - 100 * whole) / 60;
    if (!(angle <= most)) {
        return false;
    }
    *out = side[0] == sides[1] ? -angle : angle;
    return true;
}

/* "123519.5" is 12:35:19.5. */
static bool take_time(const char *field, double *out)
{
    double number = NAN;

    if (field[0] == '\0') {
        return true;
    }
    if (!take(field, &number) || !(number >= 0 && number < 240000)) {
        return false;
    }
    const double hours = floor(number / 10000);
    const double minutes = floor((number - hours * 10000) / 100);
    *out = hours * 3600 + minutes * 60 + (number - hours * 10000 - minutes * 100);
    return true;
}

/* Days since 1970-01-01 of a day of the Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const int past = year - (month <= 2);

    return (int64_t)(year - 1970) * 365 + (past / 4 - past / 100 + past / 400) -
           (1969 / 4 - 1969 / 100 + 1969 / 400) + before[month - 1] + day - 1;
}

/* "230394" is the 23rd of March 1994. */
static bool take_date(const char *field, int64_t *day_s)
{
    double number = NAN;

    if (field[0] == '\0') {
        return true;
    }
    if (!take(field, &number) || !(number >= 10100 && number <= 311299)) {
        return false;
    }
    const int all = (int)number;
    const int month = all / 100 % 100;
    const int year = all % 100;
    if (month < 1 || month > 12) {
        return false;
    }
    *day_s = days_of(year + (year < 80 ? 2000 : 1900), month, all / 10000) * 86400;
    return true;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static bool read_gga(struct nmea_fix *fix, char *const *f)
{
    double quality = 0;
    double satellites = 0;
    const bool good =
        take_time(f[1], &fix->time_of_day) && take_angle(f[2], f[3], "NS", 90, &fix->latitude) &&
        take_angle(f[4], f[5], "EW", 180, &fix->longitude) && take(f[6], &quality) &&
        take(f[7], &satellites) && take(f[8], &fix->hdop) && take(f[9], &fix->altitude);

    fix->quality = quality >= 0 && quality < 10 ? (unsigned)quality : 0;
    fix->satellites = satellites >= 0 && satellites < 1000 ? (unsigned)satellites : 0;
    return good;
}

static bool read_rmc(struct nmea_fix *fix, char *const *f)
{
    double knots = 0;
    const bool good = take_time(f[1], &fix->time_of_day) && take(f[7], &knots) &&
                      take(f[8], &fix->course) && take_date(f[9], &fix->day_s);

    fix->speed = knots * knot_mps;
    return good;
}

static bool read_gsa(struct nmea_fix *fix, char *const *f)
{
    return take(f[16], &fix->hdop) && take(f[17], &fix->vdop);
}

enum nmea_kind tpi_nmea_read(struct nmea_fix *fix, const char *line, size_t length)
{
    static const struct {
        const char *name;
        enum nmea_kind kind;
        size_t fields; /* at least */
        bool (*read)(struct nmea_fix *fix, char *const *fields);
    } kinds[] = {{"GGA", NMEA_GGA, 10, read_gga},
                 {"RMC", NMEA_RMC, 10, read_rmc},
                 {"GSA", NMEA_GSA, 18, read_gsa}};
    struct nmea_fix next = *fix;
    char text[NMEA_LONGEST];
    char *fields[MOST_FIELDS];

    if (!sum_is_right(line, length)) {
        return NMEA_WRONG;
    }
    memcpy(text, line, length - 3);
    text[length - 3] = '\0';
    const size_t count = cut(text, fields);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(fields[0]) != 6 || strcmp(fields[0] + 3, kinds[i].name) != 0) {
            continue;
        }
        if (count < kinds[i].fields || !kinds[i].read(&next, fields)) {
            return NMEA_WRONG;
        }
        *fix = next;
        return kinds[i].kind;
    }
    return NMEA_UNKNOWN;
}
