/* drive.c - commands to driven models, and what they report. */
#include <math.h>

#include "sim/maths.h"
#include "sim/move/climb.h"
#include "sim/move/position.h"

/* The state of a driven model; NULL for any other. */
static struct sim_position_state *state_of(const tpi_sim *sim, tpi_sim_model model,
                                           const struct sim_position **config)
{
    const uint32_t tree = sim->tree_of[model];
    const uint32_t device = tpi_sim_device_of(sim, model);
    const struct sim_template *template = sim->trees.template[tree];

    if (device == TPI_SIM_NONE || !sim_is_driven(template->devices[device].type->kind)) {
        return NULL;
    }
    *config = template->devices[device].config;
    return tpi_sim_state(sim, tree, device);
}

static tp_status no_driver(tp_error *err)
{
    return tp_fail(err, TP_E_UNSUPPORTED, "the model cannot be driven");
}

/* A command within limits; it takes the place of what the file says. */
static tp_status set_goal(tpi_sim *sim, tpi_sim_model model, tpi_sim_drive_mode mode,
                          const double goal[3], tp_error *err)
{
    const struct sim_position *config;
    struct sim_position_state *state = state_of(sim, model, &config);

    if (state == NULL) {
        return no_driver(err);
    }
    if (config->drive == SIM_CAR && mode != TPI_SIM_DRIVE_VELOCITY) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a car takes speeds and steering angles only");
    }
    for (int i = 0; i < 3; i++) {
        if (!(fabs(goal[i]) <= TPI_SIM_FARTHEST)) {
            return tp_fail(err, TP_E_RANGE, "a command of %g is %s", goal[i],
                           isnan(goal[i]) ? "no number" : "too large");
        }
    }
    state->mode = mode;
    state->own = 0;
    state->mps = state->radps = 0;
    for (int i = 0; i < 3; i++) {
        state->goal[i] = goal[i];
    }
    return TP_OK;
}

tp_status tpi_sim_drive(tpi_sim *sim, tpi_sim_model model, tpi_sim_drive_mode mode,
                        const double goal[3], tp_error *err)
{
    tp_status status = set_goal(sim, model, mode, goal, err);

    if (status == TP_OK) {
        tpi_sim_lead(sim, model, true);
    }
    return status;
}

tp_status tpi_sim_drive_at(tpi_sim *sim, tpi_sim_model model, double mps, double radps,
                           tp_error *err)
{
    const struct sim_position *config;
    struct sim_position_state *state = state_of(sim, model, &config);

    if (state == NULL) {
        return no_driver(err);
    }
    if (!(mps >= 0 && radps >= 0)) {
        return tp_fail(err, TP_E_RANGE, "%g m/s and %g rad/s are no speeds for a way", mps, radps);
    }
    state->mps = (float)fmin(mps, TPI_SIM_FARTHEST);
    state->radps = (float)fmin(radps, TPI_SIM_FARTHEST);
    return TP_OK;
}

tp_status tpi_sim_steer(tpi_sim *sim, tpi_sim_model model, const double goal[3], tp_error *err)
{
    const bool led = (sim->trees.flags[sim->tree_of[model]] & SIM_LED) != 0;

    return led || sim->resting ? TP_OK : set_goal(sim, model, TPI_SIM_DRIVE_VELOCITY, goal, err);
}

void tpi_sim_stop(tpi_sim *sim, tpi_sim_model model)
{
    static const double still[3] = {0, 0, 0};

    (void)set_goal(sim, model, TPI_SIM_DRIVE_VELOCITY, still, NULL);
    tpi_sim_hover(sim, model);
}

bool tpi_sim_is_braking(const tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];
    const uint32_t device = tpi_sim_device_of(sim, model);

    if (device == TPI_SIM_NONE || device != sim->trees.template[tree] -> driver) {
        return false;
    }
    return tpi_sim_drive_brakes(sim, tree) || tpi_sim_climb_brakes(sim, tree);
}

/* A tree without a controller is not marked: the mark only stops its controller. */
void tpi_sim_lead(tpi_sim *sim, tpi_sim_model model, bool led)
{
    const uint32_t tree = sim->tree_of[model];

    if (led && tpi_sim_is_controlled(sim, model)) {
        sim->trees.flags[tree] |= SIM_LED;
    } else {
        sim->trees.flags[tree] &= (uint8_t)~SIM_LED;
    }
}

void tpi_sim_rest(tpi_sim *sim, bool resting)
{
    sim->resting = resting;
}

tp_status tpi_sim_get_motion(const tpi_sim *sim, tpi_sim_model model, tpi_sim_motion *motion,
                             tp_error *err)
{
    const struct sim_position *config;
    const struct sim_position_state *state = state_of(sim, model, &config);

    if (state == NULL) {
        return no_driver(err);
    }
    for (int i = 0; i < 3; i++) {
        motion->estimate[i] = state->estimate[i];
        motion->velocity[i] = state->velocity[i];
    }
    motion->stalled = state->stalled != 0;
    return TP_OK;
}

/* One that knows where it is counts from another place, so that this pose is where it is now. */
static tp_status set_origin(const tpi_sim *sim, tpi_sim_model model,
                            struct sim_position_state *state, const double pose[3], tp_error *err)
{
    const tpi_sim_pose at = tpi_sim_global_pose(sim, model);
    const double turn = sim_normal(at.a - pose[2]);
    double s;
    double c;

    sim_sincos(turn, &s, &c);
    const double x = at.x - c * pose[0] + s * pose[1];
    const double y = at.y - s * pose[0] - c * pose[1];
    if (!(fabs(x) <= TPI_SIM_FARTHEST && fabs(y) <= TPI_SIM_FARTHEST)) {
        return tp_fail(err, TP_E_RANGE, "the pose is too far away from where the robot is");
    }
    state->origin[0] = x;
    state->origin[1] = y;
    state->origin[2] = turn;
    state->estimate[0] = pose[0];
    state->estimate[1] = pose[1];
    state->estimate[2] = sim_normal(pose[2]);
    return TP_OK;
}

tp_status tpi_sim_set_odometry(tpi_sim *sim, tpi_sim_model model, const double pose[3],
                               tp_error *err)
{
    const struct sim_position *config;
    struct sim_position_state *state = state_of(sim, model, &config);

    if (state == NULL) {
        return no_driver(err);
    }
    for (int i = 0; i < 3; i++) {
        if (!(fabs(pose[i]) <= TPI_SIM_FARTHEST)) {
            return tp_fail(err, TP_E_RANGE, "a pose of %g is too far away", pose[i]);
        }
    }
    if (!config->odometry) {
        return set_origin(sim, model, state, pose, err);
    }
    state->estimate[0] = pose[0];
    state->estimate[1] = pose[1];
    state->estimate[2] = sim_normal(pose[2]);
    return TP_OK;
}
