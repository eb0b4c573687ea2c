/*
 * actuators.h - models that do something besides driving: joints, grippers, lights, batteries.
 *
 * An *actuator* moves what stands on it along or about its axis; actuators that stand on each other
 * make an arm, or a pan and tilt unit. The world is flat: what turns about a level axis changes its
 * position and nothing else. A joint that would bring its robot into something stops before it.
 *
 * A *gripper* takes what has `gripper_return 1` and comes between its closing paddles; what it
 * holds moves with it, is not seen by the robot that holds it and stands where it was opened. One
 * that is held itself, or holds something, is not taken.
 *
 * A model with `joules` has a *battery*. Whatever stands on a robot draws from the nearest one on
 * its way down to the floor, as long as somebody is subscribed to it.
 *
 * All calls fail with TP_E_UNSUPPORTED for models of another kind and say so, and with TP_E_RANGE
 * for numbers that are not finite. Like everything in sim.h they belong to the thread that steps.
 */
#ifndef TROUPE_SIM_MOVE_ACTUATORS_H
#define TROUPE_SIM_MOVE_ACTUATORS_H

#include "sim/sim.h"

/* ---- Actuators ------------------------------------------------------------------------------- */

typedef struct tpi_sim_actuator {
    bool linear;      /* metres along the axis; otherwise radians about it */
    double axis[3];   /* a unit vector in the frame that the model has at position 0 */
    double low, high; /* bounds of the position */
    double fastest;   /* per second */
    double start;     /* where it was at the beginning */
    double position;  /* now */
    double velocity;  /* in the last step; 0 if it stood still */
    double goal;      /* where it is going, unless `turning` */
    bool turning;     /* goes on at a speed, not to a position */
    bool stalled;     /* something is in the way */
} tpi_sim_actuator;

tp_status tpi_sim_get_actuator(const tpi_sim *sim, tpi_sim_model model, tpi_sim_actuator *actuator,
                               tp_error *err);

/* Go to a position, which is cut to the bounds, with at most `speed` (0 or more than it can: as
 * fast as it can). */
tp_status tpi_sim_actuator_go(tpi_sim *sim, tpi_sim_model model, double position, double speed,
                              tp_error *err);

/* Go on at a speed until told otherwise, or to the end. */
tp_status tpi_sim_actuator_turn(tpi_sim *sim, tpi_sim_model model, double speed, tp_error *err);

/* ---- Grippers -------------------------------------------------------------------------------- */

typedef struct tpi_sim_gripper {
    double open;            /* 1: wide open, 0: closed */
    double lift;            /* 1: up, 0: down */
    bool opening, closing;  /* under way */
    bool lifting, lowering; /* likewise */
    bool beams[2];          /* broken: the inner one, the outer one (nearer to the tips) */
    bool contacts[2];       /* the left, the right paddle touches something that can be taken */
    tpi_sim_model cargo;    /* what it holds; TPI_SIM_NONE for nothing */
    double paddle_size[3];  /* metres */
    double width;           /* between the paddles when they are wide open */
} tpi_sim_gripper;

typedef enum tpi_sim_grip {
    TPI_SIM_GRIP_OPEN,
    TPI_SIM_GRIP_CLOSE,
    TPI_SIM_GRIP_UP,
    TPI_SIM_GRIP_DOWN,
    TPI_SIM_GRIP_STOP_PADDLES,
    TPI_SIM_GRIP_STOP_LIFT,
} tpi_sim_grip;

tp_status tpi_sim_get_gripper(const tpi_sim *sim, tpi_sim_model model, tpi_sim_gripper *gripper,
                              tp_error *err);
tp_status tpi_sim_grip_do(tpi_sim *sim, tpi_sim_model model, tpi_sim_grip what, tp_error *err);

/* ---- Lights ---------------------------------------------------------------------------------- */

/* A blinkenlight blinks, a lightindicator is on or off. */
typedef struct tpi_sim_lamp {
    bool enabled;    /* the last command */
    bool lit;        /* now: a light that blinks is dark part of the time */
    double period;   /* seconds; 0: it does not blink */
    double duty;     /* share of the period that it is lit */
    uint32_t colour; /* 0xRRGGBBAA */
} tpi_sim_lamp;

tp_status tpi_sim_get_lamp(const tpi_sim *sim, tpi_sim_model model, tpi_sim_lamp *lamp,
                           tp_error *err);

/* Take over `enabled`, and of a blinkenlight `period` and `duty`. Colours: tpi_sim_set_colour(). */
tp_status tpi_sim_set_lamp(tpi_sim *sim, tpi_sim_model model, const tpi_sim_lamp *lamp,
                           tp_error *err);

/* ---- Batteries ------------------------------------------------------------------------------- */

typedef struct tpi_sim_battery {
    double stored, capacity; /* joules; stored is infinite if it never runs out */
    double watts;            /* drawn in the last step */
    double charge_watts;     /* taken in from a charger */
    double given_watts;      /* given to others */
} tpi_sim_battery;

/* The battery of a model, or the one that it draws from. */
tp_status tpi_sim_get_battery(const tpi_sim *sim, tpi_sim_model model, tpi_sim_battery *battery,
                              tp_error *err);

#endif
