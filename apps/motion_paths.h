/*
 * motion_paths.h - what a sequence plans and what a robot does with it, as curves.
 */
#ifndef TROUPE_APPS_MOTION_PATHS_H
#define TROUPE_APPS_MOTION_PATHS_H

#include "plot.h"
#include "sequence.h"
#include "troupe/motion.h"

enum { PATHS_MOST = 24 }; /* panels of dofs; further dofs are not drawn */

/* The curves of a sequence. All zero: none. */
struct paths {
    const struct sequence *sequence; /* borrowed, as the robot */
    const tp_motion_robot *robot;
    struct plot_panel panels[PATHS_MOST + 1];
    uint32_t names[PATHS_MOST + 1]; /* of the sequence; which dof a panel shows */
    size_t count;
    bool base;                    /* the first panel is the way of the base */
    double start[3];              /* where the base begins */
    double *positions;            /* owned: where the dofs begin; by index among all dofs */
    struct paths_sample *samples; /* owned */
    size_t sample_count, sample_room;
};

/* A state that was measured; positions follow in the order of the panels. */
struct paths_sample {
    uint64_t time_us;
    double values[PATHS_MOST + 2];
};

/* Which panels there are; TP_E_NOMEM. */
tp_status paths_init(struct paths *paths, const struct sequence *sequence,
                     const tp_motion_robot *robot, tp_error *err);
void paths_fini(struct paths *paths);

/* The measured state at the start. */
void paths_start(struct paths *paths, const tp_motion_state *state, const tp_motion_base *base);

/* A measured state on the way; false without memory. */
bool paths_add(struct paths *paths, const tp_motion_state *state, const tp_motion_base *base);

/* Fill the panels: the plan, and what was measured from `start_us` on. */
tp_status paths_draw(struct paths *paths, uint64_t start_us, tpi_buf *out, const char *title,
                     tp_error *err);

/* How long the set-points of a frame take, in s. */
double paths_duration(const struct sequence *sequence, size_t frame);

#endif
