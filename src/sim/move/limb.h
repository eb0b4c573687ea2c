/*
 * limb.h - the model `effector`: the tip of a chain of actuators, brought to places.
 *
 * The actuators that an effector stands on, from the base outwards, are its joints. A command is
 * solved for the joints (chain.h), which then move together and arrive at the same time. A straight
 * move is solved anew in every step. The joints move while they have subscribers.
 *
 * All calls fail with TP_E_UNSUPPORTED for models of another kind and with TP_E_RANGE for numbers
 * that are not finite. Like everything in sim.h they belong to the thread that steps.
 */
#ifndef TROUPE_SIM_MOVE_LIMB_H
#define TROUPE_SIM_MOVE_LIMB_H

#include "sim/sim.h"

enum { TPI_SIM_MOST_JOINTS = 16 }; /* of one limb; those nearest to the tip count */

typedef enum tpi_sim_limb_state {
    TPI_SIM_LIMB_IDLE,
    TPI_SIM_LIMB_MOVING,
    TPI_SIM_LIMB_OUT_OF_REACH, /* the last command could not be solved */
    TPI_SIM_LIMB_BLOCKED,      /* something was in the way of it */
} tpi_sim_limb_state;

typedef struct tpi_sim_limb {
    tpi_sim_pose tip;  /* on its robot: in the frame of the model at the bottom */
    tpi_sim_pose base; /* of its first joint, likewise */
    tpi_sim_limb_state state;
    tpi_sim_model joints[TPI_SIM_MOST_JOINTS]; /* from the base outwards */
    uint32_t joint_count;
    double speed; /* m/s that the tip moves with at most */
} tpi_sim_limb;

/* Where to bring the tip, on its robot. */
typedef struct tpi_sim_reach {
    double x, y, z;
    double heading;
    bool has_heading; /* else any will do */
    bool straight;    /* along a line */
} tpi_sim_reach;

tp_status tpi_sim_get_limb(const tpi_sim *sim, tpi_sim_model model, tpi_sim_limb *limb,
                           tp_error *err);

/* Begin a move. If the place is out of reach, nothing moves and the state says so. */
tp_status tpi_sim_limb_reach(tpi_sim *sim, tpi_sim_model model, const tpi_sim_reach *reach,
                             tp_error *err);

/* Bring all joints to where they were at the beginning. */
tp_status tpi_sim_limb_home(tpi_sim *sim, tpi_sim_model model, tp_error *err);

/* Stop at once. */
tp_status tpi_sim_limb_stop(tpi_sim *sim, tpi_sim_model model, tp_error *err);

/* The speed of later moves, above 0. */
tp_status tpi_sim_limb_set_speed(tpi_sim *sim, tpi_sim_model model, double speed, tp_error *err);

#endif
