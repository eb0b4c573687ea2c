/*
 * inhibit.h - what the files of this driver share.
 *
 * inhibit.c runs the instance and lets commands pass or not, sensors.c knows what is around the
 * robot, judge.c what that means for a motion. way.h has the geometry.
 */
#ifndef TROUPE_DRIVERS_INHIBIT_INHIBIT_H
#define TROUPE_DRIVERS_INHIBIT_INHIBIT_H

#include "property.h"
#include "troupe/driver.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ranger.h"
#include "way.h"

enum { INHIBIT_MOST_SENSORS = 8 };

/* Where something sits on the robot, and how it is turned. */
typedef struct mount {
    double x;
    double y;
    double yaw;
    bool flipped; /* upside down: its left is to the right */
} mount;

struct sensor {
    tp_link *link; /* borrowed */
    const struct sensor_kind *kind;
    char name[32];
    int64_t heard_ns;    /* when its last data came */
    const char *trouble; /* why that cannot be used; NULL if it can */

    bool by_hand; /* the configuration says where it sits */
    mount base;
    mount *mounts; /* owned: of its elements */
    uint32_t mount_count;
    uint32_t mount_capacity;
    tp_ranger_config config; /* of a ranger */

    way_point *points; /* owned: what is in the way, from the robot */
    uint32_t point_count;
    uint32_t point_capacity;
};

/* What is commanded: one of these, and what it means for the robot. */
typedef struct movement {
    unsigned code; /* of the command; 0 for none */
    tp_position2d_cmd_vel vel;
    tp_position2d_cmd_car car;
    tp_position2d_cmd_vel_head head;
    way_motion motion;
} movement;

struct inhibit {
    own_properties properties; /* first, as property.h wants it */
    tp_device *device;         /* borrowed */
    tp_link *base;             /* borrowed */
    tp_timer *timer;           /* owned: when the first sensor is silent for too long */

    struct sensor sensors[INHIBIT_MOST_SENSORS];
    size_t sensor_count;
    double nearest_m; /* readings that are nearer are the robot itself */
    double cone;      /* opening of sensors with elements */

    bool given[3]; /* front, back, side by the configuration */
    way_outline outline;
    bool sized; /* all of it is known */
    double stop_m;
    double slow_m;
    double wheelbase_m; /* 0 if it is not known */
    int64_t timeout_ns;
    bool resume;

    int64_t begun_ns; /* when it was started */
    bool waits; /* what follows has come before all sensors have spoken, and is kept for then */
    movement now;
    double factor; /* of it, as it was sent last */
    bool heading_known;
    double heading;
    char blocked[160]; /* why it stands still; "" if it need not */
};

/* ---- sensors.c ------------------------------------------------------------------------------- */

/* Use all sensors that `requires` lists. From init; `err` says what is wrong with them. */
tp_status tpi_inhibit_sensors_require(tp_instance *self, struct inhibit *h, tp_error *err);
void tpi_inhibit_sensors_fini(struct inhibit *h);

/* Ask all of them where they sit; what they have seen before is forgotten. From start. */
tp_status tpi_inhibit_sensors_start(struct inhibit *h, tp_error *err);

/* Data of a sensor. */
void tpi_inhibit_sensor_take(struct inhibit *h, struct sensor *sensor, const tp_msg *msg,
                             int64_t now_ns);

/* ---- judge.c --------------------------------------------------------------------------------- */

/* Whether it was started so shortly ago that not all sensors need have spoken, and some have not.
 */
bool tpi_inhibit_judge_is_early(const struct inhibit *h, int64_t now_ns);

/* How much of the movement is allowed: 1 for all, 0 for nothing, and then why. */
double tpi_inhibit_judge(const struct inhibit *h, const movement *what, int64_t now_ns, char *why,
                         size_t size);

/* When a sensor will be silent for too long, if it stays silent. */
int64_t tpi_inhibit_judge_until(const struct inhibit *h);

#endif
