/*
 * joint.h - what moves within a tree: actuators, and the paddles of grippers.
 *
 * A tree with joints has a template of its own from the beginning, whose members and parts are put
 * anew when a joint moves. Its radius is that of the farthest that its joints may reach, so that it
 * keeps its place in the crowd.
 *
 * Joints move at the beginning of a step, before anything drives, in small pieces: in each, all
 * trees with joints move theirs, then those that are in something now go back and stall. So two
 * that meet are treated alike, and nothing thicker than a piece is passed through.
 */
#ifndef TROUPE_SIM_MOVE_JOINT_H
#define TROUPE_SIM_MOVE_JOINT_H

#include "sim/inside.h"

/* What a kind that is a joint can do, all of it by its state. */
struct sim_joint {
    /* How far it may move what stands on it, or its own parts, from where the file has them. */
    double (*stroke)(const void *config, const struct sim_member *member);

    /* How fast anything in a tree of this radius may get by it, in m/s. */
    double (*pace)(const struct sim_view *view, double radius);

    /* Move on by so much time; true if it has moved. */
    bool (*advance)(const struct sim_view *view, double seconds);

    /* It has been put back, for something is in the way. */
    void (*stall)(const struct sim_view *view);

    /* Put the member, or its parts, where the state says; the template is arranged afterwards. */
    void (*place)(const struct sim_view *view, struct sim_template *template);
};

/* Give trees with joints their own templates, with all joints where they are at the beginning. The
 * trees have been laid out. */
tp_status tpi_sim_joints_init(tpi_sim *sim, tp_error *err);

/* The part of a step that moves joints. The crowd has to be sorted, and is sorted afterwards. */
void tpi_sim_joints_move(tpi_sim *sim);

/* A joint's state has been set from outside: put the tree where it says. */
void tpi_sim_joints_arrange(tpi_sim *sim, uint32_t tree);

#endif
