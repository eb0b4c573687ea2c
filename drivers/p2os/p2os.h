/*
 * p2os.h - what the files of the driver share.
 *
 *     packet.c    packets
 *     models.c    makes of robots
 *     talk.c      commands to the robot, and the first words with it
 *     report.c    what the robot says of itself, ten times a second, as data of devices
 *     vehicle.c   position2d
 *     devices.c   all other devices
 *     p2os.c      parameters and life
 */
#ifndef P2OS_P2OS_H
#define P2OS_P2OS_H

#include "models.h"
#include "packet.h"
#include "troupe/driver.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/port.h"

/* Numbers of commands. */
enum {
    P2OS_PULSE = 0,
    P2OS_OPEN = 1,
    P2OS_CLOSE = 2,
    P2OS_ENABLE = 4,
    P2OS_SETA = 5,
    P2OS_SETV = 6,
    P2OS_SETRV = 10,
    P2OS_VEL = 11,
    P2OS_RVEL = 21,
    P2OS_SETRA = 23,
    P2OS_SONAR = 28,
    P2OS_STOP = 29,
    P2OS_DIGOUT = 30,
    P2OS_VEL2 = 32,
    P2OS_GRIPPER = 33,
    P2OS_BUMPSTALL = 44,
};

enum {
    P2OS_BUMPERS = 5,
    P2OS_MOST_LABEL = 64,
    P2OS_MOST_URL = 128
}; /* bumpers in front, and as many behind */

/* What the configuration wants. */
struct p2os_plan {
    double max_speed, max_turn;        /* m/s and rad/s */
    double acceleration, deceleration; /* m/s^2; 0 for the robot's own */
    double turn_acceleration;          /* rad/s^2; the same */
    int bumpstall;                     /* -1 for the robot's own */
    bool by_wheels;                    /* velocities of wheels instead of forward and turn */
    int64_t pulse_ns;                  /* 0 for none */
    int64_t timeout_ns;
    unsigned baud;                  /* 0 to try */
    const struct p2os_model *model; /* NULL for what the robot says */
};

/* What was sent and heard. */
struct p2os_odometry {
    bool known;       /* there was a report */
    int raw[2];       /* x and y of the last one */
    tp_pose2d sum;    /* of all ways, as the robot counts them; the heading as it is */
    tp_pose2d base;   /* where the sum begins, for clients */
    tp_pose2d origin; /* of the sum, at that place */
};

struct p2os {
    tp_device *vehicle, *compass, *sonar, *aio, *dio, *power, *bumper,
        *gripper;            /* NULL if not offered */
    char url[P2OS_MOST_URL]; /* of the line, if it is a robot on a network; else empty */
    tp_port *port;           /* owned; NULL unless it runs */
    struct p2os_plan plan;
    const struct p2os_model *model;
    struct p2os_reader reader;
    char label[P2OS_MOST_LABEL]; /* what the robot calls itself */
    struct p2os_odometry odometry;
    bool motors_off;  /* a client wants them off */
    bool in_motion;   /* a velocity was sent that is not 0 */
    int64_t sent_ns;  /* when the robot heard something */
    int64_t heard_ns; /* when it said something */
    float ranges[P2OS_MOST_SONARS];
    tp_pose3d sonar_poses[P2OS_MOST_SONARS];    /* room for an answer */
    tp_bumper_define bumpers[2 * P2OS_BUMPERS]; /* likewise */
    uint8_t outputs;                            /* digital ones, as they were set last */
    float volts[1];                             /* of the analog input */
};

static inline struct p2os *p2os_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- talk.c ---------------------------------------------------------------------------------- */

/* Open the line and the robot. Waits. */
tp_status tpi_p2os_connect(tp_instance *self, tp_error *err);

/* A command with a number, and one without. */
tp_status tpi_p2os_say(tp_instance *self, uint8_t command, int argument, tp_error *err);
tp_status tpi_p2os_say_only(tp_instance *self, uint8_t command, tp_error *err);

/* Stop the wheels and, if `closes`, end the connection; cannot fail. */
void tpi_p2os_say_stop(tp_instance *self, bool closes);

/* ---- report.c -------------------------------------------------------------------------------- */

/* A packet has come. */
void tpi_p2os_report(tp_instance *self, const uint8_t *payload, size_t length);

/* The pose for clients. */
tp_pose2d tpi_p2os_pose(const struct p2os_odometry *odometry);

/* ---- vehicle.c and devices.c ----------------------------------------------------------------- */

/* Offer what `provides` lists. */
tp_status tpi_p2os_offer_vehicle(tp_instance *self, tp_error *err);
tp_status tpi_p2os_offer_devices(tp_instance *self, tp_error *err);

/* Learn where sensors sit, when the make is known. */
void tpi_p2os_tell_places(struct p2os *p);

/* Stop the gripper where it is; cannot fail. */
void tpi_p2os_halt_gripper(tp_instance *self);

#endif
