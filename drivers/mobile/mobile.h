/*
 * mobile.h - what the files of this driver share.
 *
 * mobile.c runs the instance, axes.c takes commands axis by axis and says what can be done, drive.c
 * turns what the axes are to do into velocities, settings.c finds out what the robot can do,
 * under.c knows the three interfaces that can be under it.
 */
#ifndef TROUPE_DRIVERS_MOBILE_MOBILE_H
#define TROUPE_DRIVERS_MOBILE_MOBILE_H

#include "property.h"
#include "troupe/driver.h"
#include "troupe/interfaces/mobile.h"

enum { AXES = TP_MOBILE_MAX_AXES };

/* What an axis is to do. */
struct axis {
    bool active;
    uint8_t control;
    uint8_t frame;
    double value; /* velocity or acceleration that is wanted */
    double limit; /* of the speed, or of the acceleration of a velocity; HUGE_VAL for none */
    double speed; /* now */
    /* Of a position: the coordinate to reach. Of x and y it is measured along a direction of the
     * world. */
    double goal;
    double direction;
};

/* The device that does it. */
typedef enum mode {
    MODE_REST,
    MODE_SPEEDS, /* this driver, with velocities */
    MODE_PLACE,  /* the device under it, with a position */
} mode;

struct mobile {
    own_properties properties; /* first, as property.h wants it */
    tp_device *device;         /* borrowed */
    tp_link *base;             /* borrowed: the device under it */
    const struct under *under; /* what that is */
    tp_timer *timer;           /* owned: the next step */

    /* What it can do. */
    uint8_t axis_mask;          /* 1 << axis */
    bool takes_places;          /* the device under it goes to positions */
    double max_speed[2];        /* m/s and rad/s */
    double max_acceleration[2]; /* m/s^2 and rad/s^2 */
    double min_turn_radius;
    double tolerance[2]; /* m and rad */
    int64_t period_ns;
    unsigned open_questions; /* of those at the start */

    /* What the device under it says. */
    bool pose_known;
    double pose[AXES];
    double vel[AXES];
    bool stall;

    struct axis axes[AXES];
    mode mode;
    int64_t stepped_ns; /* when the speeds were set last */
    int64_t still_ns;   /* since when it stands still, on its way to a place */
    double sent[AXES];  /* the velocity that was sent to it last */
    tp_mobile_result result;
    char refused[160]; /* why the last command was not taken; "" if it was */
};

/* Whether the axis turns; the limits of the two kinds differ. */
static inline unsigned mobile_turns(unsigned axis)
{
    return axis >= TP_MOBILE_ROLL;
}

static inline bool mobile_has(const struct mobile *m, unsigned axis)
{
    return (m->axis_mask >> axis & 1) != 0;
}

/* Whether it moves in every direction of the plane. */
static inline bool mobile_is_free(const struct mobile *m)
{
    return mobile_has(m, TP_MOBILE_X) && mobile_has(m, TP_MOBILE_Y);
}

/* "x" ... "yaw". */
extern const char *const tpi_mobile_axis_names[AXES];

/* ---- settings.c ------------------------------------------------------------------------------ */

/* Read the parameters and name the device under it. From init. */
tp_status tpi_mobile_read(tp_instance *self, struct mobile *m, tp_error *err);

/* Ask the device under it what it can do; it has started when that is known. From start. */
tp_status tpi_mobile_ask(tp_instance *self, struct mobile *m, tp_error *err);

/* ---- axes.c ---------------------------------------------------------------------------------- */

void tpi_mobile_abilities(const struct mobile *m, tp_mobile_abilities *out);

/* Take a command: the axes get what they can do, and `m->result` and `m->refused` what became of
 * it. Fails for commands that make no sense, and then changes nothing. */
tp_status tpi_mobile_take(struct mobile *m, const tp_mobile_cmd *ask, tp_error *err);

/* ---- drive.c --------------------------------------------------------------------------------- */

/* Bring the speeds of all axes forward by some time; axes that are at their end come to rest. */
void tpi_mobile_drive_step(struct mobile *m, double dt_s);

/* The velocity in the robot's own frame that the speeds make. */
void tpi_mobile_drive_velocity(const struct mobile *m, double own[AXES]);

/* Whether the speeds change by themselves. */
bool tpi_mobile_drive_changes(const struct mobile *m);

/* How far an axis is from its position. */
double tpi_mobile_drive_left(const struct mobile *m, unsigned axis);

/* The pose that all axes with a position are to reach, and with which speeds. */
void tpi_mobile_drive_place(const struct mobile *m, double pose[AXES], double speeds[AXES]);

/* ---- under.c --------------------------------------------------------------------------------- */

/* An interface that can be under it. */
struct under {
    const tp_interface *interface;
    const char *axes;  /* that it has unless the configuration says otherwise */
    uint8_t axis_mask; /* that it may have */
    uint8_t cmd_place;
    uint8_t data_state;
    uint8_t req_reset;
    const void *reset; /* what that carries; NULL for nothing */
    tp_status (*send_velocity)(const struct mobile *m, const double vel[AXES]);
    tp_status (*send_place)(const struct mobile *m, const double pose[AXES],
                            const double speeds[AXES]);
    void (*read_state)(struct mobile *m, const void *payload);
};

/* position1d, position2d, position3d; ended by one without an interface. */
extern const struct under tpi_mobile_unders[];

/* Whether it is an actuator with one axis, which has no frame but its own. */
bool tpi_mobile_under_is_line(const struct mobile *m);

#endif
