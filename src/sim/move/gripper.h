/*
 * gripper.h - grippers inside: where their paddles are and what is between them.
 *
 * The body frame of a gripper has x towards the tips of the paddles and 0 in the middle of the box.
 */
#ifndef TROUPE_SIM_MOVE_GRIPPER_H
#define TROUPE_SIM_MOVE_GRIPPER_H

#include "sim/inside.h"

struct sim_gripper {
    double paddle[3];  /* length, thickness and height, as shares of the box */
    double open, lift; /* at the beginning */
    bool snatches;     /* closes by itself when something comes in */
};

struct sim_gripper_state {
    struct sim_common common;
    double open, open_before;
    double lift, lift_before;
    int32_t opening; /* 1: opens, -1: closes */
    int32_t lifting; /* 1: up, -1: down */
    uint32_t beams, contacts;
    uint32_t holds; /* something */
    uint32_t spare;
    uint64_t cargo;    /* its key */
    double hold[4];    /* where it is: x, y, z and heading in the body frame */
    double floor;      /* the height that it was taken from */
    double least_open; /* it keeps the paddles so far apart */
};

/* Half the space between the paddles when they are wide open. */
double tpi_sim_gripper_reach(const struct sim_gripper *config, const struct sim_member *member);

/* Where the body is now, with its lift. */
struct sim_frame tpi_sim_gripper_frame(const struct sim_view *view);

/* What of a tree is between x0 and x1 of a gripper's body: from y0 to y1; false for nothing. */
struct sim_section {
    double y0, y1;
};

bool tpi_sim_gripper_section(const tpi_sim *sim, uint32_t tree, const struct sim_frame *body,
                             double x0, double x1, struct sim_section *section);

/* The first tree that closing paddles touch and that can be taken; TPI_SIM_NONE for none. */
uint32_t tpi_sim_gripper_touched(const struct sim_view *view);

#endif
