/*
 * nmea.c - an emulated receiver for satellites: sentences of NMEA 0183, once a second.
 *
 * GGA, GSA and RMC in this order. The clock of its satellites begins on 2026-01-01 at noon with
 * the world. It hears nothing. In a world without gps_origin it is at latitude and longitude 0.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "emulate/robot.h"
#include "sim/sense/sensors.h"

struct receiver {
    tpi_sim_model antenna;
    int64_t next_us;
};

static struct receiver *receiver_of(tpi_emu *emu)
{
    return emu->state;
}

static void say(tpi_emu *emu, const char *body)
{
    char out[100];
    unsigned sum = 0;

    for (const char *c = body; *c != '\0'; c++) {
        sum ^= (unsigned char)*c;
    }
    const int length = snprintf(out, sizeof out, "$%s*%02X\r\n", body, sum & 0xff);
    tpi_emu_say(emu, out, (size_t)length, "%.5s", body);
}

/* "4807.0380,N": degrees and minutes. */
static void put_angle(char out[24], double degrees, unsigned digits, const char *sides)
{
    const double size = fabs(degrees);
    const double whole = floor(size);

    (void)snprintf(out, 24, "%0*.0f%07.4f,%c", (int)digits, whole,
                   fmin((size - whole) * 60, 59.9999), sides[degrees < 0]);
}

static void report(tpi_emu *emu)
{
    tpi_sim_fix fix = {0};
    char body[90], latitude[24], longitude[24];
    const int64_t seconds = 43200 + emu->now_us / 1000000;

    if (tpi_sim_get_fix(emu->body.sim, receiver_of(emu)->antenna, &fix, NULL) != TP_OK ||
        fix.time_us < 0) {
        say(emu, "GPGGA,,,,,,0,00,,,M,,M,,");
        return;
    }
    const unsigned time =
        (unsigned)(seconds / 3600 % 24 * 10000 + seconds / 60 % 60 * 100 + seconds % 60);
    const double course = fmod(450 - fix.course * 57.29577951308232, 360);
    put_angle(latitude, fix.latitude, 2, "NS");
    put_angle(longitude, fix.longitude, 3, "EW");
    (void)snprintf(body, sizeof body, "GPGGA,%06u.00,%s,%s,1,08,0.9,%.1f,M,0.0,M,,", time, latitude,
                   longitude, fmax(-999, fmin(9999, fix.altitude)));
    say(emu, body);
    say(emu, "GPGSA,A,3,04,05,07,09,12,16,24,30,,,,,1.6,0.9,1.3");
    (void)snprintf(body, sizeof body, "GPRMC,%06u.00,A,%s,%s,%.1f,%.1f,010126,,", time, latitude,
                   longitude, fmin(fix.speed / 0.514444, 999), course);
    say(emu, body);
}

static void receiver_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    tpi_emu_heard(emu, bytes, length, "not heard");
}

static tp_status receiver_start(tpi_emu *emu, tp_error *err)
{
    const struct tpi_emu_part parts[] = {{&receiver_of(emu)->antenna, "antenna"}};

    emu->body.flies = true; /* nothing here drives it */
    return tpi_emu_find_parts(emu, parts, 1, err);
}

static void receiver_reset(tpi_emu *emu)
{
    receiver_of(emu)->next_us = emu->now_us + 1000000;
}

static void receiver_tick(tpi_emu *emu)
{
    struct receiver *r = receiver_of(emu);

    if (emu->now_us >= r->next_us) {
        r->next_us += 1000000;
        report(emu);
    }
}

const tpi_emu_kind tpi_emu_nmea = {
    .name = "nmea",
    .summary = "receiver for satellites: NMEA 0183, serial, 4800 baud; it stands",
    .file = "robots/receiver.inc",
    .macro = "receiver",
    .radius = 0.05,
    .track = 0.1,
    .baud = 4800,
    .state_size = sizeof(struct receiver),
    .start = receiver_start,
    .reset = receiver_reset,
    .input = receiver_input,
    .tick = receiver_tick,
};
