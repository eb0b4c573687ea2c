/*
 * report.c - what the vehicle says of itself, as data of devices.
 *
 * The vehicle counts north, east and down, and clockwise. Data here is north, west and up, and
 * counter-clockwise, from where the vehicle was and looked when the driver started.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mavlink.h"
#include "troupe/driver/gps.h"
#include "troupe/driver/imu.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/position3d.h"
#include "troupe/driver/power.h"
#include "utm.h"

static const double pi = 3.14159265358979323846;
static const double gravity = 9.80665;

/* ---- Places ---------------------------------------------------------------------------------- */

static void take_attitude(struct mav *m, const struct mav_message *message)
{
    static const int signs[3] = {1, -1, -1}; /* right and down become left and up */
    struct mav_place *p = &m->place;

    for (unsigned i = 0; i < 3; i++) {
        p->angles[i] = signs[i] * tpi_mav_float(message, 4 + 4 * (size_t)i);
        p->rates[i] = signs[i] * tpi_mav_float(message, 16 + 4 * (size_t)i);
    }
    p->has_attitude = true;
}

/* A vector of the ground in a frame that is turned by `angle`. */
static void turn_by(double angle, const double in[3], double out[3])
{
    out[0] = in[0] * cos(angle) + in[1] * sin(angle);
    out[1] = -in[0] * sin(angle) + in[1] * cos(angle);
    out[2] = in[2];
}

static void publish_place(struct mav *m, const double at[3], const double v[3])
{
    const struct mav_place *p = &m->place;
    const double away[3] = {at[0] - p->origin[0], at[1] - p->origin[1], at[2] - p->origin[2]};
    const double yaw = remainder(p->angles[2] - p->origin_yaw, 2 * pi);
    double place[3], speed[3];

    turn_by(p->origin_yaw, away, place);
    turn_by(p->angles[2], v, speed);
    if (m->ground != NULL) {
        const tp_position2d_data data = {
            .pos = {.px = place[0], .py = place[1], .pa = yaw},
            .vel = {.px = speed[0], .py = speed[1], .pa = p->rates[2]}};
        tp_position2d_publish_state(m->ground, &data, 0);
    }
    if (m->space != NULL) {
        const tp_position3d_data data = {
            .pos = {place[0], place[1], place[2], p->angles[0], p->angles[1], yaw},
            .vel = {speed[0], speed[1], speed[2], p->rates[0], p->rates[1], p->rates[2]}};
        tp_position3d_publish_state(m->space, &data, 0);
    }
}

static void take_place(struct mav *m, const struct mav_message *message)
{
    struct mav_place *p = &m->place;
    double at[3], v[3];

    for (unsigned i = 0; i < 3; i++) {
        const int sign = i == 0 ? 1 : -1; /* east and down become west and up */
        at[i] = sign * tpi_mav_float(message, 4 + 4 * (size_t)i);
        v[i] = sign * tpi_mav_float(message, 16 + 4 * (size_t)i);
    }
    if (!p->has_attitude) {
        return; /* it cannot be said where ahead is */
    }
    if (!p->has_origin) {
        memcpy(p->origin, at, sizeof at);
        p->origin_yaw = p->angles[2];
        p->has_origin = true;
    }
    publish_place(m, at, v);
}

/* ---- Inertia --------------------------------------------------------------------------------- */

static void publish_inertia(struct mav *m)
{
    const double *a = m->place.angles;

    if (m->imu == NULL) {
        return;
    }
    if (m->datatype == TP_IMU_DATA_STATE) {
        const tp_imu_data_state data = {.pose = {.proll = a[0], .ppitch = a[1], .pyaw = a[2]}};
        tp_imu_publish_state(m->imu, &data, 0);
    } else if (m->datatype == TP_IMU_DATA_CALIB) {
        tp_imu_publish_calib(m->imu, &m->inertia, 0);
    } else {
        const tp_imu_data_euler data = {
            .calib_data = m->inertia, .orientation = {.proll = a[0], .ppitch = a[1], .pyaw = a[2]}};
        tp_imu_publish_euler(m->imu, &data, 0);
    }
}

static void set_inertia(struct mav *m, const double v[9])
{
    m->inertia = (tp_imu_data_calib){.accel_x = (float)v[0],
                                     .accel_y = (float)-v[1],
                                     .accel_z = (float)-v[2],
                                     .gyro_x = (float)v[3],
                                     .gyro_y = (float)-v[4],
                                     .gyro_z = (float)-v[5],
                                     .magn_x = (float)v[6],
                                     .magn_y = (float)-v[7],
                                     .magn_z = (float)-v[8]};
    publish_inertia(m);
}

/* Thousandths of gravity, of rad/s and of gauss. */
static void take_scaled(struct mav *m, const struct mav_message *message)
{
    double v[9];

    for (unsigned i = 0; i < 9; i++) {
        v[i] = tpi_mav_i16(message, 4 + 2 * (size_t)i) * (i < 3 ? gravity : 1) / 1000;
    }
    set_inertia(m, v);
}

/* m/s^2, rad/s and gauss. */
static void take_fine(struct mav *m, const struct mav_message *message)
{
    double v[9];

    for (unsigned i = 0; i < 9; i++) {
        v[i] = tpi_mav_float(message, 8 + 4 * (size_t)i);
    }
    set_inertia(m, v);
}

/* ---- Others ---------------------------------------------------------------------------------- */

/* The time is that of the receiver, if it counts from 1970 as it should; otherwise it is unknown.
 */
static void take_fix(struct mav *m, const struct mav_message *message)
{
    static const uint8_t quality[] = {0, 0, 1, 1, 2, 5, 4}; /* as NMEA has it */
    static const uint64_t year_2000_us = 946684800000000ULL;
    const unsigned unknown = 0xffff;
    const uint8_t kind = message->payload[28];
    const uint64_t time = tpi_mav_u64(message, 0);
    const bool dated = time > year_2000_us && time / 1000000 <= UINT32_MAX;
    const unsigned hdop = tpi_mav_u16(message, 20), vdop = tpi_mav_u16(message, 22);
    const unsigned speed = tpi_mav_u16(message, 24), course = tpi_mav_u16(message, 26);
    const uint8_t satellites = message->payload[29];
    tp_gps_data data = {
        .time_sec = dated ? (uint32_t)(time / 1000000) : 0,
        .time_usec = dated ? (uint32_t)(time % 1000000) : 0,
        .latitude = tpi_mav_i32(message, 8),
        .longitude = tpi_mav_i32(message, 12),
        .altitude = tpi_mav_i32(message, 16),
        .speed = speed == unknown ? 0 : speed / 100.0,
        .course = course == unknown ? 0 : remainder((90 - course / 100.0) * pi / 180, 2 * pi),
        .quality = kind < sizeof quality ? quality[kind] : 1,
        .num_sats = satellites == 255 ? 0 : satellites,
        .hdop = hdop == unknown ? 0 : hdop / 10,
        .vdop = vdop == unknown ? 0 : vdop / 10,
        .err_horz = tpi_mav_u32(message, 34) / 1000.0,
        .err_vert = tpi_mav_u32(message, 38) / 1000.0,
    };

    if (m->gps != NULL && labs((long)data.latitude) <= 900000000L &&
        labs((long)data.longitude) <= 1800000000L) {
        tpi_utm(data.latitude * 1e-7, data.longitude * 1e-7, &data.utm_e, &data.utm_n);
        tp_gps_publish_state(m->gps, &data, 0);
    }
}

static void take_status(struct mav *m, const struct mav_message *message)
{
    const unsigned millivolts = tpi_mav_u16(message, 14);
    const int centiamperes = tpi_mav_i16(message, 16);
    const int percent = (int8_t)message->payload[30];
    const bool has_volts = millivolts != 0xffff && millivolts != 0;
    const bool has_watts = has_volts && centiamperes >= 0;
    const tp_power_data data = {
        .valid = (has_volts ? (uint32_t)TP_POWER_MASK_VOLTS : 0) |
                 (has_watts ? (uint32_t)TP_POWER_MASK_WATTS : 0) |
                 (percent >= 0 ? (uint32_t)TP_POWER_MASK_PERCENT : 0),
        .volts = has_volts ? (float)(millivolts / 1000.0) : 0,
        .watts = has_watts ? (float)(-centiamperes * (double)millivolts * 1e-5) : 0,
        .percent = (float)(percent > 0 ? percent : 0)};

    if (m->power != NULL) {
        tp_power_publish_state(m->power, &data, 0);
    }
}

/* What the vehicle says to people, if it is an error or worse. */
static void take_text(tp_instance *self, const struct mav_message *message)
{
    enum { ERROR = 3, LONGEST = 50 };
    char text[LONGEST + 32];
    int length = snprintf(text, sizeof text, "the vehicle says: ");

    if (message->payload[0] > ERROR) {
        return;
    }
    for (unsigned i = 1; i <= LONGEST && message->payload[i] != '\0'; i++) {
        text[length++] = isprint(message->payload[i]) ? (char)message->payload[i] : '?';
    }
    text[length] = '\0';
    tp_instance_note(self, text);
}

static void take_answer(tp_instance *self, const struct mav_message *message)
{
    enum { ARM = 400, TAKEOFF = 22 };
    static const char *const reasons[] = {"accepted", "not now", "denied", "not supported",
                                          "failed"};
    const unsigned command = tpi_mav_u16(message, 0);
    const unsigned result = message->payload[2];
    char text[96];

    if ((command == ARM || command == TAKEOFF) && result > 0 && result < 5) {
        (void)snprintf(text, sizeof text, "the vehicle does not %s: %s",
                       command == ARM ? "arm or disarm" : "take off", reasons[result]);
        tp_instance_note(self, text);
    }
}

void tpi_mav_report(tp_instance *self, const struct mav_message *message)
{
    struct mav *m = tp_instance_state(self);

    if (message->system != m->vehicle.system || message->component != m->vehicle.component) {
        return;
    }
    m->vehicle.heard_ns = mav_now_ns(self);
    switch (message->id) {
    case MAV_HEARTBEAT:
        tpi_mav_take_heartbeat(self, message);
        break;
    case MAV_SYS_STATUS:
        take_status(m, message);
        break;
    case MAV_GPS_RAW_INT:
        take_fix(m, message);
        break;
    case MAV_SCALED_IMU:
        take_scaled(m, message);
        break;
    case MAV_HIGHRES_IMU:
        take_fine(m, message);
        break;
    case MAV_ATTITUDE:
        take_attitude(m, message);
        break;
    case MAV_LOCAL_POSITION_NED:
        take_place(m, message);
        break;
    case MAV_COMMAND_ACK:
        take_answer(self, message);
        break;
    case MAV_STATUSTEXT:
        take_text(self, message);
        break;
    default:
        break;
    }
}
