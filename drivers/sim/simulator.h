/*
 * simulator.h - what the files of this driver share.
 *
 * simulator.c has the life of a world: one instance with one thread, which makes the steps
 * (steps.c) and does all that devices are asked, one after the other; so nothing here is locked.
 * choose.c finds the models that sections name, offer.c offers them as devices, profile.c knows
 * particular ones. pace.c says when a step is due, brakes.c which stops take their time, saves.c
 * keeps states. common.c and scanning.c are what devices share. Every other file plays some
 * interfaces: an interface is a row of a table (simd_kind) with the typed operations that answer
 * its messages and functions that publish what a model has measured.
 *
 * Time: data is stamped with the time of the world. A device sends when its model has been updated;
 * what nobody reads is neither measured nor sent.
 */
#ifndef SIMULATOR_H
#define SIMULATOR_H

#include "counted.h"
#include "pace.h"
#include "sim/host/served.h"
#include "troupe/driver.h"

typedef struct simd simd;
typedef struct simd_device simd_device;
typedef struct simd_profile simd_profile;
typedef struct simd_scan_room simd_scan_room; /* scanning.h */

/* ---- Kinds of devices ------------------------------------------------------------------------ */

typedef struct simd_kind {
    const tp_interface *interface;
    const void *ops; /* the generated table of the interface; NULL if it has data only */
    uint32_t models; /* 1 << tpi_sim_kind of each kind of model that it can be; 0 for the world */
    bool any;        /* any model will do: it is the one that the section names */
    bool always;     /* "all" offers it for models that suit less, too */
    bool makeshift;  /* models that suit less are taken only if no robot has one that suits */
    bool follows;    /* sent while anything of the robot is read: the frames follow it */
    bool passive;    /* it looks at the model, which need not work for that */
    size_t state_size;

    const char *key;   /* only for addresses with this key, or if nothing else is left; or NULL */
    const char *needs; /* what a model must have, for people; may be NULL */

    /* Each is optional. The state is zeroed before `begin`; `end` follows every `begin`. */
    bool (*suits)(const simd *s, tpi_sim_model model); /* a model is better than others */
    bool (*has)(const simd *s, tpi_sim_model model);   /* it can be one at all */
    tpi_sim_pose (*within)(const simd_device *d);      /* where it is on its model, if elsewhere */
    tp_status (*begin)(simd_device *d, tp_error *err);
    void (*subscribe)(simd_device *d, bool subscribed); /* to models beside its own */
    void (*publish)(simd_device *d); /* after each step while somebody reads it */
    void (*show)(simd_device *d); /* send where the robot is, for the tree of frames; else NULL */
    void (*halt)(simd_device *d);
    void (*returned)(simd_device *d); /* the world has gone back to another state */
    void (*end)(simd_device *d);
} simd_kind;

#define SIMD_PI 3.14159265358979323846

#define SIMD_MODEL(kind) (UINT32_C(1) << TPI_SIM_##kind)

#define SIMD_LIFT_KEY "lift" /* of an actarray that lifts a gripper */

/* Rows by file, each ended by a row without an interface. Of several rows for an interface those
 * that come first go first. */
extern const simd_kind tpi_simd_objects[];     /* objects.c */
extern const simd_kind tpi_simd_worlds[];      /* worlds.c */
extern const simd_kind tpi_simd_scenes[];      /* scenes.c */
extern const simd_kind tpi_simd_vehicles[];    /* vehicles.c */
extern const simd_kind tpi_simd_rangers[];     /* rangers.c */
extern const simd_kind tpi_simd_lasers[];      /* lasers.c */
extern const simd_kind tpi_simd_sonars[];      /* sonars.c */
extern const simd_kind tpi_simd_maps[];        /* maps.c */
extern const simd_kind tpi_simd_bumpers[];     /* bumpers.c */
extern const simd_kind tpi_simd_finders[];     /* finders.c */
extern const simd_kind tpi_simd_arms[];        /* arms.c */
extern const simd_kind tpi_simd_grippers[];    /* grippers.c */
extern const simd_kind tpi_simd_lamps[];       /* lamps.c */
extern const simd_kind tpi_simd_batteries[];   /* batteries.c */
extern const simd_kind tpi_simd_cameras[];     /* cameras.c */
extern const simd_kind tpi_simd_depths[];      /* depths.c */
extern const simd_kind tpi_simd_senses[];      /* senses.c */
extern const simd_kind tpi_simd_radios[];      /* radios.c */
extern const simd_kind tpi_simd_inertials[];   /* inertials.c */
extern const simd_kind tpi_simd_screens[];     /* screens.c */
extern const simd_kind tpi_simd_axes[];        /* axes.c */
extern const simd_kind tpi_simd_flyers[];      /* flyers.c */
extern const simd_kind tpi_simd_limbs[];       /* limbs.c */
extern const simd_kind tpi_simd_tags[];        /* tags.c */
extern const simd_kind tpi_simd_sounds[];      /* sounds.c */
extern const simd_kind tpi_simd_nodes[];       /* nodes.c */
extern const simd_kind tpi_simd_coopobjects[]; /* coopobjects.c */
extern const simd_kind tpi_simd_stereos[];     /* stereos.c */

/* All of them, ended by NULL. */
extern const simd_kind *const tpi_simd_kinds[];

/* ---- Devices --------------------------------------------------------------------------------- */

struct simd_device {
    tp_device *device; /* borrowed */
    simd *owner;       /* borrowed */
    const simd_kind *kind;
    const simd_profile *profile; /* NULL for none */
    tpi_sim_model model;         /* TPI_SIM_NONE for the world */
    tpi_sim_model robot;         /* the model that it stands on, at the bottom */
    size_t section;
    void *state; /* owned: the kind's */
    bool begun;
    bool read;          /* by somebody */
    bool subscribed;    /* the model works for it */
    bool rolls;         /* it has to stand, and its stop is not reported yet */
    int64_t next_us;    /* readings from before this have been sent */
    bool jointed;       /* it moves on its robot */
    int32_t base;       /* index of the vehicle that it is on; -1 for none */
    tpi_sim_pose place; /* that its geometry tells */
};

static inline simd_device *simd_of(tp_device *device)
{
    return tp_device_context(device);
}

static inline void *simd_state(tp_device *device)
{
    return simd_of(device)->state;
}

/* ---- The instance ---------------------------------------------------------------------------- */

enum { SIMD_MOST_STATES = 16, SIMD_NAME = 64, SIMD_MOST_WAITING = 1024 };

/* A state of the world that can be gone back to. */
typedef struct simd_saved {
    char name[SIMD_NAME];
    tpi_buf state;    /* owned */
    bool *subscribed; /* owned: of each device */
    uint64_t step_count;
    double time_s;
} simd_saved;

/* A client that waits for steps in common. */
typedef struct simd_waiter {
    tp_ticket *ticket; /* borrowed */
    uint32_t count;    /* the steps that are left */
} simd_waiter;

/* worlds.c: all of them. */
typedef struct simd_waits {
    simd_waiter *items; /* owned */
    size_t count, capacity;
} simd_waits;

/* brakes.c: stops that are not complete. */
typedef struct simd_brakes {
    size_t owed; /* the number of stops: of devices, and of the world as a whole */
    bool all;    /* the world's, in a panic */
} simd_brakes;

/* simulator.c: robots that are shown to the tree of frames. */
typedef struct simd_shown {
    size_t next;   /* of the devices */
    int64_t at_ns; /* the time of the last ones */
} simd_shown;

struct simd {
    tp_instance *instance; /* borrowed */
    tpi_sim_host own;      /* owned; not used if the program has loaded the world */
    tpi_sim_host *host;    /* borrowed: `own`, or the program's */
    tpi_sim *world;        /* borrowed: the host's */
    simd_device **devices; /* owned array of owned devices */
    size_t device_count, device_capacity;
    simd_device **active; /* owned: those that are sent */
    size_t active_count;
    uint32_t readings; /* of the instance, when `active` was made */
    uint8_t *robots;   /* owned: of each model, whether something on it is read */
    simd_shown shown;
    simd_device *keeper; /* borrowed: the `world` device; NULL for none */
    simd_device *simulation;
    simd_device *scene; /* borrowed: the `scene` device; NULL for none */
    simd_pace pace;
    uint64_t step_count;
    double map_resolution;
    simd_scan_room *scan_room;           /* owned */
    uint32_t most_samples, most_sensors; /* of any ranger that is offered */
    bool lockstep;
    uint32_t expected; /* so many have to take part in the first step of lockstep */
    bool told_late;    /* the operator knows */
    bool stands;       /* all has been stopped for a panic */
    simd_brakes brakes;
    int64_t period_ns; /* of poll, as it was set last */
    simd_waits waits;
    simd_saved saved[SIMD_MOST_STATES + 1]; /* those with names come first, one after the other;
                                               the last is what RESET goes back to */

    bool over;        /* it was the last */
    bool left;        /* the watcher knows of the end */
    int64_t ended_ns; /* when it came */
};

/* simulator.c. Look which devices have readers, if that has changed. */
void tpi_simd_refresh(simd *s);

/* steps.c. Steps with all that follows from them. */
void tpi_simd_step(simd *s);

/* In a panic: stop everything in the world, if that was not done. Else let controllers work. */
void tpi_simd_check_panic(simd *s);

/* brakes.c. A device, or everything in the world, was stopped: its stop is complete when it
 * stands. Check after a step which ones stand; whether time goes on by itself has changed; the
 * instance stops. */
void tpi_simd_brakes_watch(simd_device *d);
void tpi_simd_brakes_watch_all(simd *s);
void tpi_simd_brakes_look(simd *s);
void tpi_simd_brakes_time_changed(simd *s);
void tpi_simd_brakes_forget(simd *s);

/* Make the steps that somebody has asked for, if all others who have to have done so too; for a
 * while, the rest in `poll`. */
void tpi_simd_step_for_waiters(simd *s);

/* Make the steps that are due by the clock; what takes long is done in pieces, so that commands get
 * their turn. */
void tpi_simd_run(simd *s);

/* After the last step: tell the watcher of the end, as soon as nobody would miss the world. */
void tpi_simd_report_end(simd *s);

/* simulator.c. Report to the operator something that is odd but no failure. */
void tpi_simd_note(const simd *s, const char *text);

/* worlds.c: let time stand still or go on; properties of `simulation` that tell and change how it
 * goes. */
void tpi_simd_set_paused(simd *s, bool paused);
tp_status tpi_simd_add_time(simd_device *d, tp_error *err);

/* worlds.c: clients that have gone do not hold up the others; whether a step is to be made for the
 * clients that wait; make it, and answer those that have got all that they wanted. */
void tpi_simd_remove_gone(simd *s);
bool tpi_simd_is_awaited(const simd *s);
void tpi_simd_serve_waiter(simd *s);

/* worlds.c: the world has ended for all clients that wait. */
void tpi_simd_end_waits(simd *s);

/* scene_poses.c: something looks different than before, or is elsewhere; tell the readers of
 * `scene` if it is time; whether they have not been told of all changes. */
void tpi_simd_scene_changed(simd *s);
void tpi_simd_scene_look(simd *s);
bool tpi_simd_scene_waits(const simd *s);

/* The pace has changed: poll as often as it wants. */
void tpi_simd_set_period(simd *s);

/* Tell the tree of frames where some robots are; the next ones the next time. */
void tpi_simd_show_some(simd *s);

/* The time of the world in seconds. */
double tpi_simd_time_s(const simd *s);

int64_t tpi_simd_now_ns(const simd *s);

/* offer.c: make the devices of all sections. */
tp_status tpi_simd_offer_all(simd *s, tp_error *err);

/* places.c: tell where a device is, on a vehicle or in the world (NULL); tell it again after a step
 * that has moved it on its robot. */
tp_status tpi_simd_place_begin(simd_device *d, const simd_device *vehicle, tp_error *err);
void tpi_simd_place_update(simd_device *d);

/* scanning.c: room for what rangers send, when all devices are there. */
tp_status tpi_simd_scan_room_create(simd *s, tp_error *err);
void tpi_simd_scan_room_destroy(simd_scan_room *room); /* NULL is accepted */

/* saves.c: keep the state under a name and go back to it; the same without a name, for RESET. */
tp_status tpi_simd_save(simd *s, const char *name, tp_error *err);
tp_status tpi_simd_restore(simd *s, const char *name, tp_error *err);
tp_status tpi_simd_forget(simd *s, const char *name, tp_error *err);
tp_status tpi_simd_save_start(simd *s, tp_error *err);
tp_status tpi_simd_reset(simd *s, tp_error *err);
void tpi_simd_forget_saved(simd *s);

/* ---- What devices have in common ------------------------------------------------------------- */

/* common.c. Whether it is time to send, for models without readings of their own: in the same steps
 * in which those with the same interval take theirs, so that what comes together is of one instant.
 */
bool tpi_simd_is_due(const simd_device *d);

/* Whether a reading of this time has not been sent. */
bool tpi_simd_is_new(simd_device *d, int64_t time_us);

void tpi_simd_info(const simd_device *d, tpi_sim_info *info);

/* Where a device sits on its robot, with its size, as Player's GET_GEOM has them. */
void tpi_simd_place(const simd_device *d, tp_pose3d *pose, tp_bbox3d *size);

tp_pose3d tpi_simd_pose3d(const tpi_sim_pose *pose);
tp_bbox3d tpi_simd_bbox3d(const double size[3]);

/* As 0xRRGGBBAA. */
uint32_t tpi_simd_colour(const tp_color *colour);

/* There is no model of that name: TP_E_UNKNOWN, with the nearest one. */
tp_status tpi_simd_fail_unknown(const simd *s, const char *name, tp_error *err);

#endif
