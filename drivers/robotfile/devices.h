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
#include "troupe/driver.h"

enum { MOST_DEVICES = 16, DEVICE_VALUES = 360, DEVICE_ELEMENTS = 64 };

/* Where the beams of a ranger point, in radians from straight ahead, to the left. */
struct devices_beams {
    bool is_known;
    unsigned count; /* of elements; 1 for a scan */
    double yaws[DEVICE_ELEMENTS];
    double first, step; /* of a scan */
};

/* A device that is used, and what it reported last. */
struct devices_item {
    tp_link *link; /* borrowed */
    const tp_interface *interface;
    bool is_heard; /* it has reported since the start, and was not lost */
    bool is_lost;  /* and has not reported again */
    int64_t heard_ns;
    unsigned count;               /* inputs */
    double values[DEVICE_VALUES]; /* inputs; the nearest per degree; pressed; percent and volts */
    struct devices_beams beams;
};

struct robotfile_devices {
    unsigned count;
    struct devices_item items[MOST_DEVICES];
    bool has_answer; /* which the dialog has not received */
    tpi_buf answer;  /* owned */
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

/* The robot is its devices, not bytes on a line. */
bool tpi_robotfile_has_devices(const struct robotfile *r);

/* devices_data.c: keep what a device reports; ask a ranger where it looks. */
void tpi_robotfile_devices_keep(struct devices_item *item, const tp_msg *msg, int64_t now_ns);
void tpi_robotfile_devices_ask(struct devices_item *item);

/* devices_data.c: the nearest distance between two angles in degrees, in metres; NAN if the ranger
 * does not look there. */
double tpi_robotfile_devices_nearest(const struct devices_item *item, double from, double to);

#endif
