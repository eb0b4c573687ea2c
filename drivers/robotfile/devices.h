/*
 * devices.h - the line "devices": a robot that is devices of this or another server.
 *
 * The robot file of such a robot has a link of the kind "devices". Its instructions are orders
 * (orders.h). The devices that `requires` names carry them out; the types of the file's devices
 * begin with the name of the interface that they need, and those without one are not there.
 */
#ifndef TROUPE_DRIVERS_ROBOTFILE_DEVICES_H
#define TROUPE_DRIVERS_ROBOTFILE_DEVICES_H

#include "base/buf.h"
#include "orders.h"
#include "troupe/driver.h"
#include "universal/wired.h"

enum { MOST_DEVICES = 24, DEVICE_VALUES = 360, DEVICE_ELEMENTS = 64, DEVICE_BLOBS = 16 };

/* Where the beams of a ranger point, and where bumpers sit: in radians from straight ahead, to the
 * left. */
struct devices_beams {
    bool is_known;
    unsigned count; /* of elements; 1 for a scan */
    double yaws[DEVICE_ELEMENTS];
    double first, step; /* of a scan */
};

/* The reach of a joint: radians, or metres. */
struct devices_joint {
    bool is_known, is_linear;
    double low, high;
};

/* The largest patch of a colour, in percent of the picture. */
struct devices_blob {
    uint32_t channel;
    double x, y, size;
};

/* A device that is used, and what it reported last. */
struct devices_item {
    tp_link *link; /* borrowed */
    const tp_interface *interface;
    bool is_heard; /* it has reported since the start, and was not lost */
    bool is_lost;  /* and has not reported again */
    int64_t heard_ns;
    unsigned count;               /* inputs */
    double values[DEVICE_VALUES]; /* inputs; the nearest per degree; pressed; percent and volts;
                                     joints; beams of a gripper; heading */
    struct devices_beams beams;
    struct devices_joint joints[DEVICE_ELEMENTS];
    struct devices_blob blobs[DEVICE_BLOBS]; /* `count` of them */
    uint32_t outputs;                        /* of a dio: what they were set to */
    char *told; /* owned; the channels of a sensor that describes itself; NULL for other devices */
};

struct robotfile_devices {
    unsigned count;
    struct devices_item items[MOST_DEVICES];
    bool has_answer; /* which the dialog has not received */
    tpi_buf answer;  /* owned */
    unsigned asking; /* devices that have not said yet whether they are such sensors */
    bool is_new;     /* what they said is not in the parts yet */
};

struct robotfile;

/* Whether the configuration and the robot file mean devices; then use those of `requires` and leave
 * out parts of the robot that they lack. From init, before the dialog is made. */
tp_status tpi_robotfile_devices_init(struct robotfile *r, tp_error *err);
void tpi_robotfile_devices_fini(struct robotfile *r);

/* Forget what was reported; ask where sensors look. */
void tpi_robotfile_devices_start(struct robotfile *r);

/* A device has reported something. True if all have reported now. */
bool tpi_robotfile_devices_take(struct robotfile *r, tp_link *from, const tp_msg *msg);

/* Carry out an order. Its answer waits for tpi_robotfile_devices_deliver(). */
void tpi_robotfile_devices_write(struct robotfile *r, const uint8_t *bytes, size_t length);

/* Pass an answer that waits on to the dialog; false if there is none. */
bool tpi_robotfile_devices_deliver(struct robotfile *r);

/* Stop the device that moves, in a `halt`. */
void tpi_robotfile_devices_halt(struct robotfile *r);

/* sensors.c: ask a device whether it is a sensor that describes itself; take what it tells. */
void tpi_robotfile_sensors_ask(struct robotfile *r, struct devices_item *item);
bool tpi_robotfile_sensors_take(struct robotfile *r, struct devices_item *item, const tp_msg *msg);

/* sensors.c: plug in and out what has changed, unless a command runs. */
void tpi_robotfile_sensors_settle(struct robotfile *r);

/* sensors.c: switch off the actuators of sensors, such as heaters. */
void tpi_robotfile_sensors_stop(struct robotfile *r);

/* sensors.c: whether it is not known yet which sensors there are. */
bool tpi_robotfile_sensors_are_open(const struct robotfile *r);

/* The robot is its devices, not bytes on a line. */
bool tpi_robotfile_has_devices(const struct robotfile *r);

/* devices.c: the `number`-th device with an interface; a ranger is also a sonar or a laser. NULL
 * for none. */
struct devices_item *tpi_robotfile_devices_find(const struct robotfile *r, const char *name,
                                                unsigned number);

/* devices.c: the number "device" of a part; 0 if it has none. */
unsigned tpi_robotfile_devices_number(const struct robotfile *r, const tpi_part *part);

/* Whether a device that was lost stays so until it reports: those that report. */
bool tpi_robotfile_devices_reports(const struct devices_item *item);

/* devices_data.c: keep what a device reports. */
void tpi_robotfile_devices_keep(struct devices_item *item, const tp_msg *msg, int64_t now_ns);

/* devices_places.c: ask where sensors look, and how far joints go; keep what it answers. */
void tpi_robotfile_devices_ask(struct devices_item *item);
bool tpi_robotfile_devices_place(struct devices_item *item, unsigned code, const void *payload);

/* devices_places.c: keep ranges, by degrees. False if the angles are not known yet. */
bool tpi_robotfile_devices_keep_ranges(struct devices_item *item, const double *first_step,
                                       const void *ranges, bool is_f64, uint32_t count);

/* devices_places.c: the nearest distance between two angles in degrees, in metres; NAN if the
 * ranger does not look there. */
double tpi_robotfile_devices_nearest(const struct devices_item *item, double from, double to);

/* devices_places.c: whether a bumper between two angles is pressed; NAN if there is none. */
double tpi_robotfile_devices_pressed(const struct devices_item *item, double from, double to);

/* devices_read.c: the answer to an order that reads: up to three numbers, by their count; 0 if
 * there are none. */
unsigned tpi_robotfile_devices_measure(struct robotfile *r, const struct order *order,
                                       double out[3]);
bool tpi_robotfile_devices_is_fresh(const struct robotfile *r, const struct devices_item *item);

/* devices_act.c: carry out an order that writes; TP_E_RANGE with a reason in `why` if the device
 * lacks what the order names. */
tp_status tpi_robotfile_devices_act(struct robotfile *r, struct devices_item *item,
                                    const struct order *order, const char **why);

/* devices_act.c: stop what moves. */
void tpi_robotfile_devices_stop(struct robotfile *r);

#endif
