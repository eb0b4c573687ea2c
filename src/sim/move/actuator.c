/*
 * actuator.c - the model `actuator`: a joint that slides along an axis or turns about one.
 *
 * How it differs from Stage 4.3, on purpose: it moves. What stands on it moves with it. A position
 * beyond the bounds is cut to them; start_position is, too.
 */
#include "sim/move/actuators.h"

#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/move/joint.h"

struct config {
    double axis[3];
    double low, high, start;
    double fastest; /* per second */
    bool linear;
};

struct state {
    struct sim_common common;
    double position, before; /* now, and before the last piece of a step */
    double from;             /* where the step began */
    double goal;
    double speed; /* greatest, or the one that it turns at */
    uint32_t turning;
    uint32_t stalled;
};

/* ---- Properties ------------------------------------------------------------------------------ */

static const char *const properties[] = {
    "type", "axis", "min_position", "max_position", "start_position", "max_speed", NULL};

static tp_status read_type(struct sim_reader *reader, tpi_cfg_section *section, struct config *c)
{
    static const char *const types[] = {"linear", "rotational", NULL};
    uint32_t type = 0;
    tp_status status = tpi_sim_read_choice(reader, section, "type", types, &type);

    c->linear = type == 0;
    return status;
}

static tp_status read_axis(struct sim_reader *reader, tpi_cfg_section *section, struct config *c)
{
    double axis[3] = {0, 0, 1}; /* Stage has x, but what turns usually turns about z */

    if (c->linear) {
        axis[0] = 1;
        axis[2] = 0;
    }
    tp_status status = tpi_sim_read_tuple(reader, section, "axis", "FFF", 3, axis);
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (status == TP_OK && !(length > 1e-9 && length < 1e9)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "axis")->place, reader->err,
                            "\"axis\" has no direction");
    }
    for (int i = 0; i < 3; i++) {
        c->axis[i] = axis[i] / length;
    }
    return status;
}

static tp_status check_numbers(struct sim_reader *reader, tpi_cfg_section *section,
                               struct config *c)
{
    const double most = TPI_SIM_FARTHEST;

    if (!(c->low <= c->high && c->low >= -most && c->high <= most)) {
        const tpi_cfg_field *field = tpi_cfg_find(section, "max_position");
        field = field == NULL ? tpi_cfg_find(section, "min_position") : field;
        return tpi_cfg_fail(&field->place, reader->err,
                            "the actuator's positions are from %.15g to %.15g", c->low, c->high);
    }
    if (!(c->fastest >= 0 && c->fastest <= most)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "max_speed")->place, reader->err,
                            "\"max_speed\" is not negative, and not %.15g", c->fastest);
    }
    if (c->start < c->low || c->start > c->high) {
        const tpi_cfg_field *field = tpi_cfg_find(section, "start_position");
        tpi_sim_note(reader, field == NULL ? &section->place : &field->place,
                     "the actuator begins at %.15g, which is not from %.15g to %.15g", c->start,
                     c->low, c->high);
    }
    c->start = fmin(fmax(c->start, c->low), c->high);
    return TP_OK;
}

static tp_status actuator_read(struct sim_reader *reader, tpi_cfg_section *section,
                               tpi_buf *settings)
{
    struct config c;

    memset(&c, 0, sizeof c);
    c.high = c.fastest = 1;
    tp_status status = read_type(reader, section, &c);
    if (status == TP_OK) {
        status = read_axis(reader, section, &c);
    }
    struct {
        const char *name;
        double *to;
    } const numbers[] = {{"min_position", &c.low},
                         {"max_position", &c.high},
                         {"start_position", &c.start},
                         {"max_speed", &c.fastest}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == TP_OK; i++) {
        status = tpi_sim_read_number(reader, section, numbers[i].name, 'F', numbers[i].to);
    }
    if (status == TP_OK) {
        status = check_numbers(reader, section, &c);
    }
    tpi_buf_put(settings, &c, sizeof c);
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void actuator_start(const struct sim_view *view)
{
    const struct config *c = view->config;
    struct state *state = (struct state *)view->state;

    state->position = state->before = state->from = state->goal = c->start;
    state->speed = c->fastest;
}

/* It stays where it is. */
static void actuator_stop(const struct sim_view *view)
{
    struct state *state = (struct state *)view->state;

    state->goal = state->from = state->position;
    state->turning = 0;
}

static bool actuator_check(const struct sim_common *common)
{
    const struct state *state = (const struct state *)common;

    return fabs(state->position) <= TPI_SIM_FARTHEST && fabs(state->before) <= TPI_SIM_FARTHEST &&
           fabs(state->from) <= TPI_SIM_FARTHEST && fabs(state->goal) <= TPI_SIM_FARTHEST &&
           fabs(state->speed) <= TPI_SIM_FARTHEST;
}

/* ---- The joint ------------------------------------------------------------------------------- */

static double actuator_stroke(const void *config, const struct sim_member *member)
{
    const struct config *c = config;

    (void)member;
    return c->linear ? hypot(c->axis[0], c->axis[1]) * fmax(fabs(c->low), fabs(c->high)) : 0;
}

static bool is_still(const struct state *state)
{
    return state->turning != 0 ? state->speed == 0 : state->goal == state->position;
}

/* Called once before the pieces of a step, so the step begins here. */
static double actuator_pace(const struct sim_view *view, double radius)
{
    const struct config *c = view->config;
    struct state *state = (struct state *)view->state;

    state->from = state->position;
    state->stalled = 0;
    return is_still(state) ? 0 : fabs(state->speed) * (c->linear ? 1 : 2 * radius);
}

static bool actuator_advance(const struct sim_view *view, double seconds)
{
    const struct config *c = view->config;
    struct state *state = (struct state *)view->state;
    const double most = fabs(state->speed) * seconds;
    double to = state->position + state->speed * seconds;

    state->before = state->position;
    if (state->turning == 0) {
        const double left = state->goal - state->position;
        to = fabs(left) <= most ? state->goal : state->position + (left > 0 ? most : -most);
    }
    state->position = fmin(fmax(to, c->low), c->high);
    return state->position != state->before;
}

static void actuator_stall(const struct sim_view *view)
{
    struct state *state = (struct state *)view->state;

    state->stalled |= state->position != state->before ? 1u : 0u;
    state->position = state->before;
}

static void actuator_place(const struct sim_view *view, struct sim_template *template)
{
    const struct config *c = view->config;
    const struct state *state = (const struct state *)view->state;
    const uint32_t index = view->device->member;
    const struct sim_frame rest = sim_frame_of(&template->base->members[index].local);
    tpi_sim_pose by = {0};

    if (c->linear) {
        by = (tpi_sim_pose){.x = c->axis[0] * state->position,
                            .y = c->axis[1] * state->position,
                            .z = c->axis[2] * state->position};
    } else {
        by.a = sim_normal(c->axis[2] * state->position);
    }
    const struct sim_frame moved = sim_frame_of(&by);
    const struct sim_frame local = sim_frame_join(&rest, &moved);
    template->members[index].local = sim_pose_of(&local);
}

static const struct sim_joint joint = {
    .stroke = actuator_stroke,
    .pace = actuator_pace,
    .advance = actuator_advance,
    .stall = actuator_stall,
    .place = actuator_place,
};

const tpi_sim_type tpi_sim_type_actuator = {
    .kind = TPI_SIM_ACTUATOR,
    .name = "actuator",
    .size = {0.4, 0.4, 1.0},
    .colour = 0xff0000ff,
    .properties = properties,
    .state_size = sizeof(struct state),
    .moves = true,
    .read = actuator_read,
    .start = actuator_start,
    .stop = actuator_stop,
    .check = actuator_check,
    .joint = &joint,
};

/* ---- From outside ---------------------------------------------------------------------------- */

static struct state *state_of(const tpi_sim *sim, tpi_sim_model model, const struct config **c,
                              tp_error *err)
{
    struct sim_view view;

    if (tpi_sim_find_device(sim, model, &tpi_sim_type_actuator, &view, err) != TP_OK) {
        return NULL;
    }
    *c = view.config;
    return (struct state *)view.state;
}

tp_status tpi_sim_get_actuator(const tpi_sim *sim, tpi_sim_model model, tpi_sim_actuator *actuator,
                               tp_error *err)
{
    const struct config *c;
    const struct state *state = state_of(sim, model, &c, err);

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    *actuator = (tpi_sim_actuator){
        .linear = c->linear,
        .axis = {c->axis[0], c->axis[1], c->axis[2]},
        .low = c->low,
        .high = c->high,
        .fastest = c->fastest,
        .start = c->start,
        .position = state->position,
        .velocity = (state->position - state->from) / ((double)sim->interval_us * 1e-6),
        .goal = state->goal,
        .turning = state->turning != 0,
        .stalled = state->stalled != 0,
    };
    return TP_OK;
}

tp_status tpi_sim_actuator_go(tpi_sim *sim, tpi_sim_model model, double position, double speed,
                              tp_error *err)
{
    const struct config *c;
    struct state *state = state_of(sim, model, &c, err);

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    if (!(fabs(position) <= TPI_SIM_FARTHEST) || !(fabs(speed) <= TPI_SIM_FARTHEST)) {
        return tp_fail(err, TP_E_RANGE, "an actuator cannot go to %g with a speed of %g", position,
                       speed);
    }
    state->goal = fmin(fmax(position, c->low), c->high);
    state->speed = speed == 0 ? c->fastest : fmin(fabs(speed), c->fastest);
    state->turning = 0;
    return TP_OK;
}

tp_status tpi_sim_actuator_turn(tpi_sim *sim, tpi_sim_model model, double speed, tp_error *err)
{
    const struct config *c;
    struct state *state = state_of(sim, model, &c, err);

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    if (!(fabs(speed) <= TPI_SIM_FARTHEST)) {
        return tp_fail(err, TP_E_RANGE, "an actuator cannot move at %g", speed);
    }
    state->speed = fmin(fmax(speed, -c->fastest), c->fastest);
    state->turning = 1;
    return TP_OK;
}
