/*
 * p2os.h - what the files of the driver share.
 *
 *     ../shared/p2os_packet.c    packets
 *     models.c    makes of robots
 *     talk.c      commands to the robot, and the first words with it
 *     report.c    what the robot says of itself, ten times a second, as data of devices
 *     vehicle.c   position2d
 *     devices.c   sonar, bumper, power, gripper, aio, dio
 *     extras.c    what not every robot has: gyroscope, colour tracker, sounds
 *     p2os.c      parameters and life
 */
#ifndef P2OS_P2OS_H
#define P2OS_P2OS_H

#include "models.h"
#include "p2os_packet.h"
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
    P2OS_GYRO = 58,
    P2OS_TTY3 = 66, /* a text for the second auxiliary line */
    P2OS_GETAUX2 = 67,
    P2OS_SOUND = 90,
};

enum {
    P2OS_BUMPERS = 5,
    P2OS_MOST_LABEL = 64,
    P2OS_MOST_URL = 128,
    P2OS_MOST_TEXT = 40 /* for an auxiliary line */
};                      /* bumpers in front, and as many behind */

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

/* What the gyroscope has said. */
struct p2os_gyro {
    double zero;       /* the reading of a robot that stands */
    unsigned readings; /* of a robot that stands, so far */
    double rate, heading;
};

/* What the colour tracker says. */
struct p2os_camera {
    uint8_t bytes[10];
    size_t length;
    int64_t asked_ns; /* when the robot was asked for its bytes; 0 if they have come */
    uint32_t color;   /* what it tracks */
};

struct p2os {
    tp_device *vehicle, *compass, *gyro, *sonar, *aio, *dio, *power, *bumper, *gripper, *blobs,
        *audio;              /* NULL if not offered */
    char url[P2OS_MOST_URL]; /* of the line, if it is a robot on a network; else empty */
    tp_port *port;           /* owned; NULL unless it runs */
    struct p2os_plan plan;
    const struct p2os_model *model;
    struct p2os_reader reader;
    char label[P2OS_MOST_LABEL]; /* what the robot calls itself */
    struct p2os_odometry odometry;
    bool motors_off; /* a client wants them off */
    bool in_motion;  /* a velocity was sent that is not 0 */
    bool rolls;      /* its wheels turn, as the last report says */
    struct p2os_gyro gyro_state;
    struct p2os_camera camera;
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

/* Any payload. */
tp_status tpi_p2os_say_all(tp_instance *self, const uint8_t *payload, size_t length, tp_error *err);

/* Stop the wheels and, if `closes`, end the connection; cannot fail. */
void tpi_p2os_say_stop(tp_instance *self, bool closes);

/* ---- report.c -------------------------------------------------------------------------------- */

/* A packet has come. */
void tpi_p2os_report(tp_instance *self, const uint8_t *payload, size_t length);

/* The pose for clients. */
tp_pose2d tpi_p2os_pose(const struct p2os_odometry *odometry);

/* ---- vehicle.c, devices.c, extras.c
 * --------------------------------------------------------------- */

/* Offer what `provides` lists. */
tp_status tpi_p2os_offer_vehicle(tp_instance *self, tp_error *err);
tp_status tpi_p2os_offer_devices(tp_instance *self, tp_error *err);

/* The same for what not every robot has; then: switch it on, ask for it now and then, and a packet
 * of it. */
tp_status tpi_p2os_offer_extras(tp_instance *self, tp_error *err);
tp_status tpi_p2os_start_extras(tp_instance *self, tp_error *err);
tp_status tpi_p2os_poll_extras(tp_instance *self, tp_error *err);
void tpi_p2os_report_extras(struct p2os *p, const uint8_t *payload, size_t length);

/* Learn where sensors sit, when the make is known. */
void tpi_p2os_tell_places(struct p2os *p);

/* Stop the gripper where it is; cannot fail. */
void tpi_p2os_halt_gripper(tp_instance *self);

#endif
