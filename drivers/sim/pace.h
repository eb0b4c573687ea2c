/*
 * pace.h - when the steps of a world are due: simulated time follows real time, times a speed.
 *
 * Real time comes in with every call. A world that cannot keep up runs as fast as it can: what it
 * is behind is bounded, the rest is let go. Of a time in which nobody looked (the program was
 * frozen, or the machine suspended) nothing is made up for: robots would move by what they were
 * told before, at a moment when their leases have ended and their stops are on their way.
 */
#ifndef SIM_PACE_H
#define SIM_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct simd_pace {
    int64_t interval_ns; /* simulated, of one step */
    double speed;        /* 0 for as fast as it can */
    bool paused;
    bool late;         /* it could not keep up lately */
    int64_t from_ns;   /* real time that steps are counted from */
    int64_t made;      /* steps since then */
    int64_t late_ns;   /* when it was found to be late last */
    int64_t looked_ns; /* when somebody asked last what is due */
    bool gap;          /* that was long after the time before */
    bool stepped;      /* a step was made since then */
} simd_pace;

/* Time begins to pass now. */
void tpi_simd_pace_begin(simd_pace *pace, int64_t now_ns);

/* Change what it is; what was due is let go. */
void tpi_simd_pace_set_speed(simd_pace *pace, double speed, int64_t now_ns);
void tpi_simd_pace_set_paused(simd_pace *pace, bool paused, int64_t now_ns);

/* How many steps are due. Never more than what may be behind; what is beyond that is let go, and
 * `late` is set until it has kept up for a while. Nothing is due after a gap: 0.2 s, and more than
 * two steps, in which nobody asked; one is due if steps themselves take so long. With speed 0 one
 * is due at any time. */
int64_t tpi_simd_pace_due(simd_pace *pace, int64_t now_ns);

/* One was made. */
void tpi_simd_pace_made(simd_pace *pace);

/* How long to wait between two looks at the clock; 0 if there is nothing to wait for. */
int64_t tpi_simd_pace_period_ns(const simd_pace *pace);

#endif
