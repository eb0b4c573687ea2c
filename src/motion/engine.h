/*
 * engine.h - plays frames of motion at their instants, for several clients of one robot.
 *
 * The engine has no threads, sockets or devices; time is an argument, in ns of the server's clock,
 * and never goes back. The binding hands in packages, calls tpi_motion_engine_advance() and
 * receives writes through a callback. Nothing allocates after a client has joined.
 *
 * Advancing plans up to `until_ns`, a little ahead of now: writes carry the time at which they are
 * due. What arrives later starts after what has been planned. One write for each output and instant
 * contains the values of all its dofs.
 *
 * Speeds change in steps of the robot's period, with at most 4/5 of the acceleration limit; the
 * rest is kept for slowing a time line at the same moment. Packages are handled in the order of the
 * calls; the binding takes the clients in turn.
 */
#ifndef TROUPE_MOTION_ENGINE_H
#define TROUPE_MOTION_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motion/package.h"
#include "troupe/status.h"

/* Where a dof is set: a slot of an output. An output is what one write to a device sets. */
typedef struct tpi_motion_place {
    uint16_t output; /* TPI_MOTION_NOWHERE: no device moves it */
    uint16_t slot;
} tpi_motion_place;

enum { TPI_MOTION_NOWHERE = 0xffff };

struct tpi_mechanism;

/* A robot. Everything is borrowed and must last as long as the engine. UPDATE changes joints,
 * links, frames and the mechanism. */
typedef struct tpi_motion_robot {
    const char *name;
    tpi_motion_joint *joints; /* joint 0 is the base: x, y, theta; or x, y, z, yaw, pitch, roll */
    tpi_motion_link *links;
    tpi_motion_frame *frames;
    const tpi_motion_place *places; /* one for each dof */
    uint16_t joint_count, link_count, frame_count, root, outputs;
    bool takes_goto;                 /* the base has its own controller for GOTO */
    int64_t period_ns;               /* between set-points */
    uint64_t clock;                  /* identity of the server's clock */
    struct tpi_mechanism *mechanism; /* has the same joints, dofs and frames; NULL: control frames
                                        are not moved, and dofs that mimic have no state */
    uint32_t updates;                /* bit i: UPDATE may set field i; 0: none */
} tpi_motion_robot;

/* Limits; 0 selects the default. */
typedef struct tpi_motion_settings {
    uint32_t clients;         /* 64 */
    uint32_t frames;          /* that may wait, for each client: 4096 */
    uint32_t bytes;           /* of their payloads: 1 MiB */
    uint32_t answer_bytes;    /* return queue of each client: 512 KiB */
    int64_t horizon_ns;       /* later frames are refused: 1 h */
    int64_t lease_ns;         /* 5 s */
    int64_t longest_lease_ns; /* 30 s */
    bool confirms;            /* devices confirm writes: tpi_motion_engine_confirm() */
} tpi_motion_settings;

typedef enum tpi_motion_what {
    TPI_MOTION_WRITE_DOFS, /* values of dofs */
    TPI_MOTION_WRITE_GOTO, /* values: x, y, theta */
    TPI_MOTION_WRITE_STOP, /* ends a GOTO */
} tpi_motion_what;

/* What an output shall do from `due_ns` on. Arrays are borrowed for the call. */
typedef struct tpi_motion_write {
    int64_t due_ns;
    uint16_t output, count; /* slots of the output */
    tpi_motion_what what;
    uint8_t frame;        /* of GOTO: 0 odometry, 1 map */
    double rate;          /* of GOTO: over 0, up to 1; how fast, as a part of the limits */
    const uint8_t *servo; /* for each slot one of TPI_MOTION_SERVO_; 0: never commanded so far */
    const double *values; /* position, speed or force */
    const double *speeds; /* for each slot */
} tpi_motion_write;

typedef void tpi_motion_emit(void *user, const tpi_motion_write *write);

typedef struct tpi_motion_engine tpi_motion_engine;

/* ---- Life ---- */

/* TP_E_INVALID if the robot cannot be moved as described; TP_E_NOMEM. */
tp_status tpi_motion_engine_create(tpi_motion_engine **out, const tpi_motion_robot *robot,
                                   const tpi_motion_settings *settings, tpi_motion_emit *emit,
                                   void *user, tp_error *err);

/* Accepts NULL. */
void tpi_motion_engine_destroy(tpi_motion_engine *engine);

/* A client appears. `right` is as in HELLO; a client with a higher `rank` overrides others. Returns
 * its number, from 1 on; 0 without room. */
uint32_t tpi_motion_engine_join(tpi_motion_engine *engine, const char *label, uint8_t right,
                                int rank, int64_t now_ns);

/* The connection of a client is closed. Its frames are dropped and its dofs stop; with `finish`
 * only when its lease ends. Its number may be given to another client after that. */
void tpi_motion_engine_leave(tpi_motion_engine *engine, uint32_t client, bool finish,
                             int64_t now_ns);

/* The client has shown a key: it has another right and rank from now on. A client that may not move
 * any more loses its frames, and its dofs stop. */
void tpi_motion_engine_grant(tpi_motion_engine *engine, uint32_t client, uint8_t right, int rank,
                             int64_t now_ns);

/* Ask for a lease for a client, 0 for the default, as LEASE and HELLO do. Returns what is granted.
 */
int64_t tpi_motion_engine_lease(tpi_motion_engine *engine, uint32_t client, int64_t lease_ns);

/* The settings that apply, with the defaults filled in. */
const tpi_motion_settings *tpi_motion_engine_settings(const tpi_motion_engine *engine);

/* ---- What comes in ---- */

/* Any byte of a client renews its lease. */
void tpi_motion_engine_heard(tpi_motion_engine *engine, uint32_t client, int64_t now_ns);

/* The last bytes of a client arrived at this time already: its lease counts from then on. */
void tpi_motion_engine_aged(tpi_motion_engine *engine, uint32_t client, int64_t heard_ns);

/* The lease of a client; 0 if there is no such client. */
int64_t tpi_motion_engine_leased(const tpi_motion_engine *engine, uint32_t client);

/* Handle a package whose payload has passed tpi_motion_payload_check(). Session records that are
 * the front's (HELLO, SYNC, CHALLENGE, PROVE) are ignored. */
void tpi_motion_engine_package(tpi_motion_engine *engine, uint32_t client,
                               const tpi_motion_header *header, const uint8_t *payload,
                               int64_t now_ns);

/* The measured state of a dof. */
void tpi_motion_engine_measured(tpi_motion_engine *engine, uint16_t dof,
                                const tpi_motion_dof_state *state);

/* The measured pose and speed of the base. */
void tpi_motion_engine_base(tpi_motion_engine *engine, const tpi_motion_base *base);

/* The device of an output has ended its GOTO; `reached` is false if it gave up. */
void tpi_motion_engine_arrived(tpi_motion_engine *engine, uint16_t output, bool reached,
                               int64_t now_ns);

/* Devices have carried out everything that is due up to these times, one for each output. With
 * `confirms` in the settings, SUCCESS and MODIFIED of a command, and the SUMMARY of its sequence,
 * wait for that. If the output fails before, they are INTERRUPTED; in a panic, PANIC. */
void tpi_motion_engine_confirm(tpi_motion_engine *engine, const int64_t *until_ns);

/* The time up to which devices have to confirm for the next of these answers; INT64_MAX for none.
 */
int64_t tpi_motion_engine_unconfirmed(const tpi_motion_engine *engine);

/* The device of an output has failed: what it plays ends, and clients with commands for it, playing
 * or waiting, lose all their frames. Commanded states become the measured ones. */
void tpi_motion_engine_fault(tpi_motion_engine *engine, uint16_t output, const char *why,
                             int64_t now_ns);

/* The device of an output makes a motion that cannot be interrupted, such as a step of a walking
 * robot: commands for it answer BUSY with this text behind the name of the joint. NULL: it has
 * ended. The text is borrowed until then. */
void tpi_motion_engine_occupied(tpi_motion_engine *engine, uint16_t output, const char *why,
                                int64_t now_ns);

/* Another device takes an output over; queues and motions go on. `states` are what it measures and
 * `tolerances` how far each may be from what is commanded (of dofs that are driven by speed or
 * force: from what was measured), both by slot. Writes that are due at `*from_ns` or later are for
 * the new device; the first contains all that is commanded. TP_E_RANGE, naming the dof, if the
 * positions do not agree: nothing has changed then. */
tp_status tpi_motion_engine_rebind(tpi_motion_engine *engine, uint16_t output,
                                   const tpi_motion_dof_state *states, const double *tolerances,
                                   int64_t now_ns, int64_t *from_ns, tp_error *err);

/* A panic: everything is dropped and refused. The robot's panic action is not the engine's. */
void tpi_motion_engine_panic(tpi_motion_engine *engine, uint32_t epoch, int64_t now_ns);

/* The panic has ended. Commanded states become the measured ones. */
void tpi_motion_engine_reset(tpi_motion_engine *engine, int64_t now_ns);

/* ---- What goes out ---- */

/* Plan and emit all writes that are due up to `until_ns`; end leases and answer broadcasts. */
void tpi_motion_engine_advance(tpi_motion_engine *engine, int64_t now_ns, int64_t until_ns);

/* When to advance again at the latest; INT64_MAX for "when something comes in". */
int64_t tpi_motion_engine_next(tpi_motion_engine *engine);

/* Take records for a client: as many of the oldest as fit. Returns their bytes. */
size_t tpi_motion_engine_take(tpi_motion_engine *engine, uint32_t client, uint8_t *out,
                              size_t space, uint16_t *records);

/* How many records wait for a client. */
uint32_t tpi_motion_engine_waiting(const tpi_motion_engine *engine, uint32_t client);

/* The next client after `client` (0: the first one) with records that were not reported here
 * before; 0 if there is none. */
uint32_t tpi_motion_engine_told(tpi_motion_engine *engine, uint32_t client);

/* Whether the client takes no answers any more and has to be disconnected. */
bool tpi_motion_engine_lost(const tpi_motion_engine *engine, uint32_t client);

/* What the robot does, for people. */
typedef struct tpi_motion_look {
    uint16_t dofs;
    uint32_t clients, frames; /* frames that wait */
    double rate;              /* of the robot */
    bool panicked;
} tpi_motion_look;

/* `positions` are the measured ones of all dofs: room for TPI_MOTION_DOFS. */
void tpi_motion_engine_look(const tpi_motion_engine *engine, tpi_motion_look *out,
                            double *positions);

/* Steps that needed more than the acceleration limits, since the start. */
uint64_t tpi_motion_engine_excesses(const tpi_motion_engine *engine);

#endif
