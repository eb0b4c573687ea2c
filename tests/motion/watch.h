/*
 * watch.h - what no write of the motion engine may do, whatever was asked for.
 *
 * Writes of an output come in the order of their times, none for a time that was planned before,
 * none in a panic. Positions, speeds and forces keep within the limits of their dof. Speeds change
 * within its limit of acceleration, unless the engine has counted an excess.
 *
 * It prints `s DOF TIME_US SERVO VALUE` when the set-points of a dof come to rest, `m DOF TIME_US`
 * when they begin to move it, `u DOF TIME_US` when its device is left to move by itself.
 */
#ifndef TROUPE_TESTS_WATCH_H
#define TROUPE_TESTS_WATCH_H

#include "motion/engine.h"

enum { JOINTS = 16, DOFS = 32, OUTPUTS = 8 };

/* The last command of a dof. */
struct watched {
    tpi_motion_dof dof;
    uint16_t output, slot;
    uint8_t servo;
    bool known; /* a value was written since the last reset or fault */
    double value, speed;
    int64_t due_ns;
    bool moves; /* its last set-point moves it */
};

struct watch {
    struct watched dofs[DOFS];
    uint16_t count;
    double period_s;
    int64_t due_ns[OUTPUTS]; /* of the last write */
    int64_t front_ns;        /* up to there everything was planned */
    uint64_t excesses;
    int64_t excused_ns; /* up to there an excess was counted before it is written */
    bool panicked;
    char hasty[160]; /* how a speed has changed faster than allowed since the last advance */
};

/* The callback of the engine; `user` is the watch. */
void watch_write(void *user, const tpi_motion_write *write);

/* Everything up to `front_ns` was written; `excesses` is the engine's own count. */
void watch_planned(struct watch *w, int64_t front_ns, uint64_t excesses);

/* The dofs of an output may be anywhere now; TPI_MOTION_NOWHERE for all outputs. */
void watch_forget(struct watch *w, uint16_t output);

/* End the line with the last command of each dof. */
void watch_print(const struct watch *w);

#endif
