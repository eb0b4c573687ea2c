/*
 * timeline.h - a time line: how the time of frames becomes time of the server's clock.
 *
 * A time line has a time of its own (`tau`) that runs at a rate from 0 to 1 of the server's time.
 * At rate 1 it is shifted by a constant number of nanoseconds, exactly. It is slowed when its
 * client or the robot is slowed (`goal`), when the buffer of an adaptive sequence runs low
 * (`target_ns`), and before the last known frame (`bounded`): the rate becomes 0 there, and it
 * never passes it. The rate changes within what the accelerations of the moving dofs allow
 * (`grip`).
 *
 * A line is in one of three phases:
 *   EXACT   rate 1; the line has to be looked at again at `due_ns`, and can be planned anew any
 * time STEP    a short time (at most a period) with a planned change of the rate; it is not changed
 *           before it ends, since what it writes has been sent
 *   STANDS  rate 0; nothing happens until something from outside changes
 *
 * Speeds that hold during a step are multiplied with `mean`, so that the way made in it is exactly
 * the way of its part of tau: a slowed motion follows the same path.
 */
#ifndef TROUPE_MOTION_TIMELINE_H
#define TROUPE_MOTION_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tpi_motion_phase {
    TPI_MOTION_STANDS,
    TPI_MOTION_EXACT,
    TPI_MOTION_STEP,
} tpi_motion_phase;

/* How fast the rate may change, in 1/s: downwards and upwards. */
typedef struct tpi_motion_grip {
    double down, up;
    bool down_exceeds, up_exceeds; /* a motion uses the acceleration itself: this is an excess */
} tpi_motion_grip;

typedef struct tpi_motion_line {
    tpi_motion_phase phase;
    int64_t at_ns, tau_ns; /* the two times that belong together; of a step: its start */
    double rate;           /* there */
    double mean;           /* over the step; 1 in EXACT, 0 in STANDS */
    int64_t due_ns;        /* when it has to be looked at; INT64_MAX for never */
    struct {               /* of a step: its end */
        int64_t tau_ns;
        double rate;
    } end;
    double goal;       /* rate that is asked for: 0 to 1 */
    bool bounded;      /* it must not pass `known_ns` */
    int64_t known_ns;  /* the last known frame */
    int64_t target_ns; /* buffer that adaptive mode keeps; 0 for none */
    uint32_t stalls;   /* how often it came to stand at the last known frame */
    uint32_t excesses; /* steps that needed more than the grip */
} tpi_motion_line;

/* Start the line: tau_ns is now. It begins at the rate `goal`. */
void tpi_motion_line_start(tpi_motion_line *line, int64_t at_ns, int64_t tau_ns, double goal);

/* Bring the line to a time. In a step this must be its end, `due_ns`. */
void tpi_motion_line_reach(tpi_motion_line *line, int64_t at_ns);

/* Where the line is at a time between its last instant and `due_ns`. */
int64_t tpi_motion_line_tau(const tpi_motion_line *line, int64_t at_ns);

/* The rate of what is written there. Through a step it never turns back: it is the mean rate in its
 * first half, as at its beginning, and goes on to the rate at its end in the second. */
double tpi_motion_line_rate(const tpi_motion_line *line, int64_t at_ns);

/* Decide what happens from here on. `event_ns` is the tau of the next frame or sample; INT64_MAX if
 * there is none. A step takes at most `step_ns` and ends at the event. Not in a step. */
void tpi_motion_line_plan(tpi_motion_line *line, tpi_motion_grip grip, int64_t event_ns,
                          int64_t step_ns);

#endif
