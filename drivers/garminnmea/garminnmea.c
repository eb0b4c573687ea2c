/*
 * garminnmea, gps - satellite receivers that send NMEA 0183, of Garmin and all others.
 *
 * The receiver sends sentences by itself, most often once a second. Each GGA is a fix; RMC and GSA
 * add speed, course, date and precision. Nothing is sent to the receiver. Not supported: DGPS
 * corrections from a network, binary protocols.
 */
#include <math.h>

#include "nmea.h"
#include "troupe/driver/gps.h"
#include "troupe/port.h"
#include "utm.h"

struct gps {
    tp_device *device;
    tp_port *port; /* owned; NULL unless it runs */
    int64_t timeout_ns;
    int64_t heard_ns;
    struct nmea_fix fix;
};

static const tp_param gps_params[] = {
    {"port", "line", "/dev/ttyS0", "the line, for instance /dev/ttyUSB0 or tcp:HOST:PORT"},
    {"baud", "1", "4800", "speed of a serial line"},
    {"timeout", "s", "10", "a receiver that is silent for so long is started anew"},
    {"dgps_enable", "bool", "no", "ignored: corrections from a network are not used"},
    {"dgps_group", NULL, "", "ignored"},
    {"dgps_port", "1", "0", "ignored"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

static tp_status gps_init(tp_instance *self, tp_error *err)
{
    struct gps *g = tp_instance_state(self);
    const int64_t baud = tp_param_int(self, "baud");
    const double timeout_s = tp_param_double(self, "timeout");

    if (baud < 300 || baud > 12000000) {
        tp_param_blame(self, "baud");
        return tp_fail(err, TP_E_RANGE, "baud is a speed from 300 to 12000000");
    }
    if (!(timeout_s >= 0.3 && timeout_s <= 3600)) {
        tp_param_blame(self, "timeout");
        return tp_fail(err, TP_E_RANGE, "timeout is a time from 0.3 s to an hour");
    }
    g->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    return tp_offer_gps(self, NULL, &g->device, err);
}

/* A receiver may take a minute to find satellites, but it sends sentences from the beginning. */
static tp_status gps_start(tp_instance *self, tp_error *err)
{
    struct gps *g = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)tp_param_int(self, "baud")};
    const tp_status status = tp_port_open(&g->port, self, tp_param_string(self, "port"), &settings,
                                          now_ns(self) + 5 * TP_NS_PER_S, err);

    if (status == TP_OK) {
        g->fix = (struct nmea_fix){0};
        g->heard_ns = now_ns(self);
        tp_instance_set_period(self, g->timeout_ns / 4);
        tp_port_watch(g->port, true);
    }
    return status;
}

static void publish(const struct gps *g)
{
    const struct nmea_fix *fix = &g->fix;
    const double pi = 3.14159265358979323846;
    tp_gps_data data = {
        .time_sec = (uint32_t)(fix->day_s + (int64_t)fix->time_of_day),
        .time_usec = (uint32_t)lrint((fix->time_of_day - floor(fix->time_of_day)) * 999999),
        .latitude = (int32_t)lrint(fix->latitude * 1e7),
        .longitude = (int32_t)lrint(fix->longitude * 1e7),
        .altitude = (int32_t)lrint(fmax(-2e6, fmin(2e6, fix->altitude)) * 1000),
        .speed = fix->speed,
        .course = remainder((90 - fix->course) * pi / 180, 2 * pi),
        .quality = fix->quality,
        .num_sats = fix->satellites,
        .hdop = (uint32_t)(fmax(0, fmin(1e6, fix->hdop)) * 10 + 0.5),
        .vdop = (uint32_t)(fmax(0, fmin(1e6, fix->vdop)) * 10 + 0.5),
    };

    tpi_utm(fix->latitude, fix->longitude, &data.utm_e, &data.utm_n);
    tp_gps_publish_state(g->device, &data, 0);
}

static tp_status gps_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct gps *g = tp_instance_state(self);
    char line[NMEA_LONGEST];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read_until(port, line, sizeof line, '\n', &length, 0, err)) == TP_OK ||
           status == TP_E_SPACE) { /* what is too long is no sentence */
        while (status == TP_OK && length > 0 &&
               (line[length - 1] == '\n' || line[length - 1] == '\r')) {
            length--;
        }
        const enum nmea_kind kind =
            status == TP_OK ? tpi_nmea_read(&g->fix, line, length) : NMEA_WRONG;
        g->heard_ns = kind != NMEA_WRONG ? now_ns(self) : g->heard_ns;
        if (kind == NMEA_GGA) {
            publish(g);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status gps_poll(tp_instance *self, tp_error *err)
{
    const struct gps *g = tp_instance_state(self);

    if (now_ns(self) - g->heard_ns > g->timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT,
                       "no sentence with a right sum for %.1f s: is the receiver switched on, and "
                       "is `baud` right?",
                       (double)g->timeout_ns / (double)TP_NS_PER_S);
    }
    return TP_OK;
}

static void gps_stop(tp_instance *self)
{
    struct gps *g = tp_instance_state(self);

    tp_port_close(g->port);
    g->port = NULL;
}

static const tp_driver_ops gps_ops = {
    .init = gps_init,
    .start = gps_start,
    .poll = gps_poll,
    .input = gps_input,
    .stop = gps_stop,
};

extern const tp_driver tp_driver_garminnmea;
TP_API const tp_driver tp_driver_garminnmea = {
    .abi = TP_DRIVER_ABI,
    .name = "garminnmea",
    .summary = "satellite receivers that send NMEA 0183",
    .state_size = sizeof(struct gps),
    .params = gps_params,
    .ops = &gps_ops,
};

extern const tp_driver tp_driver_gps;
TP_API const tp_driver tp_driver_gps = {
    .abi = TP_DRIVER_ABI,
    .name = "gps",
    .summary = "a second name for garminnmea",
    .state_size = sizeof(struct gps),
    .params = gps_params,
    .ops = &gps_ops,
};
