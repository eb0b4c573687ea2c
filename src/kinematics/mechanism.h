/*
 * mechanism.h - a robot as links, joints and control frames.
 *
 * A mechanism is a tree of rigid links. Joint 0 joins the world and the root link: fixed for an arm
 * on a table, planar for a wheeled base, floating for a humanoid. Every other joint joins two
 * links. A joint has 0 to 6 dofs, each revolute or prismatic. A control frame is fixed to a link.
 *
 *     child link in parent link = rest * dof 1 * dof 2 * ... , axes in the rest frame of the child
 *
 * All values are in MKS units. A mechanism does not change after it was read; any thread may read
 * it.
 */
#ifndef TROUPE_KINEMATICS_MECHANISM_H
#define TROUPE_KINEMATICS_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kinematics/spatial.h"
#include "troupe/status.h"

enum {
    TPI_JOINT_DOFS = 6,
    TPI_MOST_DOFS = 512,
    TPI_MOST_LINKS = 4096,
    TPI_WORLD = -1, /* the parent link of joint 0 */
};

/* What the actuator of a dof or frame accepts. */
enum { TPI_SERVO_POSITION = 1, TPI_SERVO_SPEED = 2, TPI_SERVO_FORCE = 4 };

typedef enum tpi_dof_type { TPI_REVOLUTE = 1, TPI_PRISMATIC = 2 } tpi_dof_type;

typedef struct tpi_dof {
    tpi_dof_type type;
    double axis[3];      /* a unit vector */
    double lower, upper; /* infinite if there is no limit; likewise the next three */
    double velocity, force, acceleration;
    bool assumed_acceleration; /* no file names it: velocity / 0.2 s */
    unsigned servo;            /* TPI_SERVO_ bits; 0: not actuated */
    int master;                /* the dof that it follows, which follows none; -1 for none */
    double multiplier, offset; /* value = multiplier * master + offset */
} tpi_dof;

typedef struct tpi_joint {
    const char *name;
    int parent, child; /* links */
    tpi_spatial rest;
    unsigned dof_count;
    unsigned first_dof; /* index of its first dof in the mechanism */
} tpi_joint;

typedef struct tpi_link {
    const char *name;
    int joint; /* its parent joint */
    double mass_kg;
    double centre_m[3];
    double inertia[6]; /* xx, xy, xz, yy, yz, zz at the centre of mass, in the link's axes */
} tpi_link;

typedef struct tpi_control_frame {
    const char *name;
    int link;
    tpi_spatial pose;
    unsigned servo;
} tpi_control_frame;

/* Something in a file that is accepted but unusual. */
typedef struct tpi_mechanism_warning {
    unsigned line;
    const char *text;
    struct tpi_mechanism_warning *next;
} tpi_mechanism_warning;

typedef struct tpi_mechanism {
    const char *name;
    unsigned joint_count, link_count, frame_count, dof_count;
    tpi_joint *joints; /* owned by the arena, as everything here; in the order of the file */
    tpi_link *links;
    tpi_control_frame *frames;
    tpi_dof *dofs;
    int root;                        /* the root link */
    tpi_mechanism_warning *warnings; /* in the order in which they were found; NULL for none */
    tpi_arena arena;
} tpi_mechanism;

/* Release a mechanism. NULL is accepted. */
void tpi_mechanism_destroy(tpi_mechanism *mechanism);

/* Index of the joint, link or frame with this name; -1 if there is none. */
int tpi_mechanism_joint(const tpi_mechanism *mechanism, const char *name);
int tpi_mechanism_link(const tpi_mechanism *mechanism, const char *name);
int tpi_mechanism_frame(const tpi_mechanism *mechanism, const char *name);

/* The joint that a dof belongs to. */
const tpi_joint *tpi_mechanism_joint_of(const tpi_mechanism *mechanism, unsigned dof);

/* Set the values of all dofs that mimic others. */
void tpi_mechanism_follow(const tpi_mechanism *mechanism, double *values);

/* How far a dof that follows another one, with a multiplier that is not 0, lets that one go: the
 * lower and the upper end. Returns false if they leave nothing of a way from `lower` to `upper`.
 * Such limits, which files have for passive joints, do not count. */
bool tpi_dof_way(const tpi_dof *follower, double lower, double upper, double way[2]);

/* ---- Chains ------------------------------------------------------------------------------------
 */

enum { TPI_CHAIN_DOFS = 64, TPI_CHAIN_STEPS = 128 };

/* One step of a chain: fixed, then at most one dof. */
typedef struct tpi_chain_step {
    tpi_spatial fixed;
    int dof;    /* index in the mechanism; -1 for none */
    int column; /* index of the free dof that moves it; -1 for none */
    double scale;
    tpi_dof_type type;
    int along;    /* 0, 1, 2: the axis is x, y or z, or opposite to it; 3: any */
    double sense; /* -1 if it is opposite, else 1 */
    double axis[3];
} tpi_chain_step;

/* The way from the root link to a link or frame, ready for calculation. Its *columns* are the free
 * dofs on it: those that mimic no other. */
typedef struct tpi_chain {
    const tpi_mechanism *mechanism; /* borrowed */
    unsigned step_count, column_count;
    int columns[TPI_CHAIN_DOFS]; /* dofs of the mechanism */
    tpi_spatial tip;             /* behind the last step */
    tpi_chain_step steps[TPI_CHAIN_STEPS];
} tpi_chain;

/* The chain from the root to a link, or to a frame of a link (NULL for the link itself). TP_E_LIMIT
 * if it has too many dofs. */
tp_status tpi_chain_init(tpi_chain *chain, const tpi_mechanism *mechanism, int link,
                         const tpi_spatial *frame, tp_error *err);

/* The pose of the tip in the root link. `values` are those of all dofs of the mechanism; those that
 * mimic are read as they are. */
void tpi_chain_forward(const tpi_chain *chain, const double *values, tpi_spatial *tip);

/* The Jacobian: 6 rows (linear, angular speed of the tip in the axes of the root) of
 * `column_count` values; and the pose of the tip. */
void tpi_chain_jacobian(const tpi_chain *chain, const double *values, double *jacobian,
                        tpi_spatial *tip);

/* The ratio of the largest to the smallest singular value of a Jacobian; infinite if singular. A
 * Jacobian with fewer than 6 columns has as many singular values as columns. */
double tpi_chain_condition(const double *jacobian, unsigned columns);

/* Damped least squares: the speeds of the columns that come nearest to `twist` (linear, angular
 * speed of the tip), with damping * (sum of their squares) as a price. Columns that are `fixed`
 * have the speed 0; NULL for none. */
void tpi_chain_solve(const double *jacobian, unsigned columns, const bool *fixed,
                     const double twist[6], double damping, double *speeds);

/* ---- Inverse -----------------------------------------------------------------------------------
 */

typedef struct tpi_inverse_options {
    double position_m, angle_rad; /* how near is near enough; 0 for 1e-6 */
    unsigned restarts;            /* tries from other places; 0 for 100 */
    bool here;                    /* none at all: only what the start leads to */
    const bool *fixed;            /* for each column: it keeps its value; NULL for none */
    unsigned iterations;          /* steps of one try; 0 for 60 */
    uint64_t seed;                /* of the places of restarts */
} tpi_inverse_options;

/* Find values of the chain's columns that bring the tip to `goal`, within the limits of all dofs
 * that they move. `values` are those of all dofs: the start of the first try, and the result. On
 * failure (TP_E_RANGE) `values` are the nearest that was found. Takes up to some tenths of a
 * second; allocates nothing. `options` may be NULL. */
tp_status tpi_chain_inverse(const tpi_chain *chain, const tpi_spatial *goal, double *values,
                            const tpi_inverse_options *options);

/* ---- URDF --------------------------------------------------------------------------------------
 */

/* Read a URDF text. `path` is for messages. Errors name file, line and element. */
tp_status tpi_urdf_read(tpi_mechanism **out, const char *text, size_t length, const char *path,
                        tp_error *err);

/* The same. If `planar`, the base is planar unless the file says what it is. */
tp_status tpi_urdf_read_base(tpi_mechanism **out, const char *text, size_t length, const char *path,
                             bool planar, tp_error *err);

#endif
