/*
 * sim.h - a simulated world: walls, robots and what their sensors see.
 *
 * A library: a world file goes in, state and sensor data come out. It has no server, no sockets, no
 * threads and no clock of its own. tpi_sim_step() moves time on by one interval:
 *
 *     1. every driven model takes its command, within its limits of speed and acceleration,
 *     2. all bodies move along exact arcs until the interval is over or they touch something,
 *     3. time moves on,
 *     4. the sensors that are due look at the world as it is now, all at the same instant,
 *     5. built-in controllers read them and give the commands of the next step.
 *
 * The same world, seed and commands give the same bits: with any number of threads, in every run,
 * and in whatever order the models stand in the file, provided that they have names of their own.
 *
 * World files are those of Stage. What is tolerated, ignored or odd produces a note with its
 * place in the file; errors say what is wrong and where.
 *
 * Everything belongs to the thread that calls. Only tpi_sim_load(), tpi_sim_parse(),
 * tpi_sim_set_pose(), tpi_sim_set_colour(), tpi_sim_restore() and the calls that write into a
 * buffer allocate; a step never does. Angles are radians, counter-clockwise; lengths are metres;
 * times are microseconds.
 */
#ifndef TROUPE_SIM_SIM_H
#define TROUPE_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "convert/cfg.h"
#include "troupe/status.h"

typedef struct tpi_sim tpi_sim;

/* ---- Helping hands --------------------------------------------------------------------------- */

/* A piece of work: does item number `item` of `argument`. `worker` tells apart those that work at
 * the same time; it is below the number of workers. */
typedef void tpi_sim_work(void *argument, uint32_t item, uint32_t worker);

/* Threads that the simulator may use. It never makes any itself. */
typedef struct tpi_sim_crew {
    uint32_t workers; /* at least 1; the calling thread is one of them */

    /* Do all items below `count`, in any order and on any worker, and return when all are done. */
    void (*run)(void *context, tpi_sim_work *work, void *argument, uint32_t count);
    void *context; /* borrowed */
} tpi_sim_crew;

/* ---- Loading --------------------------------------------------------------------------------- */

typedef struct tpi_sim_options {
    uint64_t seed;      /* of all noise */
    const char *path;   /* borrowed: folders for included files, as in STAGEPATH; may be NULL */
    tpi_sim_crew crew;  /* all zero: the calling thread does everything */
    tpi_cfg_note *note; /* receives what is odd; may be NULL */
    void *context;      /* of `note`; borrowed */
    /* Asked about a `ctrl` that is not built in, at its place in the file: sets the number by which
     * the caller knows it and runs it himself, or leaves it at 0 if he does not. Fails if he does
     * and it cannot be used, and so does loading. May be NULL. */
    tp_status (*control)(void *context, const char *text, const tpi_cfg_place *place,
                         uint32_t *number, tp_error *err);
    void *control_context; /* borrowed */
} tpi_sim_options;

/* Load a world file with what it includes and the bitmaps that it names. Options may be NULL. */
tp_status tpi_sim_load(tpi_sim **out, const char *path, const tpi_sim_options *options,
                       tp_error *err);

/* The same for a text as if it were the file `path`. */
tp_status tpi_sim_parse(tpi_sim **out, const char *path, const char *text, size_t length,
                        const tpi_sim_options *options, tp_error *err);

void tpi_sim_destroy(tpi_sim *sim); /* NULL is accepted */

/* ---- Time ------------------------------------------------------------------------------------ */

void tpi_sim_step(tpi_sim *sim);

int64_t tpi_sim_time_us(const tpi_sim *sim);
int64_t tpi_sim_interval_us(const tpi_sim *sim);
int64_t tpi_sim_quit_us(const tpi_sim *sim); /* when the file wants an end; 0 for never */
const char *tpi_sim_name(const tpi_sim *sim);

/* ---- Models ---------------------------------------------------------------------------------- */

/* A model by its number, below tpi_sim_model_count(). The numbers of a model and all that stands on
 * it are consecutive: the model first, then its children with theirs in the order of the file. */
typedef uint32_t tpi_sim_model;

#define TPI_SIM_NONE UINT32_MAX

typedef enum tpi_sim_kind {
    TPI_SIM_PLAIN, /* a body and nothing else */
    TPI_SIM_POSITION,
    TPI_SIM_RANGER,
    TPI_SIM_FIDUCIAL,
    TPI_SIM_BLOBFINDER,
    TPI_SIM_BUMPER,
    TPI_SIM_GRIPPER,
    TPI_SIM_ACTUATOR,
    TPI_SIM_CAMERA,
    TPI_SIM_BLINKENLIGHT,
    TPI_SIM_LIGHTINDICATOR,
    /* what they tell is in sense/sensors.h, as for fiducials, blobs, bumpers and cameras */
    TPI_SIM_LIGHT,
    TPI_SIM_LIGHT_SENSOR,
    TPI_SIM_FLOOR,
    TPI_SIM_FLOOR_SENSOR,
    TPI_SIM_SOUND,
    TPI_SIM_MICROPHONE,
    TPI_SIM_BUTTON,
    TPI_SIM_WIFI,
    TPI_SIM_GPS,
    TPI_SIM_IMU,
    TPI_SIM_COMPASS,
    TPI_SIM_AIRCRAFT, /* move/aircraft.h */
    TPI_SIM_EFFECTOR, /* move/limb.h */
    TPI_SIM_RFID_TAG,
    TPI_SIM_RFID_READER,
    TPI_SIM_MOTE,
    TPI_SIM_BASE_STATION,
    TPI_SIM_STEREO,
    TPI_SIM_KINDS
} tpi_sim_kind;

typedef struct tpi_sim_pose {
    double x, y, z, a;
} tpi_sim_pose;

typedef struct tpi_sim_info {
    tpi_sim_kind kind;
    const char *type;     /* the kind's name in world files; a constant */
    tpi_sim_model parent; /* TPI_SIM_NONE for a model of its own */
    uint32_t family;      /* how many models: this one and all that stand on it */
    tpi_sim_pose origin;  /* of the body's centre, from the pose */
    double size[3];       /* of the box that holds the body */
    uint32_t colour;      /* 0xRRGGBBAA */
    int64_t update_us;    /* how often it is updated */
    float ranger_return;  /* negative: rangers look through it */
    int32_t fiducial_return;
    bool obstacle;
    bool subscribed;
} tpi_sim_info;

uint32_t tpi_sim_model_count(const tpi_sim *sim);
void tpi_sim_model_info(const tpi_sim *sim, tpi_sim_model model, tpi_sim_info *info);

/* How many come before it in the file, of those that stand on nothing; what stands on a model has
 * the number of that. */
uint32_t tpi_sim_model_order(const tpi_sim *sim, tpi_sim_model model);

/* By its name, or by the one that it would have without a name ("r0.ranger:1"); TPI_SIM_NONE if
 * there is none. */
tpi_sim_model tpi_sim_find(const tpi_sim *sim, const char *name);

/* How many things a robot with the controller `fasr` has brought to the sink, or of the model with
 * the name "sink": how many all have. */
uint32_t tpi_sim_delivered(const tpi_sim *sim, tpi_sim_model model);

/* Append `; did you mean "r0"?` with the name that is nearest to an unknown one, or nothing.
 */
void tpi_sim_put_hint(const tpi_sim *sim, const char *name, tpi_buf *out);

/* Append the model's name. */
void tpi_sim_put_name(const tpi_sim *sim, tpi_sim_model model, tpi_buf *out);

/* Where it is: in the world, or in its parent's frame. */
tpi_sim_pose tpi_sim_global_pose(const tpi_sim *sim, tpi_sim_model model);
tpi_sim_pose tpi_sim_local_pose(const tpi_sim *sim, tpi_sim_model model);

/* Where it is in the frame of the model at the bottom, which stands on nothing. For that model
 * itself: where it is in the world. */
tpi_sim_pose tpi_sim_pose_on_root(const tpi_sim *sim, tpi_sim_model model);

/* A pose that is given in a frame, outside of it. */
tpi_sim_pose tpi_sim_compose(const tpi_sim_pose *frame, const tpi_sim_pose *pose);

/* Put it somewhere, in its parent's frame. Of what it then overlaps it can only drive out. Fails
 * for numbers that are not finite, and if memory runs out. */
tp_status tpi_sim_set_pose(tpi_sim *sim, tpi_sim_model model, const tpi_sim_pose *pose,
                           tp_error *err);
tp_status tpi_sim_set_colour(tpi_sim *sim, tpi_sim_model model, uint32_t colour, tp_error *err);

/* A model works while somebody is subscribed to it; subscriptions count. A driven model that loses
 * its last one stops. */
void tpi_sim_subscribe(tpi_sim *sim, tpi_sim_model model);
void tpi_sim_unsubscribe(tpi_sim *sim, tpi_sim_model model);

/* Whether the model's interval says that it is updated in the step that was made last. */
bool tpi_sim_is_due(const tpi_sim *sim, tpi_sim_model model);

/* The number of the controller that options.control has given; 0 for none, and for all models that
 * stand on others. */
uint32_t tpi_sim_control(const tpi_sim *sim, tpi_sim_model model);

/* Whether any controller drives the robot that the model belongs to, built in or not. */
bool tpi_sim_is_controlled(const tpi_sim *sim, tpi_sim_model model);

/* ---- Position -------------------------------------------------------------------------------- */

typedef enum tpi_sim_drive_mode {
    TPI_SIM_DRIVE_VELOCITY,     /* m/s, m/s, rad/s; of a car: m/s, unused, steering angle */
    TPI_SIM_DRIVE_POSITION,     /* a pose, as odometry reports it */
    TPI_SIM_DRIVE_ACCELERATION, /* m/s^2, m/s^2, rad/s^2 */
    TPI_SIM_DRIVE_HEADING,      /* m/s, m/s, a heading to take and hold, as odometry reports it */
} tpi_sim_drive_mode;

typedef struct tpi_sim_motion {
    double estimate[3]; /* x, y and heading, as odometry has them */
    double velocity[3]; /* forward, to the left, turning; 0 when it was stopped */
    bool stalled;       /* something is in the way */
} tpi_sim_motion;

/* Give a command, which holds until the next one; a controller of the model rests from then on
 * (tpi_sim_lead). Fails for a model that cannot be driven, for numbers that are not finite, and for
 * a car in any but velocity mode. */
tp_status tpi_sim_drive(tpi_sim *sim, tpi_sim_model model, tpi_sim_drive_mode mode,
                        const double goal[3], tp_error *err);

/* How fast it drives and turns at most on the way to the pose of the last command, in position
 * mode, within its bounds. 0 for as usual, as after each command: 0.4 m/s and 1 rad/s. Fails for a
 * model that cannot be driven and for numbers below 0. */
tp_status tpi_sim_drive_at(tpi_sim *sim, tpi_sim_model model, double mps, double radps,
                           tp_error *err);

/* tpi_sim_drive() in velocity mode by a controller that is not built in: it does nothing while the
 * model is led by somebody else, or all controllers rest. */
tp_status tpi_sim_steer(tpi_sim *sim, tpi_sim_model model, const double goal[3], tp_error *err);

/* Let it stand still; the program that leads it stays the same. Nothing for a model that cannot be
 * driven. */
void tpi_sim_stop(tpi_sim *sim, tpi_sim_model model);

/* Whether a stopped model will still move in the next step, because its acceleration is bounded.
 * False for a model that does not get slower: its file does not let it stop. */
bool tpi_sim_is_braking(const tpi_sim *sim, tpi_sim_model model);

/* Whether somebody outside leads the model, so that its controller rests; and whether those of all
 * models rest, which is no part of the state of the world. */
void tpi_sim_lead(tpi_sim *sim, tpi_sim_model model, bool led);
void tpi_sim_rest(tpi_sim *sim, bool resting);

tp_status tpi_sim_get_motion(const tpi_sim *sim, tpi_sim_model model, tpi_sim_motion *motion,
                             tp_error *err);

/* Say what it reports of where it is now: one that is located by gps counts from another place from
 * then on. */
tp_status tpi_sim_set_odometry(tpi_sim *sim, tpi_sim_model model, const double pose[3],
                               tp_error *err);

/* ---- Rangers --------------------------------------------------------------------------------- */

/* One sensor of a ranger. */
typedef struct tpi_sim_sensor {
    tpi_sim_pose pose; /* in the ranger's frame */
    double size[3];
    double range_min;
    double range_max;
    double fov;
    uint32_t samples;
} tpi_sim_sensor;

/* What a sensor saw last, from right to left. Borrowed until the next step. */
typedef struct tpi_sim_scan {
    const double *ranges; /* the greatest range where nothing was hit */
    const float *intensities;
    uint32_t count;
    int64_t time_us; /* when; -1 if it has not looked yet */
} tpi_sim_scan;

uint32_t tpi_sim_sensor_count(const tpi_sim *sim, tpi_sim_model ranger);
tp_status tpi_sim_get_sensor(const tpi_sim *sim, tpi_sim_model ranger, uint32_t index,
                             tpi_sim_sensor *sensor, tp_error *err);
tp_status tpi_sim_get_scan(const tpi_sim *sim, tpi_sim_model ranger, uint32_t index,
                           tpi_sim_scan *scan, tp_error *err);

/* ---- State ----------------------------------------------------------------------------------- */

/* Append the whole state: what a world that was loaded from the same file, with the same seed,
 * needs to go on from here as this one does. */
void tpi_sim_save(const tpi_sim *sim, tpi_buf *out);
tp_status tpi_sim_restore(tpi_sim *sim, const void *bytes, size_t length, tp_error *err);

/* A number that differs if anything in the state does. The order of the file does not matter. */
uint64_t tpi_sim_hash(const tpi_sim *sim);

/* Memory in use: all bytes, and the part that holds ranges. */
typedef struct tpi_sim_usage {
    size_t bytes;
    size_t sample_bytes;
    uint32_t bodies;   /* that can move */
    uint32_t segments; /* of what cannot */
    uint64_t rays;     /* cast so far */
    uint64_t looks;    /* how often any sensor has measured so far */
} tpi_sim_usage;

void tpi_sim_get_usage(const tpi_sim *sim, tpi_sim_usage *usage);

#endif
