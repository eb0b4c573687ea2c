/*
 * mavlink.h - what the files of the driver share.
 *
 *     frame.c     frames
 *     vehicle.c   makes of vehicles; modes, arming, velocities
 *     report.c    what the vehicle says of itself, as data of devices
 *     mavlink.c   parameters, devices and life
 */
#ifndef MAVLINK_MAVLINK_H
#define MAVLINK_MAVLINK_H

#include "frame.h"
#include "troupe/driver.h"
#include "troupe/interfaces/imu.h"
#include "troupe/port.h"

/* What the configuration wants. */
struct mav_plan {
    unsigned baud;
    uint8_t system; /* number of the vehicle; 0 for the first that is heard */
    double rate;    /* of data, per second */
    double max_speed, max_turn;
    double takeoff; /* metres; 0 for none */
    bool arm;       /* a velocity arms a vehicle on the ground */
    int64_t timeout_ns;
};

/* What is known of a make of vehicle. */
struct mav_make {
    uint8_t autopilot;
    bool flies;
    uint32_t guided, hold; /* modes: it obeys velocities; it stands */
};

/* What the vehicle has said of itself. */
struct mav_vehicle {
    uint8_t system, component, version;
    uint8_t type, autopilot;
    const struct mav_make *make; /* NULL for one that is not driven here */
    bool armed;
    uint32_t mode;
    int64_t heard_ns;
};

/* What was asked of it. */
struct mav_wish {
    double velocity[3]; /* m/s: forward, to the left, up */
    double turn;        /* rad/s, counter-clockwise */
    bool moves;         /* any of them is not 0 */
    bool ready;         /* it is to be armed and guided */
    bool was_guided;    /* it was, since then */
    bool takes_off;     /* as soon as it is ready */
    bool lost;          /* it left the mode by itself: its pilot has it */
    int64_t asked_ns;   /* when arming was asked for */
    int64_t sent_ns;    /* when the velocity was sent */
};

/* Where it is: north, west, up; angles about forward, left and up. */
struct mav_place {
    bool has_attitude, has_origin;
    double angles[3], rates[3];
    double origin[3], origin_yaw;
};

struct mav {
    tp_device *ground, *space, *gps, *imu, *power; /* NULL if not offered */
    tp_port *port;                                 /* owned; NULL unless it runs */
    struct mav_plan plan;
    struct mav_reader reader;
    uint8_t sequence;
    struct mav_vehicle vehicle;
    struct mav_wish wish;
    struct mav_place place;
    int64_t beat_ns;  /* when the vehicle was sent a heartbeat */
    uint8_t datatype; /* that the imu sends */
    tp_imu_data_calib inertia;
};

static inline struct mav *mav_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static inline int64_t mav_now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- vehicle.c ------------------------------------------------------------------------------- */

/* A heartbeat of the vehicle. */
void tpi_mav_take_heartbeat(tp_instance *self, const struct mav_message *message);

/* Say that a ground station is there. */
tp_status tpi_mav_beat(tp_instance *self, tp_error *err);

/* Ask for data; the vehicle need not answer. */
tp_status tpi_mav_ask_data(tp_instance *self, tp_error *err);

/* Drive with a velocity: forward, left, up in m/s, and rad/s. Arms the vehicle if that is allowed.
 */
tp_status tpi_mav_drive(tp_instance *self, const double velocity[3], double turn, tp_error *err);

/* Switch the motors: arm, and disarm or land. */
tp_status tpi_mav_power(tp_instance *self, bool on, tp_error *err);

/* Repeat what must be repeated. */
tp_status tpi_mav_keep(tp_instance *self, tp_error *err);

/* Stand still; cannot fail. */
void tpi_mav_halt(tp_instance *self);

/* Stand still for good: hold a vehicle on the ground, let one in the air hover; cannot fail. */
void tpi_mav_leave(tp_instance *self);

/* Bytes for the guard. */
tp_status tpi_mav_guard(tp_instance *self, tp_error *err);

/* ---- report.c -------------------------------------------------------------------------------- */

/* A message has come. */
void tpi_mav_report(tp_instance *self, const struct mav_message *message);

#endif
