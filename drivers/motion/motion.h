/*
 * motion.h - what the files of this driver share.
 *
 *     motion.c     the instance: its life, its turns, panic
 *     settings.c   the configuration: which device moves which dofs, limits
 *     kinds.c      the interfaces of devices: commands from values, values from data
 *     devices.c    commands at their times; control where a device takes other values
 *     grants.c     grants of devices, and what becomes of commands that were posted through them
 *     clients.c    clients of the device `mechanism`: packages in, records out
 *     limb.c       arms that are commanded by their tips
 *     map.c        goals on a map, with a localize device
 *     rebind.c     another device takes over
 *
 * The engine plans a little ahead of now (`ahead`). What it writes goes to the worker of the device
 * with its due time, through a grant. A device is granted while its dofs are moved or held, and
 * given back when they have been free for a second, so that other programs can move it.
 *
 * A device takes positions or speeds, as `control` says. Where the engine commands the other one,
 * the binding steps in once per period: it integrates a speed, or it controls a position.
 */
#ifndef TROUPE_DRIVERS_MOTION_MOTION_H
#define TROUPE_DRIVERS_MOTION_MOTION_H

#include "motion/host/load.h"
#include "motion/tip.h"
#include "troupe/driver.h"
#include "troupe/interfaces/limb.h"
#include "troupe/interfaces/mechanism.h"

enum {
    MOST_OUTPUTS = 64,
    MOST_CHOICES = 4,        /* devices that can take an output over */
    MOST_SLOTS = 64,         /* dofs of a device */
    MOST_KEY = 200,          /* bytes of a key: the name of a joint */
    MOST_PARKED = 128,       /* writes that wait for a grant */
    MOST_POSTED = 1024,      /* commands that wait at a device */
    MOST_RECORDS = 72 << 10, /* bytes of an answer to TAKE: the longest record fits */
};

struct motion;
struct output;

/* Values for a device at a time. */
struct wish {
    int64_t due_ns;
    tpi_motion_what what;
    uint8_t frame;
    double rate; /* of a GOTO */
    uint8_t servo[MOST_SLOTS];
    double values[MOST_SLOTS], speeds[MOST_SLOTS];
};

/* Room for the command of any kind. */
struct command {
    unsigned code;
    double value[16]; /* the struct of the interface */
    float numbers[MOST_SLOTS];
};

struct device;

/* An interface that devices of a robot can have. */
struct kind {
    const tp_interface *interface;
    uint16_t most_slots;
    bool is_base, takes_positions, takes_speeds;
    /* Make the command that sets positions, or speeds. */
    void (*go)(const struct device *d, const double *positions, struct command *out);
    void (*move)(const struct device *d, const double *speeds, struct command *out);
    /* The same for forces; NULL if it takes none. */
    void (*push)(const struct device *d, const double *forces, struct command *out);
    /* Read what was measured. False if the message is another one. */
    bool (*read)(struct device *d, const tp_msg *msg);
    bool by_tip; /* an arm, with the pose of its tip */
};

/* A device that can move an output. */
struct device {
    struct output *output; /* borrowed */
    const struct kind *kind;
    tp_link *link;  /* borrowed */
    bool by_speed;  /* it takes speeds */
    double newtons; /* it takes forces: so many N or Nm for an ampere; 0: it does not */

    bool known;       /* something was measured */
    uint32_t parts;   /* of an actarray: how many actuators it has; 0: not known */
    int64_t heard_ns; /* when data came last */
    tpi_motion_dof_state states[MOST_SLOTS];
    double zoom;         /* of a ptz, which keeps it */
    tpi_motion_tip *tip; /* of a limb; owned */
    bool lost;           /* of a limb: its joints cannot have its tip there */
    struct {             /* where it was, for its speeds */
        double at_s, positions[MOST_SLOTS];
    } mark;

    tp_grant *grant;     /* NULL without one */
    bool asked;          /* for a grant */
    int64_t moved_ns;    /* when its last command is due */
    struct wish *parked; /* owned: MOST_PARKED, which wait for the grant */
    unsigned parked_count;
    int64_t parked_ns; /* since when the first of them waits */
    uint64_t missed;   /* commands of this grant that did not reach the device */
    uint64_t sent;     /* commands of this grant */
    struct posted {
        int64_t due_ns, at_ns; /* its time, and when it was posted */
    } * last;                  /* owned: MOST_POSTED, of the commands that were sent last */
    int64_t behind_ns;         /* time of the first that is not carried out; INT64_MAX for none */
    int64_t wanted_ns;         /* since when the device could have done so */
    int64_t ends_ns; /* since when it is known that the grant is over, but not why; 0: it lasts */

    /* What it is to do, for control between the writes of the engine. */
    struct wish wish;
    bool stepping;
    int64_t stepped_ns;
    double positions[MOST_SLOTS]; /* where it is to be */
    uint64_t posted;
};

/* What one write of the engine sets. */
struct output {
    struct motion *motion;                /* borrowed */
    char key[MOST_KEY + 1];               /* of `requires` */
    uint16_t index, count;                /* slots */
    uint16_t dofs[MOST_SLOTS];            /* of the robot */
    struct device *devices[MOST_CHOICES]; /* owned */
    unsigned device_count, bound;
    char fault[160]; /* why it failed while the engine was busy; "" for none */
    struct {         /* a GOTO that its device drives */
        bool on;
        double goal[3];
        double rate; /* over 0 to 1: how fast, as a part of the limits */
        int64_t begun_ns, still_ns;
    } way;
    struct {                      /* of BIND */
        tp_ticket *ticket;        /* NULL for none */
        struct device *to, *from; /* `from` stays until its last write is due */
        int64_t until_ns;
    } change;
};

/* A client of the device `mechanism`. */
struct member {
    bool used, reads; /* reads: it has not moved anything so far */
    bool promoted;    /* it may override others */
    uint8_t token[TP_MECHANISM_TOKEN];
    uint32_t number;  /* of the engine; 0 before it has joined */
    tp_ticket *joins; /* the request that waits for the state of the devices */
    char name[TPI_MOTION_NAME + 1];
    int64_t lease_ns;
    tp_ticket *waits; /* the request that waits for records */
    int64_t heard_ns;
};

struct motion {
    tp_instance *instance;     /* borrowed */
    tp_device *device;         /* borrowed: mechanism:N */
    tpi_motion_model *model;   /* owned */
    tpi_motion_robot robot;    /* borrows from the model */
    tpi_motion_place *places;  /* owned */
    tpi_motion_engine *engine; /* owned; NULL unless it runs */
    tpi_motion_settings settings;
    struct output *outputs[MOST_OUTPUTS]; /* owned */
    unsigned output_count;

    struct output *base; /* borrowed: of joint 0; NULL if nothing moves it */
    struct {             /* where it is on a map */
        tp_link *link;   /* borrowed; NULL without a localize device */
        bool known;
        double place[3], odometry[3]; /* at the same moment: on the map, and of odometry */
    } map;

    int64_t period_ns, ahead_ns;
    int64_t device_lease_ns; /* devices go on for so long if this thread is held up */
    uint32_t realtime;       /* priority of the threads that write; 0: none */
    bool noted;              /* that it is not permitted */
    double gain;             /* 1/s, of the control by speeds */
    double tolerance[2];     /* m, rad */
    bool finishes;           /* what a client had queued, when its connection is cut */

    struct member *members;    /* owned; settings.clients of them */
    uint64_t *keys;            /* owned; the first bytes of their tokens; 0 for no member */
    struct member **by_number; /* owned; by the number of the engine less one; NULL for none */
    int64_t looked_ns;         /* when it was looked for members that are gone */
    uint8_t *records;          /* owned; MOST_RECORDS */
    bool ready;                /* all devices are known */
    int64_t published_ns;
    int64_t time_ns;    /* of the engine: up to now, or until a grant ended */
    int64_t granted_ns; /* when all grants were in order last; 0: they are not */
    unsigned panic_number;
    uint64_t writes;
};

static inline int64_t motion_now(const struct motion *m)
{
    return tp_clock_now_ns(tp_instance_clock(m->instance));
}

static inline struct device *output_device(const struct output *output)
{
    return output->devices[output->bound];
}

/* motion.c: plan what is due soon, hand out records, and choose the next time to do so. */
void tpi_motiond_turn(struct motion *m);

/* settings.c */
tp_status tpi_motiond_configure(struct motion *m, tp_error *err);
void tpi_motiond_forget_outputs(struct motion *m);

/* kinds.c */
const struct kind *tpi_motiond_kind(const tp_interface *interface);
/* Positions of a device that does not tell its speeds: they are measured. */
void tpi_motiond_kind_measure(struct device *d, const double *positions, unsigned count,
                              double at_s);
void tpi_motiond_kind_goto(const double goal[3], const double speed[3], struct command *out);

/* devices.c: the engine wants this of an output. */
void tpi_motiond_device_emit(void *user, const tpi_motion_write *write);

/* Why it is not known where the device is. */
void tpi_motiond_device_unknown(const struct device *d, char *out, size_t space);

/* Data of a device have come. */
void tpi_motiond_device_read(struct motion *m, struct device *d, const tp_msg *msg);

/* The time for the engine, which plays everything up to it. It is notified of faults first. Its
 * time stands while a grant is over and the reason is about to come: what it wrote then would not
 * reach the device, and motions that end meanwhile would be SUCCESS. */
int64_t tpi_motiond_device_time(struct motion *m);

/* The same for a question, which does not look at every device again if that was done just before.
 */
int64_t tpi_motiond_device_time_to_ask(struct motion *m);

/* Control, arrivals, faults and grants that are not used: once per turn. */
void tpi_motiond_device_turn(struct motion *m, int64_t now_ns);

/* When this has to be done again; INT64_MAX if nothing is to be done. */
int64_t tpi_motiond_device_next(const struct motion *m);

/* Send the device a wish, as soon as it is granted. */
void tpi_motiond_device_send(struct device *d, const struct wish *wish);

/* Send it now: the device is granted. */
void tpi_motiond_device_carry_out(struct device *d, const struct wish *wish);

/* Whether nothing moves and nothing waits. */
bool tpi_motiond_device_is_at_rest(const struct device *d);

/* grants.c: ask for the grant of a device, if it has none. */
void tpi_motiond_device_ask(struct device *d);

/* Find out how far the device has carried out its commands, and whether some do not reach it. */
void tpi_motiond_grant_look(struct device *d);

/* Up to when the devices of an output have carried out everything. */
int64_t tpi_motiond_grant_confirmed(const struct output *output, int64_t now_ns);

/* Renew the grant, if there is one. False if it is over, and the reason is about to come. */
bool tpi_motiond_grant_renew(struct device *d, int64_t now_ns);

/* Give the grant back if it is not used. */
void tpi_motiond_grant_turn(struct device *d, int64_t now_ns);

/* When this has to be done again; INT64_MAX if it has not. */
int64_t tpi_motiond_grant_next(const struct device *d);

/* End the grant: the device stops. */
void tpi_motiond_grant_give_back(struct device *d);

/* The output has failed: the engine is notified at the end of the turn. */
void tpi_motiond_device_fail(struct output *output, const char *why);

/* clients.c */
extern const tp_mechanism_ops tpi_motiond_ops;
void tpi_motiond_members_ready(struct motion *m); /* those that wait join */
void tpi_motiond_members_deliver(struct motion *m);
void tpi_motiond_members_turn(struct motion *m, int64_t now_ns); /* those that are gone leave */
void tpi_motiond_members_end(struct motion *m);

/* limb.c: an arm with a tip; the dofs of its output are known. */
tp_status tpi_motiond_limb_prepare(struct device *d, tp_error *err);

/* limb.c: the command that brings the tip where these positions of the joints have it. */
void tpi_motiond_limb_reach(const struct device *d, const double *positions, struct command *out);

/* limb.c: the positions of the joints, from where the tip is. */
bool tpi_motiond_limb_read(struct device *d, const tp_limb_data *data, double at_s);

/* map.c: a localize device of `requires`. */
tp_status tpi_motiond_map_require(struct motion *m, const char *key, tp_error *err);

/* Data of any device has come: whether it is the map's. */
bool tpi_motiond_map_read(struct motion *m, const tp_link *from, const tp_msg *msg);

/* A pose on the map as one of odometry. False if the place on the map is not known. */
bool tpi_motiond_map_goal(const struct motion *m, const double on_map[3], double out[3]);

/* rebind.c */
tp_status tpi_motiond_rebind(tp_device *device, const tp_mechanism_part *ask, tp_error *err);
void tpi_motiond_rebind_granted(struct output *output, struct device *d);
void tpi_motiond_rebind_refused(struct output *output, struct device *d, tp_status status,
                                const char *why);
void tpi_motiond_rebind_turn(struct output *output, int64_t now_ns);

#endif
