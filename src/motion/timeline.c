/* timeline.c - see timeline.h. Within a step the rate is linear in time, plus a parabola that is 0
 * at both ends where the step makes more or less way than that: a stop at the last known frame. */
#include "motion/timeline.h"

#include <math.h>

static const double SECOND_NS = 1e9;

void tpi_motion_line_start(tpi_motion_line *line, int64_t at_ns, int64_t tau_ns, double goal)
{
    line->at_ns = at_ns;
    line->tau_ns = tau_ns;
    line->rate = line->goal = goal;
    line->phase = TPI_MOTION_STANDS;
    line->mean = 0;
    line->due_ns = INT64_MAX;
}

/* How much of a step is over: 0 to 1. */
static double part_of(const tpi_motion_line *line, int64_t at_ns)
{
    return (double)(at_ns - line->at_ns) / (double)(line->due_ns - line->at_ns);
}

int64_t tpi_motion_line_tau(const tpi_motion_line *line, int64_t at_ns)
{
    if (line->phase == TPI_MOTION_EXACT) {
        return line->tau_ns + (at_ns - line->at_ns);
    }
    if (line->phase == TPI_MOTION_STANDS || at_ns <= line->at_ns) {
        return line->tau_ns;
    }
    if (at_ns >= line->due_ns) {
        return line->end.tau_ns;
    }
    const double whole = (double)(line->due_ns - line->at_ns), part = part_of(line, at_ns);
    const double linear = (line->rate + line->end.rate) / 2 * whole;
    const double extra = (double)(line->end.tau_ns - line->tau_ns) - linear;
    const double ramp = part * (line->rate + (line->end.rate - line->rate) * part / 2);
    return line->tau_ns + (int64_t)(whole * ramp + extra * part * part * (3 - 2 * part));
}

double tpi_motion_line_rate(const tpi_motion_line *line, int64_t at_ns)
{
    if (line->phase != TPI_MOTION_STEP) {
        return line->rate;
    }
    const double last = line->end.rate < line->rate ? fmin(line->end.rate, line->mean)
                                                    : fmax(line->end.rate, line->mean);
    return line->mean + (last - line->mean) * fmax(2 * part_of(line, at_ns) - 1, 0);
}

void tpi_motion_line_reach(tpi_motion_line *line, int64_t at_ns)
{
    line->tau_ns = tpi_motion_line_tau(line, at_ns);
    line->at_ns = at_ns;
    if (line->phase == TPI_MOTION_STEP) {
        line->rate = line->end.rate;
        line->phase = TPI_MOTION_STANDS; /* until it is planned */
    }
}

/* ---- Planning ---- */

/* The tau from which on the line must be slower than 1. */
static int64_t slow_from(const tpi_motion_line *line, tpi_motion_grip grip)
{
    if (!line->bounded) {
        return INT64_MAX;
    }
    const int64_t brake = (int64_t)(SECOND_NS / (2 * grip.down)) + 1;
    return line->known_ns - (brake > line->target_ns ? brake : line->target_ns);
}

static void plan_exact(tpi_motion_line *line, int64_t tau_ns)
{
    line->phase = TPI_MOTION_EXACT;
    line->mean = 1;
    line->due_ns = tau_ns == INT64_MAX ? INT64_MAX : line->at_ns + (tau_ns - line->tau_ns);
}

static void plan_stand(tpi_motion_line *line)
{
    line->stalls +=
        line->bounded && line->tau_ns >= line->known_ns && line->goal > 0 && line->mean > 0;
    line->phase = TPI_MOTION_STANDS;
    line->rate = line->mean = 0;
    line->due_ns = INT64_MAX;
}

/* End the step after `dt_ns` at a tau with a rate. */
static void plan_step(tpi_motion_line *line, double dt_ns, int64_t tau_ns, double rate)
{
    const int64_t least = 100; /* in less, whole nanoseconds do not make a ratio */
    const int64_t dt = (int64_t)ceil(dt_ns);

    line->phase = TPI_MOTION_STEP;
    line->due_ns = line->at_ns + (dt > 1 ? dt : 1);
    line->mean = dt > least ? (double)(tau_ns - line->tau_ns) / (double)(line->due_ns - line->at_ns)
                            : (line->rate + rate) / 2;
    line->end.tau_ns = tau_ns;
    line->end.rate = rate;
}

/* The highest rate at the end of a step of dt seconds from which the line can still stop before the
 * last known frame: (r + r1)/2 dt + r1^2/(2 down) = left. Negative if it must stop within the step.
 */
static double brake_rate(const tpi_motion_line *line, double down, double dt)
{
    const double left = (double)(line->known_ns - line->tau_ns) / SECOND_NS;
    const double half = down * dt / 2;
    const double square = half * half + 2 * down * left - 2 * half * line->rate;

    return square >= 0 ? sqrt(square) - half : -1;
}

/* The rate that the buffer and the goal allow at the end of a step. */
static double goal_rate(const tpi_motion_line *line, double dt)
{
    double goal = line->goal;

    if (line->bounded && line->target_ns > 0) {
        const double left = (double)(line->known_ns - line->tau_ns) - line->rate * dt * SECOND_NS;
        const double buffer = left / (double)line->target_ns;

        goal *= fmin(fmax(buffer, 0), 1);
    }
    return goal;
}

/* Stop at the last known frame within this step: the grip may have to be exceeded. */
static void plan_stop_at_known(tpi_motion_line *line, tpi_motion_grip grip, int64_t event_ns,
                               double step_ns)
{
    const double left = (double)(line->known_ns - line->tau_ns);
    const double dt = line->rate > 0 ? fmin(2 * left / line->rate, step_ns) : step_ns;

    if (line->rate > 1.05 * grip.down * dt / SECOND_NS + 1e-9) {
        line->excesses++;
    }
    if (event_ns < line->known_ns) {
        const double part = (double)(event_ns - line->tau_ns) / left;

        plan_step(line, dt * part, event_ns, line->rate * (1 - part));
        return;
    }
    plan_step(line, dt, line->known_ns, 0);
}

/* The event comes before the end of the step: end it there. */
static void cut_step(tpi_motion_line *line, double slope, int64_t event_ns)
{
    const double way = (double)(event_ns - line->tau_ns) / SECOND_NS;
    const double root = sqrt(fmax(line->rate * line->rate + 2 * slope * way, 0));
    const double dt = line->rate + root > 0 ? 2 * way / (line->rate + root) : 0;

    plan_step(line, dt * SECOND_NS, event_ns, fmin(fmax(line->rate + slope * dt, 0), 1));
}

/* Ramp towards the goal; a goal of 0 or 1 is reached within the step, if it can be. */
static void plan_ramp(tpi_motion_line *line, tpi_motion_grip grip, double want, int64_t event_ns,
                      double step_ns)
{
    const double full = step_ns / SECOND_NS, r = line->rate;
    const double slope = want < r ? -grip.down : grip.up;
    const bool ends = want == 0 || want == 1;
    double dt = full, r1 = want;

    if (fabs(want - r) > fabs(slope) * full) {
        r1 = r + slope * full;
    } else if (ends && want != r) {
        dt = fmax((want - r) / slope, 1e-9);
    }
    const int64_t tau = line->tau_ns + (int64_t)((r + r1) / 2 * dt * SECOND_NS);
    if (tau > event_ns || (line->bounded && tau > line->known_ns)) {
        const bool known = line->bounded && line->known_ns < event_ns;

        cut_step(line, (r1 - r) / dt, known ? line->known_ns : event_ns);
        return;
    }
    plan_step(line, dt * SECOND_NS, tau, r1);
}

/* Whether the line has to stop at the last known frame in this step. */
static bool stops_at_known(const tpi_motion_line *line, double brake, double down, int64_t step_ns)
{
    const double left = (double)(line->known_ns - line->tau_ns);
    const double near = down * (double)step_ns * (double)step_ns / SECOND_NS / 4;

    /* The approach would never end: the rest of it is made in one step. */
    return brake < 0 ||
           (line->goal > 0 && line->rate * SECOND_NS <= down * (double)step_ns &&
            brake * (double)step_ns < near && left < near + line->rate * (double)step_ns);
}

void tpi_motion_line_plan(tpi_motion_line *line, tpi_motion_grip grip, int64_t event_ns,
                          int64_t step_ns)
{
    const int64_t slow = slow_from(line, grip);
    const double full = (double)step_ns / SECOND_NS;
    double want = goal_rate(line, full);

    if (line->rate >= 1 && line->goal >= 1 && line->tau_ns < slow) {
        plan_exact(line, event_ns < slow ? event_ns : slow);
        return;
    }
    if (line->bounded) {
        const double brake = brake_rate(line, grip.down, full);

        if (line->tau_ns >= line->known_ns) {
            plan_stand(line);
            return;
        }
        if (stops_at_known(line, brake, grip.down, step_ns)) {
            plan_stop_at_known(line, grip, event_ns, (double)step_ns);
            return;
        }
        line->excesses += brake < line->rate - 1.05 * grip.down * full;
        grip.down = fmax(grip.down, (line->rate - brake) / full);
        want = fmin(want, brake);
    }
    if (want <= 0 && line->rate <= 0) {
        plan_stand(line);
        return;
    }
    plan_ramp(line, grip, want, event_ns, (double)step_ns);
    line->excesses += (line->end.rate < line->rate && grip.down_exceeds) ||
                      (line->end.rate > line->rate && grip.up_exceeds);
}
