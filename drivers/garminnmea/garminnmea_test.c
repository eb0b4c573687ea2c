/* garminnmea_test.c - sentences of receivers, whole, torn, damaged and missing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "conformance/play.h"
#include "emulate/host/line.h"
#include "nmea.h"
#include "troupe/interfaces/gps.h"
#include "utm.h"

extern const tp_driver tp_driver_garminnmea;

static char path[64];

/* ---- Sentences ------------------------------------------------------------------------------- */

static enum nmea_kind read_line(struct nmea_fix *fix, const char *line)
{
    return tpi_nmea_read(fix, line, strlen(line));
}

static void is_near(double value, double wanted, double most)
{
    if (!(fabs(value - wanted) <= most)) {
        fail_msg("%.9g is not %.9g", value, wanted);
    }
}

#define GGA "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47"
#define RMC "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A"
#define GSA "$GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1*39"

static void sentences_are_understood(void **state)
{
    struct nmea_fix fix = {0};

    (void)state;
    assert_int_equal(read_line(&fix, GGA), NMEA_GGA);
    is_near(fix.latitude, 48.1173, 1e-9);
    is_near(fix.longitude, 11 + 31.0 / 60, 1e-9);
    is_near(fix.altitude, 545.4, 1e-9);
    is_near(fix.time_of_day, 12 * 3600 + 35 * 60 + 19, 1e-9);
    assert_int_equal(fix.quality, 1);
    assert_int_equal(fix.satellites, 8);
    assert_int_equal(read_line(&fix, RMC), NMEA_RMC);
    is_near(fix.speed, 22.4 * 0.514444, 1e-9);
    is_near(fix.course, 84.4, 1e-9);
    assert_int_equal(fix.day_s, 764380800); /* 1994-03-23 */
    assert_int_equal(read_line(&fix, GSA), NMEA_GSA);
    is_near(fix.hdop, 1.3, 1e-9);
    is_near(fix.vdop, 2.1, 1e-9);
}

static void wrong_sentences_change_nothing(void **state)
{
    static const char *const wrong[] = {"", "$", "$GPGGA*", "$GPGGA,1*00",
                                        "GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M*47"};
    const struct nmea_fix none = {0};
    struct nmea_fix fix = {0};
    char line[NMEA_LONGEST];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(read_line(&fix, wrong[i]), NMEA_WRONG);
    }
    for (size_t i = 0; i < strlen(GGA); i++) { /* whichever byte is wrong */
        snprintf(line, sizeof line, "%s", GGA);
        line[i] ^= 1;
        assert_int_equal(read_line(&fix, line), NMEA_WRONG);
    }
    for (size_t length = 0; length < strlen(GGA); length++) { /* or wherever it ends */
        assert_int_equal(tpi_nmea_read(&fix, GGA, length), NMEA_WRONG);
    }
    assert_memory_equal(&fix, &none, sizeof fix);
}

/* A sum that is right makes no number right. */
static void numbers_are_checked(void **state)
{
    static const char *const bodies[] = {
        "GPGGA,999999,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,123519,9907.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,123519,4807.038,X,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,123519,nan,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,123519,4807.038,N",
        "GPRMC,123519,A,,,,,x,084.4,230394,003.1,W",
        "GPRMC,123519,A,,,,,1,084.4,239994,003.1,W"};
    struct nmea_fix fix = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char line[NMEA_LONGEST];
        unsigned sum = 0;
        for (const char *c = bodies[i]; *c != '\0'; c++) {
            sum ^= (unsigned char)*c;
        }
        snprintf(line, sizeof line, "$%s*%02X", bodies[i], sum);
        assert_int_equal(read_line(&fix, line), NMEA_WRONG);
    }
}

/* A place that is published both ways, and the origin of a zone. */
static void places_are_on_the_grid(void **state)
{
    double east, north;

    (void)state;
    tpi_utm(43 + 38.0 / 60 + 33.24 / 3600, -(79 + 23.0 / 60 + 13.7 / 3600), &east, &north);
    is_near(east, 630084, 1); /* the CN Tower, as encyclopedias have it: 17 T 630084 4833438 */
    is_near(north, 4833438, 1);
    tpi_utm(0, 3, &east, &north);
    is_near(east, 500000, 1e-6);
    is_near(north, 0, 1e-6);
    tpi_utm(-90, 0, &east, &north);
    is_near(north, 0, 0);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static play *begin(const char *script, const char *more)
{
    static char settings[128];

    snprintf(path, sizeof path, "/tmp/troupe-gps-%d.script", (int)getpid());
    assert_int_equal(tpi_file_write(path, script, strlen(script), NULL), TP_OK);
    snprintf(settings, sizeof settings, "port=script:%s %s", path, more);
    return play_begin(&tp_driver_garminnmea, "gps:0", settings);
}

static void end(play *p)
{
    play_destroy(p);
    unlink(path);
}

/* Torn in the middle, with noise before and something too long in between. */
static void fixes_are_sent(void **state)
{
    play *p = begin("+0.1 < 19,4807.038,N*00\\r\\n\n+0.1 < " RMC "\\r\\n" GSA "\\r\\n$GPGG\n"
                    "+0.1 << 41\n+0.1 < ,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*\n"
                    "+0.1 < 47\\r\n+0.1 < \\n\nsilence\n",
                    "");
    const tp_gps_data *data = bench_await_later(&p->r, 1, TP_GPS_DATA_STATE);

    (void)state;
    assert_int_equal(data->latitude, 481173000);
    assert_int_equal(data->longitude, 115166667);
    assert_int_equal(data->altitude, 545400);
    assert_int_equal(data->time_sec, 764380800 + 45319);
    assert_int_equal(data->quality, 1);
    assert_int_equal(data->hdop, 9);
    assert_int_equal(data->vdop, 21);
    is_near(data->course, (90 - 84.4) * 3.14159265358979 / 180, 1e-9);
    end(p);
}

static void silence_and_an_unplugged_line_are_failures(void **state)
{
    play *p = begin("silence\n", "");

    (void)state;
    bench_move_clock(&p->b, 11);
    assert_string_equal(play_await_failure(p),
                        "garminnmea0: no sentence with a right sum for 10.0 s: is the receiver "
                        "switched on, and is `baud` right?");
    end(p);
    p = begin("+0.1 hang-up\n", "");
    bench_move_clock(&p->b, 1);
    assert_non_null(strstr(play_await_failure(p), "the hardware hung up"));
    end(p);
}

/* An emulated receiver at the origin of a world, in Bordeaux. */
static void an_emulated_receiver_is_understood(void **state)
{
    static const tp_scheme *const schemes[] = {&tpi_scheme_emulate, NULL};
    play *p = play_create();

    (void)state;
    snprintf(path, sizeof path, "/tmp/troupe-gps-%d.world", (int)getpid());
    assert_int_equal(tpi_file_write(path, "gps_origin [44.84 -0.58]\n", 25, NULL), TP_OK);
    static char settings[128];
    snprintf(settings, sizeof settings, "port=emulate:nmea?world=%s", path);
    tpi_hub_set_lines(p->b.hub, schemes, TEST_ROOT "/worlds/");
    play_add(p, &tp_driver_garminnmea, "gps:0", NULL, settings);
    play_open(p);
    const tp_gps_data *data = bench_await_later(&p->r, 2.5, TP_GPS_DATA_STATE);
    is_near(data->latitude, 448400000, 300); /* some metres */
    is_near(data->longitude, -5800000, 400);
    assert_int_equal(data->quality, 1);
    assert_int_equal(data->num_sats, 8);
    end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_understood),
        cmocka_unit_test(wrong_sentences_change_nothing),
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(places_are_on_the_grid),
        cmocka_unit_test(fixes_are_sent),
        cmocka_unit_test(silence_and_an_unplugged_line_are_failures),
        cmocka_unit_test(an_emulated_receiver_is_understood),
    };

    setenv("TROUPE_WORLD_PATH", TEST_ROOT "/worlds", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
