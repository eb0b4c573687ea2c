/*
 * sensor.h - the parts of the driver `sensor`.
 *
 * sensor.c: parameters, life, what is asked next. connect.c: which line, and whether it is the
 * right sensor. channels.c: which channel belongs to which device. offer.c: the devices. publish.c:
 * data. act.c: actuators.
 */
#ifndef TROUPE_DRIVERS_SENSOR_H
#define TROUPE_DRIVERS_SENSOR_H

#include "sensors/host.h"
#include "sensors/host/plugged.h"
#include "sensors/manifest.h"
#include "troupe/driver.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/dio.h"
#include "troupe/port.h"

enum { SENSOR_BUSY_PERIOD_MS = 5, SENSOR_TEXT = 1024 };

/* What a channel is for a device. */
enum sensor_use { USE_ANALOG, USE_DIGITAL, USE_RANGE, USE_ACCEL, USE_GYRO, USE_BATTERY, USES };

/* The devices that the section may have; NULL for those that it has not. */
struct sensor_devices {
    tp_device *aio, *dio, *ranger, *imu, *power;
};

struct sensor_channel {
    const tpi_transducer *transducer; /* borrowed from the manifest */
    const tpi_conversion *conversion; /* the current one */
    double value;
    bool is_known;
    bool acts;
    double wanted; /* of an actuator */
    bool is_wanted;
};

struct sensor {
    tp_instance *self;
    struct sensor_devices devices;
    tpi_sensor_host *host;  /* owned */
    tpi_manifest *manifest; /* owned; NULL: no sensor is there */
    tp_port *port;          /* owned; NULL: no line is open */
    struct sensor_channel channels[TPI_MOST_CHANNELS];
    unsigned count;
    unsigned next; /* the channel to read next */
    int asked;     /* the channel that was asked; -1: none */
    bool is_write; /* it was written */
    int64_t period_ns, round_ns, alive_ns;
    bool is_pattern;          /* sensors come and go */
    const char *pattern_tail; /* what follows the pattern in the URL: "?baud=9600" */
    char pattern[TPI_PLUGGED_PATH];
    int64_t look_ns; /* when to look for lines again */
    uint64_t refused[TPI_PLUGGED_MOST];
    unsigned refused_count;
    uint64_t mark;   /* of the line that is open */
    bool has_failed; /* the line */
    tp_error err;
};

static inline int64_t tpi_sensor_now_ns(const struct sensor *s)
{
    return tp_clock_now_ns(tp_instance_clock(s->self));
}

/* ---- connect.c ---- */

/* Open a line and ask for the manifest. */
tp_status tpi_sensor_open(struct sensor *s, const char *url, tp_error *err);

/* The manifest has come: whether it is the right sensor. */
tp_status tpi_sensor_accept(struct sensor *s, tp_error *err);

/* Look for lines that fit the pattern, and open the next one. */
void tpi_sensor_look(struct sensor *s);

/* The sensor is gone: readers learn it. */
void tpi_sensor_gone(struct sensor *s, const char *why);

/* ---- channels.c ---- */

/* Learn the channels of the manifest. */
void tpi_sensor_learn(struct sensor *s);

/* Whether a channel has this use. */
bool tpi_sensor_channel_is(const struct sensor_channel *channel, enum sensor_use use);

/* The value in SI units. */
double tpi_sensor_channel_si(const struct sensor_channel *channel);

/* Tell properties what is there; NULL manifest: nothing. */
void tpi_sensor_describe(struct sensor *s);

/* ---- offer.c ---- */

tp_status tpi_sensor_offer(struct sensor *s, tp_error *err);

/* Whether someone reads a device that needs this channel. */
bool tpi_sensor_is_read(const struct sensor *s, const struct sensor_channel *channel);

/* ---- publish.c ---- */

/* Send what was read. */
void tpi_sensor_publish(struct sensor *s);

/* ---- act.c ---- */

tp_status tpi_sensor_write_analog(tp_device *device, const tp_aio_cmd *cmd, tp_error *err);
tp_status tpi_sensor_write_digital(tp_device *device, const tp_dio_cmd *cmd, tp_error *err);

/* Everything that acts is switched off: the bytes, at most `size`; how many. */
size_t tpi_sensor_off_bytes(const struct sensor *s, char *out, size_t size);

/* Forget what actuators were to do. */
void tpi_sensor_drop_wanted(struct sensor *s);

#endif
