/* output.c - writes: one for each output and instant. */
#include <math.h>
#include <string.h>

#include "motion/inside.h"

void tpi_motion_output_mark(tpi_motion_engine *e, const tpi_motion_axis *axis, bool forced)
{
    if (axis->place.output == TPI_MOTION_NOWHERE) {
        return;
    }
    tpi_motion_output *output = &e->outputs[axis->place.output];
    output->dirty = true;
    output->forced = output->forced || forced;
}

/* The value and the speed that an axis shall have now. Returns the speed on its track: there a
 * change is a step of its motion, and not of the rate. */
static double values_of(const tpi_motion_engine *e, const tpi_motion_axis *axis, double out[2])
{
    const tpi_motion_point point = tpi_motion_axis_point(e, axis);

    out[1] = point.velocity * tpi_motion_axis_scale(e, axis);
    switch (axis->servo) {
    case TPI_MOTION_SERVO_POSITION:
        out[0] = point.position;
        break;
    case TPI_MOTION_SERVO_FORCE:
        out[0] = axis->force;
        break;
    default:
        out[0] = out[1];
        break;
    }
    return point.velocity;
}

/* Only a dof that takes speeds makes a step: one that takes positions changes its speed all the
 * time. */
static void note_step(tpi_motion_axis *axis, double speed, int64_t at_ns)
{
    if (speed != axis->speed && axis->servo == TPI_MOTION_SERVO_SPEED) {
        axis->stepped_ns[speed > axis->speed] = at_ns;
    }
    axis->speed = speed;
}

static const double LEAST_STEP = 0.01; /* of the rate of a GOTO, which is issued again then */

static void emit(tpi_motion_engine *e, tpi_motion_output *output, int64_t due_ns,
                 tpi_motion_what what)
{
    const tpi_motion_axis *first = &e->axes[output->axes[0]];
    const tpi_motion_write write = {
        .due_ns = due_ns,
        .output = (uint16_t)(output - e->outputs),
        .count = output->count,
        .what = what,
        .frame = first->motion.frame,
        .rate = output->rate,
        .servo = e->room.servos,
        .values = e->room.values,
        .speeds = e->room.speeds,
    };

    e->emit(e->user, &write);
}

/* How fast a GOTO is to run: as its time line at the end of this step. One that comes to a stand
 * stops then. */
static double goto_rate(const tpi_motion_output *output, const tpi_motion_track *track)
{
    const double scale = tpi_motion_track_scale(track);

    if (track->line.phase != TPI_MOTION_STEP || scale == 0) {
        return fmin(scale, 1);
    }
    return track->line.end.rate > 0 ? track->line.end.rate : output->goes ? output->rate : scale;
}

/* Whether the last write of speeds lets it move. */
static bool is_moving(const tpi_motion_engine *e, const tpi_motion_output *output)
{
    for (uint16_t i = 0; i < output->count; i++) {
        if (e->room.written[2 * output->axes[i] + 1] != 0) {
            return true;
        }
    }
    return false;
}

/* A GOTO runs in the device: it is stopped while its time line stands, and issued again when its
 * rate has changed. One that begins on a line that stands stops what it replaces. */
static void write_goto(tpi_motion_engine *e, tpi_motion_output *output, int64_t due_ns, double rate)
{
    const bool goes = rate > 0;
    const bool other = fabs(rate - output->rate) >= LEAST_STEP || (rate == 1 && output->rate < 1);

    if (goes == output->goes && !(goes ? output->forced || other : is_moving(e, output))) {
        return;
    }
    for (uint16_t i = 0; i < output->count; i++) {
        e->room.values[i] = e->axes[output->axes[i]].motion.value;
        e->room.speeds[i] = 0;
        e->room.servos[i] = 0;
        memset(e->room.written + 2 * output->axes[i], 0, 2 * sizeof *e->room.written);
    }
    output->goes = goes;
    output->rate = rate;
    emit(e, output, due_ns, goes ? TPI_MOTION_WRITE_GOTO : TPI_MOTION_WRITE_STOP);
}

static void write_dofs(tpi_motion_engine *e, tpi_motion_output *output, int64_t due_ns)
{
    bool changed = output->forced;

    for (uint16_t i = 0; i < output->count; i++) {
        tpi_motion_axis *axis = &e->axes[output->axes[i]];
        double *written = e->room.written + 2 * axis->index;
        double now[2];

        note_step(axis, values_of(e, axis, now), due_ns);
        changed = changed || memcmp(written, now, sizeof now) != 0;
        memcpy(written, now, sizeof now);
        e->room.servos[i] = axis->servo;
        e->room.values[i] = now[0];
        e->room.speeds[i] = now[1];
    }
    if (changed) {
        emit(e, output, due_ns, TPI_MOTION_WRITE_DOFS);
    }
}

void tpi_motion_output_write(tpi_motion_engine *e, int64_t due_ns)
{
    for (uint16_t i = 0; i < e->robot.outputs; i++) {
        tpi_motion_output *output = &e->outputs[i];

        if (!output->dirty || output->count == 0) {
            continue;
        }
        const tpi_motion_axis *first = &e->axes[output->axes[0]];
        const bool own = first->motion.servo == TPI_MOTION_GOTO_SERVO;

        if (own) {
            write_goto(e, output, due_ns, goto_rate(output, first->motion.track));
        } else if (first->motion.servo == 0 && output->goes) {
            write_goto(e, output, due_ns, 0);
        } else {
            output->goes = false;
            write_dofs(e, output, due_ns);
        }
        output->dirty = output->forced = false;
    }
}
