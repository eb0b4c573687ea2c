/*
 * position.h - driven models inside.
 *
 * What is done in a step: position.c takes the command and makes a velocity of it, sweep.c finds
 * out how far a body can go, resolve.c which bodies stop, and position.c keeps the odometry.
 */
#ifndef TROUPE_SIM_MOVE_POSITION_H
#define TROUPE_SIM_MOVE_POSITION_H

#include "sim/inside.h"

enum sim_drive { SIM_DIFF, SIM_OMNI, SIM_CAR };

struct sim_position {
    double slowest[3], fastest[3]; /* velocity: x, y, turn */
    double brake[3], push[3];      /* acceleration: least (negative) and greatest */
    double velocity[3];            /* at the beginning */
    double origin[3];              /* of what odometry reports */
    double error[3];               /* greatest share that odometry is off, twice */
    double wheelbase;
    uint32_t drive;
    bool limited;    /* accelerations are limited in all modes */
    bool odometry;   /* not gps */
    bool has_origin; /* the file gives it */
    bool slides;     /* along what it touches */
};

struct sim_position_state {
    struct sim_common common;
    uint8_t mode; /* tpi_sim_drive_mode */
    uint8_t stalled;
    uint8_t own;         /* it still drives as its file says: no command has come yet */
    uint8_t trying;      /* its controller tries a way out */
    uint32_t since;      /* when its controller came to the spot, in 1024 us */
    uint32_t delivered;  /* how many things its controller has brought to the sink */
    uint32_t loaded;     /* it carries one; 0 or 1 */
    uint32_t working_us; /* how long it has been loading or unloading */
    float mps, radps;    /* that it drives and turns with to a pose at most; 0 as usual */
    uint32_t spare;
    float spot[2]; /* that it has not left since, in the world */
    double goal[3];
    double velocity[3]; /* that it has, in its own frame */
    double estimate[3]; /* what odometry says */
    double error[3];    /* share that odometry is off */
    double origin[3];   /* of what odometry reports, in the world */
};

/* The displacement after `time` at a constant velocity, in the frame of the beginning. */
void tpi_sim_arc(double vx, double vy, double w, double time, double *x, double *y);

/* Make this step's velocity from the command. */
void tpi_sim_drive_begin(tpi_sim *sim, uint32_t tree);

/* Whether its command is to stand and it is still getting slower. */
bool tpi_sim_drive_brakes(const tpi_sim *sim, uint32_t tree);

/* After the tree has moved, or has been stopped. */
void tpi_sim_drive_end(tpi_sim *sim, uint32_t tree, bool stalled);

#endif
