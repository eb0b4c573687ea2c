/*
 * fake.h - what the files of this driver share.
 *
 * fake.c runs the instance. Messages are played from their descriptions alone (generic.c), but for
 * those where something moves, is measured or is looked up, or where numbers must agree with each
 * other. These are rows of tables (fake_kind) in the other files: typed operations for such
 * messages of an interface, and a few functions that move its state on and publish it.
 *
 * Time: before anything happens to a device its state is brought up to the present of the
 * instance's clock. So what a device says does not depend on how often it is asked, and a
 * velocity is integrated over exactly the time that it was in force.
 */
#ifndef FAKE_H
#define FAKE_H

#include "control.h"
#include "counted.h"
#include "troupe/driver.h"

typedef struct fake fake;
typedef struct fake_device fake_device;

/* ---- Random numbers: the same seed gives the same numbers ------------------------------------ */

typedef struct fake_random {
    uint64_t state;
} fake_random;

uint64_t tpi_fake_random_bits(fake_random *random);
double tpi_fake_random_between(fake_random *random, double low, double high);
uint32_t tpi_fake_random_below(fake_random *random, uint32_t bound);

/* Normally distributed, with a standard deviation of 1. */
double tpi_fake_random_normal(fake_random *random);

/* ---- Kinds of devices ------------------------------------------------------------------------ */

typedef struct fake_kind {
    const tp_interface *interface;
    const void *ops; /* the generated table of the interface; what it leaves out is generic */
    size_t state_size;
    const void *first;                  /* what the state begins as; NULL for zeroes */
    tp_bbox3d size;                     /* of the device, unless the configuration says otherwise */
    uint32_t publishes;                 /* 1 << code of each optional data message that it sends */
    const tp_property_plan *properties; /* beside those of all; ended by one without a key */
    const tp_property_plan *counters;   /* the same */
    /* Each is optional. `end` follows every `begin`. */
    tp_status (*begin)(fake_device *d, tp_error *err);
    void (*advance)(fake_device *d, double dt_s); /* move the state on */
    void (*publish)(fake_device *d);              /* called at the rate of the instance */
    void (*halt)(fake_device *d);                 /* leave nothing moving */
    void (*end)(fake_device *d);
} fake_kind;

/* Rows by file, each ended by a row without an interface. */
extern const fake_kind tpi_fake_vehicles[];  /* vehicles.c */
extern const fake_kind tpi_fake_flyers[];    /* flyers.c */
extern const fake_kind tpi_fake_mobiles[];   /* mobile.c */
extern const fake_kind tpi_fake_actuators[]; /* actuators.c */
extern const fake_kind tpi_fake_arms[];      /* arms.c */
extern const fake_kind tpi_fake_limbs[];     /* limbs.c */
extern const fake_kind tpi_fake_rangers[];   /* rangers.c */
extern const fake_kind tpi_fake_scanners[];  /* scanners.c */
extern const fake_kind tpi_fake_pictures[];  /* pictures.c */
extern const fake_kind tpi_fake_finders[];   /* finders.c */
extern const fake_kind tpi_fake_places[];    /* places.c */
extern const fake_kind tpi_fake_maps[];      /* maps.c */
extern const fake_kind tpi_fake_inertials[]; /* inertials.c */
extern const fake_kind tpi_fake_signals[];   /* signals.c */
extern const fake_kind tpi_fake_radios[];    /* radios.c */
extern const fake_kind tpi_fake_sounds[];    /* sounds.c */
extern const fake_kind tpi_fake_speeches[];  /* speeches.c */
extern const fake_kind tpi_fake_boards[];    /* boards.c */
extern const fake_kind tpi_fake_worlds[];    /* worlds.c */

/* generic.c. For interfaces that no row plays: sends required data, and what clients have written.
 */
extern const fake_kind tpi_fake_generic;

/* Do what the description of a message says: remember what it sets, answer what it asks. */
tp_status tpi_fake_play(fake_device *d, const tp_message *what, const void *ask, void *answer,
                        tp_error *err);

/* Whether a device without a row sends this data message. */
bool tpi_fake_plays_data(const fake_device *d, const tp_message *what);

/* What the two above work with. The second is safe after a failure of the first. */
tp_status tpi_fake_player_create(fake_device *d, tp_error *err);
void tpi_fake_player_destroy(fake_device *d);

/* ---- Values of any type ---------------------------------------------------------------------- */

/* values.c. Size of one element of a field, in memory. */
size_t tpi_fake_element_size(const tp_field *field);

/* Give all arrays of a zeroed value some elements; false if memory ran out. */
bool tpi_fake_make_arrays(const tp_struct *type, char *value);

/* Draw plausible numbers for all fields, with the noise of what the device measures. */
void tpi_fake_draw(fake_device *d, fake_random *random, const tp_struct *type, char *value);

/* Whether all elements of a field are 0. */
bool tpi_fake_is_zero(const tp_field *field, const char *value);

/* Refuse a value with a number that is not finite, or too large to reckon with. */
tp_status tpi_fake_check_numbers(const tp_struct *type, const void *value, tp_error *err);

/* ---- Devices --------------------------------------------------------------------------------- */

enum { FAKE_LABEL = 64, FAKE_MOST_HZ = 10000 };

struct fake_device {
    tp_device *device; /* borrowed */
    fake *owner;       /* borrowed */
    const fake_kind *kind;
    void *state;                /* owned: the kind's */
    struct fake_player *player; /* owned: see generic.c */
    bool begun;                 /* `end` has to be called */
    bool off;                   /* a client has switched it off */
    tpi_control control;        /* what POSITION_MODE has chosen */
    bool halted;                /* HALT was the last that was written for it */
    fake_random random;
    uint64_t origin; /* where its random numbers began */
    int64_t time_ns; /* up to when the state has moved on */
};

static inline fake_device *fake_of(tp_device *device)
{
    return tp_device_context(device);
}

/* The kind's state of the device. */
static inline void *fake_state(tp_device *device)
{
    return fake_of(device)->state;
}

/* ---- The instance ---------------------------------------------------------------------------- */

enum { FAKE_POSTS = 3 };

/* Where everything happens: a room about the origin, with round posts in it. */
typedef struct fake_room {
    double half_x;
    double half_y;
    struct {
        double x;
        double y;
        double radius;
    } posts[FAKE_POSTS];
} fake_room;

struct fake {
    tp_instance *instance; /* borrowed */
    fake_device *devices;  /* owned array */
    size_t device_count;
    double rate_hz;
    double noise;
    uint64_t seed;
    int64_t start_ns; /* of the instance's clock */
    bool placed;      /* the configuration says where the devices sit */
    tp_pose3d pose;
    bool sized;
    tp_bbox3d size;
    fake_room room;

    /* The first vehicle among the devices tells where the robot is; without one it rests at 0. */
    const fake_device *vehicle; /* borrowed */
    tp_pose2d robot;
    tp_pose2d robot_vel;

    struct tp_port *line; /* owned; NULL without one, or while it does not run */
};

/* line.c: from start and stop; a command that was obeyed; a device that is stopped. Each does
 * nothing without a line. */
tp_status tpi_fake_line_open(fake *f, tp_error *err);
void tpi_fake_line_close(fake *f);
tp_status tpi_fake_line_command(fake_device *d, const tp_message *what, const void *ask,
                                tp_error *err);
void tpi_fake_line_halt(fake_device *d);

/* Let the device's random numbers begin anew, from the seed of the instance. */
void tpi_fake_seed(fake_device *d);

/* Bring the device's state up to the present. */
void tpi_fake_advance(fake_device *d);

/* A vehicle says where it is. */
void tpi_fake_set_robot(fake_device *d, const tp_pose2d *pose, const tp_pose2d *vel);

/* The time since the start of the instance up to which the device's state has moved on. */
double tpi_fake_time_s(const fake_device *d);

double tpi_fake_wall_s(const fake_device *d);

/* A measured value: the true one and the configured noise. */
double tpi_fake_measure(fake_device *d, double value);

/* Where the device sits, and its size; as the interfaces with a geometry of their own say it. */
tp_pose3d tpi_fake_pose(const fake_device *d);
tp_bbox3d tpi_fake_size(const fake_device *d);

/* common.c: the questions that every device answers. */
tp_status tpi_fake_add_properties(fake_device *d, tp_error *err);
void tpi_fake_set_geometry(fake_device *d);
tp_status tpi_fake_capabilities(tp_device *device, const tp_capabilities_req *ask, tp_error *err);

/* Whether the device does something about a message. */
bool tpi_fake_does(const fake_device *d, const tp_message *what);

/* ---- The room -------------------------------------------------------------------------------- */

void tpi_fake_room_init(fake_room *room, fake_random *random);

/* How far a ray from a pose, at an angle to its heading, goes before it meets something. A pose
 * outside the room counts as one at its edge. */
double tpi_fake_room_ray(const fake_room *room, const tp_pose2d *from, double angle, double most);

/* Whether a place is inside a wall or a post, or outside the room. */
bool tpi_fake_room_is_solid(const fake_room *room, double x, double y);

/* Where the device looks from. */
tp_pose2d tpi_fake_eye(const fake_device *d);

/* ---- Motion ---------------------------------------------------------------------------------- */

/* The angle between -pi and pi that is the same direction. */
double tpi_fake_angle(double angle);

/* From one value towards another by at most a step. */
double tpi_fake_approach(double from, double to, double step);

/* Where a pose gets with a constant velocity in its own frame: along an arc of a circle. */
tp_pose2d tpi_fake_arc(const tp_pose2d *from, const tp_pose2d *vel, double dt_s);

/* A pose given in the frame of another. */
tp_pose2d tpi_fake_compose(const tp_pose2d *frame, const tp_pose2d *pose);

/* Speeds where a command names none. */
#define FAKE_USUAL_MPS 0.5
#define FAKE_USUAL_RADPS 1.0

/* The speed that a command asks for, or the usual one if it is 0. */
double tpi_fake_speed_or(double speed, double usual);

/* The nearest number that fits. */
int32_t tpi_fake_whole(double value);

/* The largest number that a command may have. */
#define FAKE_MOST 1e9

typedef enum fake_drive_mode {
    FAKE_REST,
    FAKE_VELOCITY, /* keep `vel` */
    FAKE_HEADING,  /* move forward, turn to the heading of `goal` and keep it */
    FAKE_POSE,     /* turn to the goal, drive there, turn to its heading */
} fake_drive_mode;

/* A vehicle in the plane. */
typedef struct fake_drive {
    fake_drive_mode mode;
    tp_pose2d pose;
    tp_pose2d vel; /* in its own frame, now */
    tp_pose2d goal;
    double forward_mps; /* speed towards the goal, forward and turning */
    double turn_radps;
    double driven_m; /* since its counters were last changed */
    double turned_rad;
} fake_drive;

void tpi_fake_drive_advance(fake_drive *drive, double dt_s);
void tpi_fake_drive_stop(fake_drive *drive);

/* Refuse to keep a value that is larger than this when encoded. */
tp_status tpi_fake_check_size(const tp_struct *type, const void *value, size_t most, tp_error *err);

/* ---- Text ------------------------------------------------------------------------------------ */

/* Values have pointers to char that nobody writes through. */
static inline char *fake_chars(const char *text)
{
    return (char *)(uintptr_t)text;
}

#endif
