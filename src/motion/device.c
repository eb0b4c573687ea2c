/* device.c - what the binding tells of devices: states, arrivals, faults, other devices. */
#include <math.h>

#include "motion/inside.h"

void tpi_motion_engine_measured(tpi_motion_engine *engine, uint16_t dof,
                                const tpi_motion_dof_state *state)
{
    if (dof < engine->axis_count) {
        engine->axes[dof].measured = *state;
    }
}

void tpi_motion_engine_base(tpi_motion_engine *engine, const tpi_motion_base *base)
{
    engine->base = *base;
}

void tpi_motion_engine_arrived(tpi_motion_engine *engine, uint16_t output, bool reached,
                               int64_t now_ns)
{
    tpi_motion_engine_set_now(engine, now_ns);
    for (uint16_t i = 0; i < engine->axis_count; i++) {
        tpi_motion_axis *axis = &engine->axes[i];

        if (axis->place.output == output && axis->motion.servo == TPI_MOTION_GOTO_SERVO) {
            engine->outputs[output].goes = false;
            tpi_motion_axis_end(engine, axis, reached ? TPI_MOTION_SUCCESS : TPI_MOTION_INTERRUPTED,
                                false, reached ? "arrived" : "the robot gave up");
        }
    }
}

void tpi_motion_axis_take_measured(tpi_motion_axis *axis)
{
    axis->rest = (tpi_motion_point){axis->measured.position, 0};
    axis->force = 0;
}

/* Clients that have commands for an output, playing or waiting, are hit by its fault. */
static void mark_hit(tpi_motion_engine *e, uint16_t output)
{
    for (uint32_t i = 0; i < e->settings.clients; i++) {
        tpi_motion_client *client = e->clients[i];

        for (uint16_t k = 0; client != NULL && k < e->axis_count; k++) {
            client->hit = (k > 0 && client->hit) ||
                          (e->axes[k].place.output == output && client->held[k] > 0);
        }
    }
}

static void end_axes(tpi_motion_engine *e, uint16_t output, const char *why)
{
    for (uint16_t i = 0; i < e->axis_count; i++) {
        if (e->axes[i].place.output == output) {
            tpi_motion_axis_end(e, &e->axes[i], TPI_MOTION_INTERRUPTED, false, why);
            tpi_motion_axis_take_measured(&e->axes[i]);
        }
    }
}

void tpi_motion_engine_fault(tpi_motion_engine *engine, uint16_t output, const char *why,
                             int64_t now_ns)
{
    tpi_motion_engine_set_now(engine, now_ns);
    mark_hit(engine, output);
    tpi_motion_confirm_fail(engine, output, why);
    end_axes(engine, output, why);
    for (uint32_t i = 0; i < engine->settings.clients; i++) {
        if (engine->clients[i] != NULL && engine->clients[i]->hit) {
            tpi_motion_session_stop(engine, engine->clients[i], TPI_MOTION_INTERRUPTED, true, why);
        }
    }
    end_axes(engine, output, why); /* brakes: the device takes none */
    if (output < engine->robot.outputs) {
        engine->outputs[output].dirty = engine->outputs[output].goes = false;
    }
}

/* ---- Occupied and other devices ---- */

void tpi_motion_engine_occupied(tpi_motion_engine *engine, uint16_t output, const char *why,
                                int64_t now_ns)
{
    tpi_motion_engine_set_now(engine, now_ns);
    if (output < engine->robot.outputs) {
        engine->outputs[output].occupied = why;
    }
}

/* Where a dof should be for a device that takes it over. */
static double expected_position(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    return axis->servo == TPI_MOTION_SERVO_POSITION ? tpi_motion_axis_point(e, axis).position
                                                    : axis->measured.position;
}

static tp_status check_positions(const tpi_motion_engine *e, const tpi_motion_output *output,
                                 const tpi_motion_dof_state *states, const double *tolerances,
                                 tp_error *err)
{
    for (uint16_t i = 0; i < output->count; i++) {
        const tpi_motion_axis *axis = &e->axes[output->axes[i]];
        const double expected = expected_position(e, axis);

        if (!(fabs(states[i].position - expected) <= tolerances[i])) {
            return tp_fail(err, TP_E_RANGE, "%s, dof %u: the device is at %g instead of %g",
                           e->robot.joints[axis->joint].name, (unsigned)axis->dof,
                           states[i].position, expected);
        }
    }
    return TP_OK;
}

tp_status tpi_motion_engine_rebind(tpi_motion_engine *engine, uint16_t output,
                                   const tpi_motion_dof_state *states, const double *tolerances,
                                   int64_t now_ns, int64_t *from_ns, tp_error *err)
{
    tpi_motion_engine_set_now(engine, now_ns);
    if (output >= engine->robot.outputs) {
        return tp_fail(err, TP_E_INVALID, "there is no output %u", (unsigned)output);
    }
    tpi_motion_output *own = &engine->outputs[output];
    const tp_status status = check_positions(engine, own, states, tolerances, err);
    if (status != TP_OK) {
        return status;
    }
    *from_ns = tpi_motion_track_present(engine);
    own->goes = false; /* a GOTO is issued again */
    for (uint16_t i = 0; i < own->count; i++) {
        tpi_motion_axis *axis = &engine->axes[own->axes[i]];

        axis->measured = states[i];
        if (axis->servo != 0 && !engine->panicked) {
            tpi_motion_output_mark(engine, axis, true);
        }
    }
    return TP_OK;
}
