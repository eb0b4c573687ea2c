/*
 * motion_data.h - plain data of timed motion: the description of a robot, its state, signals.
 *
 * Values are in MKS units: m, rad, m/s, rad/s, N, Nm, kg. Times are microseconds of the server's
 * clock. docs/motion-protocol.md explains every field.
 */
#ifndef TROUPE_MOTION_DATA_H
#define TROUPE_MOTION_DATA_H

#include <stdint.h>

#include "troupe/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_MOTION_NAME = 32,       /* bytes of a name, without the NUL */
    TP_MOTION_JOINT_DOFS = 6,  /* the most dofs of a joint */
    TP_MOTION_WORLD = 0xffff,  /* the parent link of joint 0 */
    TP_MOTION_JOINTS = 0xffff, /* HOME of all joints */
};

/* ---- The description of a robot -------------------------------------------------------------- */

/* What a dof or a control frame takes. */
enum { TP_MOTION_POSITION = 1, TP_MOTION_SPEED = 2, TP_MOTION_FORCE = 4 };

/* A dof. Limits that are not there are +-infinity. */
typedef struct tp_motion_dof {
    uint8_t type;    /* 0 none, 1 revolute, 2 prismatic */
    uint8_t servo;   /* bits: TP_MOTION_POSITION, _SPEED, _FORCE; 0: not actuated */
    uint8_t mimics;  /* 1: follows dof `master` */
    uint16_t master; /* index among all dofs of the robot */
    double axis[3];
    double lower, upper, velocity, force, acceleration;
} tp_motion_dof;

typedef struct tp_motion_joint {
    char name[TP_MOTION_NAME + 1];
    uint16_t parent, child; /* links; the parent of joint 0 is TP_MOTION_WORLD */
    uint16_t first_dof;     /* index of its first dof among all dofs of the robot */
    uint8_t dof_count;
    double inboard_m[3], outboard_m[3];
    double rest[9]; /* rotation, row by row */
    tp_motion_dof dofs[TP_MOTION_JOINT_DOFS];
} tp_motion_joint;

typedef struct tp_motion_link {
    char name[TP_MOTION_NAME + 1];
    uint16_t joint; /* its parent joint */
    double mass_kg, centre_m[3];
    double inertia[6]; /* xx, xy, xz, yy, yz, zz in kg m2, at the centre of mass */
} tp_motion_link;

/* A control frame. */
typedef struct tp_motion_frame {
    char name[TP_MOTION_NAME + 1];
    uint16_t link;
    uint8_t servo;
    double position_m[3];
    double rotation[9];
} tp_motion_frame;

/* ---- Answers of a server --------------------------------------------------------------------- */

typedef struct tp_motion_dof_state {
    double position, velocity, force;
} tp_motion_dof_state;

typedef struct tp_motion_state {
    uint64_t time_us;
    uint16_t count;
    tp_motion_dof_state *dofs; /* borrowed; in the order of the description */
} tp_motion_state;

typedef struct tp_motion_base {
    uint64_t time_us;
    uint8_t frame; /* 0 odometry, 1 map */
    uint8_t known; /* 0: the robot has no base, or nothing was measured yet */
    double pose[3], speed[3];
} tp_motion_base;

typedef struct tp_motion_clock {
    uint64_t identity, time_us;
} tp_motion_clock;

typedef struct tp_motion_queues {
    uint32_t command, playback, answers; /* what waits in the client's three queues */
    double rate, robot_rate;
    uint64_t played, late, longest_late_us, dropped, skipped;
} tp_motion_queues;

/* Who holds a dof. */
typedef struct tp_motion_holder {
    uint16_t joint, dof;
    uint32_t client;
    char label[TP_MOTION_NAME + 1];
} tp_motion_holder;

typedef struct tp_motion_busy {
    uint16_t count;
    tp_motion_holder *holders; /* borrowed */
} tp_motion_busy;

/* How a command goes. */
typedef struct tp_motion_signalled {
    uint8_t signal;   /* tp_motion_signal */
    uint8_t final;    /* 1: no further signal follows */
    uint32_t package; /* the id of the command's package */
    uint32_t epoch;   /* the number of the panic, with PANIC */
    uint64_t start_us, end_us;
    uint16_t length;
    char *text; /* borrowed; `length` bytes */
} tp_motion_signalled;

/* How a sequence went. */
typedef struct tp_motion_summary {
    uint32_t sequence;
    uint8_t signal; /* tp_motion_signal */
    uint32_t frames, played, late, stalls;
    uint64_t start_us, end_us;
    uint64_t held_us;
    uint16_t length;
    char *text; /* borrowed; `length` bytes */
} tp_motion_summary;

#ifdef __cplusplus
}
#endif
#endif
