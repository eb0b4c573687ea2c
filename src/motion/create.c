/* create.c - an engine for a robot: its axes, outputs and buffers. */
#include <math.h>
#include <stdlib.h>

#include "kinematics/mechanism.h"
#include "motion/inside.h"

enum { LONGEST_RECORD = 65535 + TPI_MOTION_RECORD, MOST_TARGETS = 65536 / 12 + 1 };

static tpi_motion_settings with_defaults(const tpi_motion_settings *given)
{
    tpi_motion_settings s = given != NULL ? *given : (tpi_motion_settings){0};

    s.clients = s.clients != 0 ? s.clients : 64;
    s.frames = s.frames != 0 ? s.frames : 4096;
    s.bytes = s.bytes != 0 ? s.bytes : 1 << 20;
    s.answer_bytes = s.answer_bytes != 0 ? s.answer_bytes : 1 << 19;
    s.horizon_ns = s.horizon_ns != 0 ? s.horizon_ns : 3600 * (int64_t)1000000000;
    s.lease_ns = s.lease_ns != 0 ? s.lease_ns : 5 * (int64_t)1000000000;
    s.longest_lease_ns = s.longest_lease_ns != 0 ? s.longest_lease_ns : 30 * (int64_t)1000000000;
    return s;
}

/* Of no elements there is still some memory: calloc(0) may be NULL. */
static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

/* ---- Axes ---- */

static tp_status check_axis(const tpi_motion_engine *e, const tpi_motion_axis *axis, tp_error *err)
{
    const char *joint = e->robot.joints[axis->joint].name;

    if (axis->place.output == TPI_MOTION_NOWHERE) {
        return TP_OK;
    }
    if (axis->place.output >= e->robot.outputs) {
        return tp_fail(err, TP_E_INVALID, "%s: there is no output %u", joint,
                       (unsigned)axis->place.output);
    }
    if (!(axis->limits.acceleration > 0 && isfinite(axis->limits.acceleration)) ||
        !(axis->limits.velocity > 0) || !(axis->limits.lower <= axis->limits.upper)) {
        return tp_fail(err, TP_E_INVALID, "%s: it needs limits, also of the acceleration", joint);
    }
    return TP_OK;
}

/* Whether the limits that the file has for a follower count: those of passive joints can exclude
 * those of their master. */
static bool counts(const tpi_motion_axis *master, const tpi_motion_axis *follower, tpi_dof dof)
{
    double way[2];

    dof.lower = follower->first.lower;
    dof.upper = follower->first.upper;
    return tpi_dof_way(&dof, master->first.lower, master->first.upper, way);
}

/* Bound an axis by the limits of one that follows it. */
static void bound_by_follower(tpi_motion_axis *axis, const tpi_motion_axis *other,
                              const tpi_dof *follower)
{
    const double factor = follower->multiplier;
    double way[2];

    (void)tpi_dof_way(follower, axis->limits.lower, axis->limits.upper, way);
    if (counts(axis, other, *follower)) {
        axis->limits.lower = way[0];
        axis->limits.upper = way[1];
    }
    axis->limits.velocity = fmin(axis->limits.velocity, follower->velocity / fabs(factor));
    axis->limits.acceleration =
        fmin(axis->limits.acceleration, follower->acceleration / fabs(factor));
}

void tpi_motion_axis_limit_all(tpi_motion_engine *e)
{
    tpi_mechanism *m = e->robot.mechanism;

    for (uint16_t i = 0; i < e->axis_count; i++) {
        tpi_motion_axis *axis = &e->axes[i];
        const tpi_motion_dof *of = axis->of;

        axis->limits = (tpi_motion_limits){of->lower, of->upper, of->velocity, of->acceleration};
        if (axis->joint == 0) { /* positions of the base are not commanded */
            axis->limits.lower = -INFINITY;
            axis->limits.upper = INFINITY;
        }
        if (m != NULL) {
            m->dofs[i].lower = of->lower;
            m->dofs[i].upper = of->upper;
            m->dofs[i].velocity = of->velocity;
            m->dofs[i].acceleration = of->acceleration;
        }
    }
    for (uint16_t i = 0; m != NULL && i < e->axis_count; i++) {
        if (m->dofs[i].master >= 0 && m->dofs[i].multiplier != 0) {
            bound_by_follower(&e->axes[m->dofs[i].master], &e->axes[i], &m->dofs[i]);
        }
    }
}

static tp_status check_axes(const tpi_motion_engine *e, tp_error *err)
{
    tp_status status = TP_OK;

    for (uint16_t i = 0; i < e->axis_count && status == TP_OK; i++) {
        status = check_axis(e, &e->axes[i], err);
    }
    return status;
}

static tp_status make_axes(tpi_motion_engine *e, tp_error *err)
{
    for (uint16_t j = 0; j < e->robot.joint_count; j++) {
        const tpi_motion_joint *joint = &e->robot.joints[j];

        for (uint16_t d = 0; d < joint->dof_count; d++) {
            const uint16_t index = (uint16_t)(joint->first_dof + d);
            const tpi_motion_dof *dof = &joint->dofs[d];

            if (index >= e->axis_count) {
                return tp_fail(err, TP_E_INVALID, "%s: its dofs are not in order", joint->name);
            }
            e->axes[index] = (tpi_motion_axis){
                .joint = j,
                .dof = d,
                .index = index,
                .of = dof,
                .first = *dof,
                .place = e->robot.places[index],
                .stepped_ns = {INT64_MIN / 2, INT64_MIN / 2},
            };
        }
    }
    tpi_motion_axis_limit_all(e);
    return check_axes(e, err);
}

/* ---- Outputs ---- */

static tp_status make_outputs(tpi_motion_engine *e, tp_error *err)
{
    for (uint16_t i = 0; i < e->axis_count; i++) {
        const tpi_motion_place place = e->axes[i].place;

        if (place.output != TPI_MOTION_NOWHERE) {
            e->outputs[place.output].count++;
        }
    }
    for (uint16_t i = 0; i < e->robot.outputs; i++) {
        e->outputs[i].axes = calloc(at_least_one(e->outputs[i].count), sizeof *e->outputs[i].axes);
        if (e->outputs[i].axes == NULL) {
            return tp_fail(err, TP_E_NOMEM, "no memory");
        }
    }
    for (uint16_t i = 0; i < e->axis_count; i++) {
        const tpi_motion_place place = e->axes[i].place;

        if (place.output == TPI_MOTION_NOWHERE) {
            continue;
        }
        if (place.slot >= e->outputs[place.output].count) {
            return tp_fail(err, TP_E_INVALID, "output %u has no slot %u", (unsigned)place.output,
                           (unsigned)place.slot);
        }
        e->outputs[place.output].axes[place.slot] = i;
    }
    return TP_OK;
}

/* ---- Buffers ---- */

static bool take_room(tpi_motion_engine *e)
{
    const size_t axes = at_least_one(e->axis_count);
    tpi_motion_room *room = &e->room;

    room->drives = calloc(MOST_TARGETS, sizeof *room->drives);
    room->targets = calloc(axes, sizeof *room->targets);
    room->payload = malloc(TPI_MOTION_PAYLOAD);
    room->accepted = malloc(TPI_MOTION_PAYLOAD);
    room->record = malloc(LONGEST_RECORD);
    room->times = calloc(e->settings.frames, sizeof *room->times);
    room->servos = calloc(axes, sizeof *room->servos);
    room->values = calloc(axes, sizeof *room->values);
    room->speeds = calloc(axes, sizeof *room->speeds);
    room->states = calloc(axes, sizeof *room->states);
    room->holders = calloc(axes, sizeof *room->holders);
    room->written = calloc(2 * axes, sizeof *room->written);
    room->joints = calloc(axes, sizeof *room->joints);
    room->chain = calloc(1, sizeof *room->chain);
    return room->drives != NULL && room->targets != NULL && room->payload != NULL &&
           room->accepted != NULL && room->record != NULL && room->times != NULL &&
           room->servos != NULL && room->values != NULL && room->speeds != NULL &&
           room->states != NULL && room->holders != NULL && room->written != NULL &&
           room->joints != NULL && room->chain != NULL;
}

static void free_room(tpi_motion_room *room)
{
    free(room->drives);
    free(room->targets);
    free(room->payload);
    free(room->accepted);
    free(room->record);
    free(room->times);
    free(room->servos);
    free(room->values);
    free(room->speeds);
    free(room->states);
    free(room->holders);
    free(room->written);
    free(room->joints);
    free(room->chain);
}

/* ---- Life ---- */

void tpi_motion_client_free(tpi_motion_client *client)
{
    tpi_motion_store_fini(&client->store);
    tpi_motion_answers_fini(&client->answers);
    free(client->playing);
    free(client->held);
    free(client->pending.at);
    free(client);
}

static tp_status make(tpi_motion_engine *e, tp_error *err)
{
    e->axes = calloc(at_least_one(e->axis_count), sizeof *e->axes);
    e->outputs = calloc(at_least_one(e->robot.outputs), sizeof *e->outputs);
    e->clients = calloc(e->settings.clients, sizeof *e->clients);
    e->briefs = calloc(e->settings.clients, sizeof *e->briefs);
    if (e->robot.mechanism != NULL && e->robot.frame_count > 0) {
        e->tool_count = TPI_MOTION_TOOLS + 1;
    }
    e->tools = calloc(at_least_one(e->tool_count), sizeof *e->tools);
    if (e->axes == NULL || e->outputs == NULL || e->clients == NULL || e->briefs == NULL ||
        e->tools == NULL || !take_room(e)) {
        return tp_fail(err, TP_E_NOMEM, "no memory");
    }
    e->rate = e->left_rate = 1;
    e->own.state = TPI_MOTION_TRACK_PLAYS;
    tpi_motion_line_start(&e->own.line, 0, 0, 1);
    const tp_status status = make_axes(e, err);
    if (status != TP_OK) {
        return status;
    }
    tpi_motion_track_plan(e, &e->own);
    return make_outputs(e, err);
}

/* Whether the mechanism, if there is one, has the dofs and links that the records name. */
static bool has_its_mechanism(const tpi_motion_engine *e)
{
    const tpi_mechanism *m = e->robot.mechanism;
    bool fits = m == NULL || m->dof_count == e->axis_count;

    for (uint16_t i = 0; m != NULL && i < e->robot.frame_count; i++) {
        fits = fits && e->robot.frames[i].link < m->link_count;
    }
    return fits;
}

tp_status tpi_motion_engine_create(tpi_motion_engine **out, const tpi_motion_robot *robot,
                                   const tpi_motion_settings *settings, tpi_motion_emit *emit,
                                   void *user, tp_error *err)
{
    if (robot->joint_count == 0 || robot->period_ns <= 0) {
        return tp_fail(err, TP_E_INVALID, "a robot has joint 0 and a period");
    }
    tpi_motion_engine *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory");
    }
    e->robot = *robot;
    e->settings = with_defaults(settings);
    e->emit = emit;
    e->user = user;
    e->base_axes = robot->joints[0].dof_count;
    for (uint16_t i = 0; i < robot->joint_count; i++) {
        e->axis_count = (uint16_t)(e->axis_count + robot->joints[i].dof_count);
    }
    const tp_status status = has_its_mechanism(e)
                                 ? make(e, err)
                                 : tp_fail(err, TP_E_INVALID, "the mechanism is another one");
    if (status != TP_OK) {
        tpi_motion_engine_destroy(e);
        return status;
    }
    *out = e;
    return TP_OK;
}

void tpi_motion_engine_destroy(tpi_motion_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    for (uint32_t i = 0; engine->clients != NULL && i < engine->settings.clients; i++) {
        if (engine->clients[i] != NULL) {
            tpi_motion_client_free(engine->clients[i]);
        }
    }
    for (uint16_t i = 0; engine->outputs != NULL && i < engine->robot.outputs; i++) {
        free(engine->outputs[i].axes);
    }
    free(engine->axes);
    free(engine->outputs);
    free(engine->clients);
    free(engine->briefs);
    free(engine->tools);
    free_room(&engine->room);
    free(engine);
}
