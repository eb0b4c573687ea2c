/* limb.c - see limb.h. */
#include "sim/move/limb.h"

#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/move/actuators.h"
#include "sim/move/chain.h"
#include "sim/move/reach.h"

struct config {
    double speed;
};

struct state {
    struct sim_common common;
    uint8_t what;     /* tpi_sim_limb_state */
    uint8_t straight; /* on its way along a line, step by step */
    uint8_t has_heading;
    uint8_t spare[5];
    double speed;
    double goal[3];
    double heading;
};

static const char *const properties[] = {"max_speed", NULL};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status effector_read(struct sim_reader *reader, tpi_cfg_section *section,
                               tpi_buf *settings)
{
    struct config c = {.speed = 0.25};
    tp_status status = tpi_sim_read_within(reader, section, "max_speed", 'L', 1e-6, 1e5, &c.speed);

    tpi_buf_put(settings, &c, sizeof c);
    return status;
}

static void effector_start(const struct sim_view *view)
{
    ((struct state *)view->state)->speed = ((const struct config *)view->config)->speed;
}

static bool effector_check(const struct sim_common *common)
{
    const struct state *state = (const struct state *)common;
    bool good = state->what <= TPI_SIM_LIMB_BLOCKED && state->straight <= 1 &&
                state->has_heading <= 1 && state->speed > 0 && state->speed <= TPI_SIM_FARTHEST &&
                fabs(state->heading) <= TPI_SIM_FARTHEST;

    for (int i = 0; i < 3; i++) {
        good = good && fabs(state->goal[i]) <= 3 * TPI_SIM_FARTHEST;
    }
    return good;
}

const tpi_sim_type tpi_sim_type_effector = {
    .kind = TPI_SIM_EFFECTOR,
    .name = "effector",
    .size = {0.05, 0.05, 0.05},
    .colour = 0xc0c0c0ff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct state),
    .read = effector_read,
    .start = effector_start,
    .check = effector_check,
};

/* ---- The chain ------------------------------------------------------------------------------- */

/* A limb as its world has it. */
struct arm {
    struct sim_chain chain;
    tpi_sim_model joints[SIM_MOST_CHAIN];
    double now[SIM_MOST_CHAIN];     /* positions */
    double fastest[SIM_MOST_CHAIN]; /* speeds */
    double start[SIM_MOST_CHAIN];
    bool stalled, moving;
    struct state *state; /* borrowed */
};

/* Where a member stands on its parent when all joints are at 0. */
static struct sim_frame rest_of(const struct sim_template *template, uint32_t index)
{
    const struct sim_template *base = template->base != NULL ? template->base : template;
    const struct sim_member *member = &base->members[index];
    struct sim_frame frame = sim_frame_of(&member->local);

    if (member->parent != TPI_SIM_NONE) {
        const struct sim_traits *traits = &base->members[member->parent].traits;
        frame.z += traits->stack_children ? traits->size[2] : 0;
    }
    return frame;
}

/* The actuators below the effector, from the base outwards; at most as many as a chain has. */
static uint32_t list_joints(const struct sim_template *template, uint32_t index,
                            uint32_t joints[SIM_MOST_CHAIN])
{
    uint32_t found[SIM_MOST_CHAIN];
    uint32_t count = 0;

    for (; index != TPI_SIM_NONE && count < SIM_MOST_CHAIN;
         index = template->members[index].parent) {
        if (template->members[index].type->kind == TPI_SIM_ACTUATOR) {
            found[count++] = index;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = found[count - 1 - i];
    }
    return count;
}

/* A member in the frame of one that it stands on, or of the tree (TPI_SIM_NONE). */
static struct sim_frame frame_from(const struct sim_template *template, uint32_t index,
                                   uint32_t from)
{
    struct sim_frame frame = rest_of(template, index);

    for (index = template->members[index].parent; index != from && index != TPI_SIM_NONE;
         index = template->members[index].parent) {
        const struct sim_frame outer = rest_of(template, index);
        frame = sim_frame_join(&outer, &frame);
    }
    return frame;
}

static void add_joint(const tpi_sim *sim, struct arm *arm, tpi_sim_model model,
                      const struct sim_frame *before)
{
    const uint32_t i = arm->chain.count++;
    tpi_sim_actuator a = {0};

    (void)tpi_sim_get_actuator(sim, model, &a, NULL);
    arm->chain.joints[i] = (struct sim_chain_joint){.before = *before,
                                                    .axis = {a.axis[0], a.axis[1], a.axis[2]},
                                                    .low = a.low,
                                                    .high = a.high,
                                                    .linear = a.linear};
    arm->joints[i] = model;
    arm->now[i] = a.position;
    arm->fastest[i] = a.fastest;
    arm->start[i] = a.start;
    arm->stalled |= a.stalled;
    arm->moving |= !a.turning && a.goal != a.position;
}

static tp_status find_arm(const tpi_sim *sim, tpi_sim_model model, struct arm *arm, tp_error *err)
{
    uint32_t joints[SIM_MOST_CHAIN];
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_effector, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct sim_template *template = sim->trees.template[view.tree];
    const uint32_t first = sim->trees.model[view.tree];
    const uint32_t count = list_joints(template, view.device->member, joints);
    memset(arm, 0, sizeof *arm);
    arm->state = (struct state *)view.state;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = i == 0 ? TPI_SIM_NONE : joints[i - 1];
        const struct sim_frame before = frame_from(template, joints[i], from);
        add_joint(sim, arm, first + joints[i], &before);
    }
    arm->chain.tip =
        frame_from(template, view.device->member, count == 0 ? TPI_SIM_NONE : joints[count - 1]);
    return TP_OK;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static void stop(tpi_sim *sim, const struct arm *arm, tpi_sim_limb_state what)
{
    for (uint32_t i = 0; i < arm->chain.count; i++) {
        (void)tpi_sim_actuator_go(sim, arm->joints[i], arm->now[i], 0, NULL);
    }
    arm->state->what = (uint8_t)what;
    arm->state->straight = 0;
}

/* All joints arrive together, after so many seconds at least. */
static void go(tpi_sim *sim, const struct arm *arm, const double *to, double seconds)
{
    for (uint32_t i = 0; i < arm->chain.count; i++) {
        if (arm->fastest[i] > 0) {
            seconds = fmax(seconds, fabs(to[i] - arm->now[i]) / arm->fastest[i]);
        }
    }
    for (uint32_t i = 0; i < arm->chain.count; i++) {
        const double speed = seconds > 0 ? fabs(to[i] - arm->now[i]) / seconds : 0;
        (void)tpi_sim_actuator_go(sim, arm->joints[i], to[i], speed, NULL);
    }
}

static double distance(const struct sim_frame *tip, const double goal[3])
{
    const double dx = goal[0] - tip->x;
    const double dy = goal[1] - tip->y;
    const double dz = goal[2] - tip->z;

    return sqrt(dx * dx + dy * dy + dz * dz);
}

static bool solve(const struct arm *arm, const double goal[3], double *positions)
{
    const struct sim_chain_goal wanted = {.x = goal[0],
                                          .y = goal[1],
                                          .z = goal[2],
                                          .heading = arm->state->heading,
                                          .has_heading = arm->state->has_heading != 0};

    memcpy(positions, arm->now, arm->chain.count * sizeof positions[0]);
    return tpi_sim_chain_solve(&arm->chain, &wanted, positions);
}

/* The next piece of a straight way. */
static void go_straight(tpi_sim *sim, const struct arm *arm)
{
    const double dt = (double)sim->interval_us * 1e-6;
    const struct state *state = arm->state;
    const struct sim_frame tip = tpi_sim_chain_tip(&arm->chain, arm->now);
    const double left = distance(&tip, state->goal);
    const double share = left <= state->speed * dt ? 1 : state->speed * dt / left;
    const double next[3] = {tip.x + share * (state->goal[0] - tip.x),
                            tip.y + share * (state->goal[1] - tip.y),
                            tip.z + share * (state->goal[2] - tip.z)};
    double to[SIM_MOST_CHAIN];

    if (left < 1e-5) {
        stop(sim, arm, TPI_SIM_LIMB_IDLE);
    } else if (solve(arm, next, to)) {
        go(sim, arm, to, dt);
    } else {
        stop(sim, arm, TPI_SIM_LIMB_OUT_OF_REACH);
    }
}

void tpi_sim_limbs_move(tpi_sim *sim)
{
    const struct sim_beacons *limbs = &sim->beacons[SIM_LIMBS];

    for (uint32_t i = 0; i < limbs->count; i++) {
        struct arm arm;
        if (find_arm(sim, limbs->models[i], &arm, NULL) != TP_OK ||
            arm.state->what != TPI_SIM_LIMB_MOVING) {
            continue;
        }
        if (arm.stalled) {
            stop(sim, &arm, TPI_SIM_LIMB_BLOCKED);
        } else if (arm.state->straight != 0) {
            go_straight(sim, &arm);
        } else if (!arm.moving) {
            arm.state->what = TPI_SIM_LIMB_IDLE;
        }
    }
}

/* ---- From outside ---------------------------------------------------------------------------- */

tp_status tpi_sim_get_limb(const tpi_sim *sim, tpi_sim_model model, tpi_sim_limb *limb,
                           tp_error *err)
{
    struct arm arm;
    tp_status status = find_arm(sim, model, &arm, err);

    if (status != TP_OK) {
        return status;
    }
    const struct sim_frame tip = tpi_sim_chain_tip(&arm.chain, arm.now);
    const struct sim_frame *base = arm.chain.count > 0 ? &arm.chain.joints[0].before : &tip;
    *limb = (tpi_sim_limb){.tip = sim_pose_of(&tip),
                           .base = sim_pose_of(base),
                           .state = (tpi_sim_limb_state)arm.state->what,
                           .joint_count = arm.chain.count,
                           .speed = arm.state->speed};
    memcpy(limb->joints, arm.joints, sizeof limb->joints);
    return TP_OK;
}

static bool is_finite(const tpi_sim_reach *reach)
{
    return fabs(reach->x) <= TPI_SIM_FARTHEST && fabs(reach->y) <= TPI_SIM_FARTHEST &&
           fabs(reach->z) <= TPI_SIM_FARTHEST &&
           (!reach->has_heading || fabs(reach->heading) <= TPI_SIM_FARTHEST);
}

tp_status tpi_sim_limb_reach(tpi_sim *sim, tpi_sim_model model, const tpi_sim_reach *reach,
                             tp_error *err)
{
    double to[SIM_MOST_CHAIN];
    struct arm arm;
    tp_status status = find_arm(sim, model, &arm, err);

    if (status != TP_OK) {
        return status;
    }
    if (!is_finite(reach)) {
        return tp_fail(err, TP_E_RANGE, "%g, %g, %g is no place to reach", reach->x, reach->y,
                       reach->z);
    }
    struct state *state = arm.state;
    const struct sim_frame tip = tpi_sim_chain_tip(&arm.chain, arm.now);
    state->goal[0] = reach->x;
    state->goal[1] = reach->y;
    state->goal[2] = reach->z;
    state->has_heading = reach->has_heading;
    state->heading = reach->has_heading ? sim_normal(reach->heading) : 0;
    if (!solve(&arm, state->goal, to)) {
        stop(sim, &arm, TPI_SIM_LIMB_OUT_OF_REACH);
        return TP_OK;
    }
    state->what = TPI_SIM_LIMB_MOVING;
    state->straight = reach->straight;
    if (!reach->straight) {
        go(sim, &arm, to, distance(&tip, state->goal) / state->speed);
    }
    return TP_OK;
}

tp_status tpi_sim_limb_home(tpi_sim *sim, tpi_sim_model model, tp_error *err)
{
    struct arm arm;
    tp_status status = find_arm(sim, model, &arm, err);

    if (status == TP_OK) {
        const struct sim_frame tip = tpi_sim_chain_tip(&arm.chain, arm.now);
        const struct sim_frame home = tpi_sim_chain_tip(&arm.chain, arm.start);
        const double there[3] = {home.x, home.y, home.z};
        arm.state->what = TPI_SIM_LIMB_MOVING;
        arm.state->straight = 0;
        go(sim, &arm, arm.start, distance(&tip, there) / arm.state->speed);
    }
    return status;
}

tp_status tpi_sim_limb_stop(tpi_sim *sim, tpi_sim_model model, tp_error *err)
{
    struct arm arm;
    tp_status status = find_arm(sim, model, &arm, err);

    if (status == TP_OK) {
        stop(sim, &arm, TPI_SIM_LIMB_IDLE);
    }
    return status;
}

tp_status tpi_sim_limb_set_speed(tpi_sim *sim, tpi_sim_model model, double speed, tp_error *err)
{
    struct arm arm;
    tp_status status = find_arm(sim, model, &arm, err);

    if (status == TP_OK && !(speed > 0 && speed <= TPI_SIM_FARTHEST)) {
        return tp_fail(err, TP_E_RANGE, "speed %g m/s is not above 0", speed);
    }
    if (status == TP_OK) {
        arm.state->speed = speed;
    }
    return status;
}
