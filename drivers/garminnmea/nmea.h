/*
 * nmea.h - sentences of satellite receivers: NMEA 0183.
 *
 * A sentence is $, two letters of the talker, three of the kind, fields after commas, * and a sum.
 * Fields may be empty. What is wrong in any way changes nothing.
 */
#ifndef GARMINNMEA_NMEA_H
#define GARMINNMEA_NMEA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NMEA_LONGEST = 128 }; /* bytes of a sentence; the standard has 82 */

/* What the sentences of one second say together. */
struct nmea_fix {
    double latitude, longitude; /* degrees */
    double altitude;            /* metres */
    double speed;               /* m/s */
    double course;              /* degrees, clockwise from north */
    double hdop, vdop;
    double time_of_day; /* seconds, UTC */
    int64_t day_s;      /* of its midnight, since the epoch; 0 until it is known */
    unsigned quality;   /* 0 for none */
    unsigned satellites;
};

enum nmea_kind {
    NMEA_WRONG,   /* no sentence, or a wrong sum or number */
    NMEA_UNKNOWN, /* a kind that is not used */
    NMEA_GGA,     /* a fix */
    NMEA_RMC,     /* speed, course and date */
    NMEA_GSA,     /* precision */
};

/* Read a line, without its end, into the fix. */
enum nmea_kind tpi_nmea_read(struct nmea_fix *fix, const char *line, size_t length);

#endif
