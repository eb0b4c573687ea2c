/*
 * aircraft.c - see aircraft.h.
 *
 * In the plane it is a `position`: its configuration and state begin with those of one. Heights are
 * changed before all other motion of a step, one aircraft after the other, each against where the
 * others were, so their order does not matter.
 */
#include "sim/move/aircraft.h"

#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/move/climb.h"
#include "sim/move/level.h"
#include "sim/move/position.h"
#include "sim/move/resolve.h"

struct config {
    struct sim_position plane;
    double slowest, fastest; /* up; the first is negative */
    double brake, push;      /* change of that: least (negative) and greatest */
    double low, high;        /* heights */
    double sink;             /* m/s without power */
};

struct state {
    struct sim_position_state plane;
    double goal;     /* a velocity, or a height as it is reported */
    double speed;    /* greatest, on the way to a height */
    double velocity; /* up, in the last step */
    double zero;     /* the height that is reported as 0 */
    uint8_t rising;  /* the goal is a height */
    uint8_t blocked; /* by something above or below */
    uint8_t off;
    uint8_t spare[5];
};

/* ---- Properties ------------------------------------------------------------------------------ */

static const char *const properties[] = {
    "drive",
    "velocity",
    "velocity_bounds",
    "acceleration_bounds",
    "collision",
    "localization",
    "localization_origin",
    "odom_error",
    "sink_speed",
    "altitude_bounds",
    NULL,
};

/* The vertical ones of xmin xmax ymin ymax zmin zmax amin amax; the rest has been checked. */
static tp_status read_vertical(struct sim_reader *reader, tpi_cfg_section *section,
                               const char *name, double *low, double *high)
{
    double b[8] = {-1, 1, -1, 1, *low, *high, -1, 1};
    tp_status status = tpi_sim_read_tuple(reader, section, name, "LLLLLLAA", 8, b);

    if (status == TP_OK && !(b[4] <= 0 && b[5] >= 0 && b[4] >= -1e5 && b[5] <= 1e5)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" of an aircraft has 0 between zmin and zmax, not %.15g and "
                            "%.15g",
                            name, b[4], b[5]);
    }
    *low = b[4];
    *high = b[5];
    return status;
}

static tp_status read_altitude(struct sim_reader *reader, tpi_cfg_section *section,
                               struct config *c)
{
    double bounds[2] = {0, 1000};
    tp_status status = tpi_sim_read_tuple(reader, section, "altitude_bounds", "LL", 2, bounds);

    if (status == TP_OK && !(bounds[0] <= bounds[1] && bounds[0] >= -TPI_SIM_FARTHEST &&
                             bounds[1] <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "altitude_bounds")->place, reader->err,
                            "\"altitude_bounds\" are from %.15g to %.15g", bounds[0], bounds[1]);
    }
    c->low = bounds[0];
    c->high = bounds[1];
    return status;
}

static tp_status read_drive(struct sim_reader *reader, tpi_cfg_section *section, struct config *c)
{
    if (tpi_cfg_find(section, "drive") == NULL) {
        c->plane.drive = SIM_OMNI;
    } else if (c->plane.drive == SIM_CAR) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "drive")->place, reader->err,
                            "an aircraft is no car: its drive is \"omni\" or \"diff\"");
    }
    return TP_OK;
}

static tp_status aircraft_read(struct sim_reader *reader, tpi_cfg_section *section,
                               tpi_buf *settings)
{
    tpi_buf plane = {0};
    struct config c;

    memset(&c, 0, sizeof c);
    c.slowest = c.brake = -1;
    c.fastest = c.push = 1;
    c.sink = 0.5;
    tp_status status = tpi_sim_type_position.read(reader, section, &plane);
    if (plane.length == sizeof c.plane) {
        memcpy(&c.plane, plane.data, sizeof c.plane);
    }
    settings->failed |= plane.failed;
    tpi_buf_fini(&plane);
    status = status == TP_OK ? read_drive(reader, section, &c) : status;
    if (status == TP_OK) {
        status = read_vertical(reader, section, "velocity_bounds", &c.slowest, &c.fastest);
    }
    if (status == TP_OK) {
        status = read_vertical(reader, section, "acceleration_bounds", &c.brake, &c.push);
    }
    status = status == TP_OK ? read_altitude(reader, section, &c) : status;
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "sink_speed", 'L', 0, 1e5, &c.sink);
    }
    tpi_buf_put(settings, &c, sizeof c);
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void hover(struct state *state)
{
    state->goal = 0;
    state->rising = 0;
}

static void aircraft_start(const struct sim_view *view)
{
    const struct config *c = view->config;
    struct state *state = (struct state *)view->state;

    tpi_sim_type_position.start(view);
    state->zero = c->plane.odometry ? view->frame.z : 0;
}

static void aircraft_stop(const struct sim_view *view)
{
    tpi_sim_type_position.stop(view);
    hover((struct state *)view->state);
}

static bool aircraft_check(const struct sim_common *common)
{
    const struct state *state = (const struct state *)common;

    return tpi_sim_type_position.check(common) && fabs(state->goal) <= TPI_SIM_FARTHEST &&
           fabs(state->speed) <= TPI_SIM_FARTHEST && fabs(state->velocity) <= 1e15 &&
           fabs(state->zero) <= 3 * TPI_SIM_FARTHEST && state->rising <= 1 && state->blocked <= 1 &&
           state->off <= 1;
}

const tpi_sim_type tpi_sim_type_aircraft = {
    .kind = TPI_SIM_AIRCRAFT,
    .name = "aircraft",
    .size = {0.6, 0.6, 0.3},
    .colour = 0xff8000ff,
    .base = &tpi_sim_type_position,
    .properties = properties,
    .state_size = sizeof(struct state),
    .moves = true,
    .read = aircraft_read,
    .start = aircraft_start,
    .stop = aircraft_stop,
    .check = aircraft_check,
};

/* ---- Climbing -------------------------------------------------------------------------------- */

static double limit(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The vertical velocity of the next step. */
static double next_velocity(const struct config *c, const struct state *state, double z, double dt)
{
    const bool heard = state->plane.common.subscribers > 0;
    double v = heard ? state->goal : 0;

    if (state->off != 0) {
        return -c->sink; /* it falls, whatever its limits are */
    }
    if (heard && state->rising != 0) {
        const double left = state->goal + state->zero - z;
        const double braking = c->plane.limited ? fmin(c->push, -c->brake) : HUGE_VAL;
        const double most = fmin(state->speed, sqrt(braking * fabs(left)));
        v = limit(left / dt, -most, most);
    }
    v = limit(v, c->slowest, c->fastest);
    return c->plane.limited
               ? limit(v, state->velocity + c->brake * dt, state->velocity + c->push * dt)
               : v;
}

/* Returns where it will be. */
static double climb(const tpi_sim *sim, uint32_t tree, struct state *state)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct config *c = template->devices[template->driver].config;
    const double dt = (double)sim->interval_us * 1e-6;
    const double z = sim->trees.z[tree];
    const double v = next_velocity(c, state, z, dt);
    const double to = limit(z + v * dt, fmin(c->low, z), fmax(c->high, z));
    const double free = tpi_sim_level_free(sim, tree, to - z);

    state->blocked = free != to - z;
    state->velocity = free / dt;
    return z + free;
}

static struct state *state_at(const tpi_sim *sim, uint32_t tree)
{
    return tpi_sim_state(sim, tree, sim->trees.template[tree] -> driver);
}

/* What is carried goes where it is carried. */
static bool is_free(const tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];

    return sim->trees.model[tree] == model && sim->trees.group[tree] == tree;
}

void tpi_sim_climb(tpi_sim *sim)
{
    const struct sim_beacons *flyers = &sim->beacons[SIM_FLYERS];
    bool moved = false;

    for (uint32_t i = 0; i < flyers->count; i++) {
        const uint32_t tree = sim->tree_of[flyers->models[i]];
        if (is_free(sim,
                    flyers->models[i])) { /* the crowd has the old heights until it is sorted */
            const double z = climb(sim, tree, state_at(sim, tree));
            moved |= z != sim->trees.z[tree];
            sim->trees.z[tree] = z;
        }
    }
    if (!moved) {
        return;
    }
    tpi_sim_crowd_sort(sim);
    for (uint32_t i = 0; i < flyers->count; i++) {
        if (is_free(sim, flyers->models[i])) {
            tpi_sim_check_overlap(sim, sim->tree_of[flyers->models[i]]);
        }
    }
}

void tpi_sim_hover(tpi_sim *sim, tpi_sim_model model)
{
    struct sim_view view;

    if (tpi_sim_find_device(sim, model, &tpi_sim_type_aircraft, &view, NULL) == TP_OK) {
        hover((struct state *)view.state);
    }
}

bool tpi_sim_climb_brakes(const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct state *state = state_at(sim, tree);
    const double dt = (double)sim->interval_us * 1e-6;

    return template->devices[template->driver].type == &tpi_sim_type_aircraft &&
           state->rising == 0 && state->goal == 0 && state->off == 0 &&
           next_velocity(template->devices[template->driver].config, state, sim->trees.z[tree],
                         dt) != 0;
}

/* ---- From outside ---------------------------------------------------------------------------- */

static struct state *state_of(const tpi_sim *sim, tpi_sim_model model, const struct config **c,
                              tp_error *err)
{
    struct sim_view view;

    if (tpi_sim_find_device(sim, model, &tpi_sim_type_aircraft, &view, err) != TP_OK) {
        return NULL;
    }
    *c = view.config;
    return (struct state *)view.state;
}

static double height_of(const tpi_sim *sim, tpi_sim_model model)
{
    return sim->trees.z[sim->tree_of[model]];
}

tp_status tpi_sim_get_flight(const tpi_sim *sim, tpi_sim_model model, tpi_sim_flight *flight,
                             tp_error *err)
{
    const struct config *c;
    const struct state *state = state_of(sim, model, &c, err);

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    const struct sim_position_state *p = &state->plane;
    *flight = (tpi_sim_flight){
        .estimate = {p->estimate[0], p->estimate[1], height_of(sim, model) - state->zero,
                     p->estimate[2]},
        .velocity = {p->velocity[0], p->velocity[1], state->velocity, p->velocity[2]},
        .stalled = p->stalled != 0 || state->blocked != 0,
        .powered = state->off == 0,
    };
    return TP_OK;
}

tp_status tpi_sim_fly(tpi_sim *sim, tpi_sim_model model, tpi_sim_drive_mode mode,
                      const double goal[4], double climb_speed, tp_error *err)
{
    const struct config *c;
    struct state *state = state_of(sim, model, &c, err);
    const double plane[3] = {goal[0], goal[1], goal[3]};

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    if (!(fabs(goal[2]) <= TPI_SIM_FARTHEST) || !(climb_speed >= 0)) {
        return tp_fail(err, TP_E_RANGE, "a height or climb of %g is too large", goal[2]);
    }
    tp_status status = tpi_sim_drive(sim, model, mode, plane, err);
    if (status == TP_OK) {
        state->goal = goal[2];
        state->rising = mode == TPI_SIM_DRIVE_POSITION;
        state->speed = climb_speed > 0 ? fmin(climb_speed, TPI_SIM_FARTHEST) : TPI_SIM_FARTHEST;
    }
    return status;
}

tp_status tpi_sim_set_flight_power(tpi_sim *sim, tpi_sim_model model, bool powered, tp_error *err)
{
    const struct config *c;
    struct state *state = state_of(sim, model, &c, err);

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    state->off = powered ? 0 : 1;
    tpi_sim_stop(sim, model);
    return TP_OK;
}

tp_status tpi_sim_set_flight_pose(tpi_sim *sim, tpi_sim_model model, const double pose[4],
                                  tp_error *err)
{
    const struct config *c;
    struct state *state = state_of(sim, model, &c, err);
    const double plane[3] = {pose[0], pose[1], pose[3]};

    if (state == NULL) {
        return TP_E_UNSUPPORTED;
    }
    if (!(fabs(pose[2]) <= TPI_SIM_FARTHEST)) {
        return tp_fail(err, TP_E_RANGE, "a height of %g is too far away", pose[2]);
    }
    tp_status status = tpi_sim_set_odometry(sim, model, plane, err);
    if (status == TP_OK) {
        const double zero = height_of(sim, model) - pose[2];
        state->goal -= state->rising != 0 ? zero - state->zero : 0; /* the same place as before */
        state->zero = zero;
    }
    return status;
}
