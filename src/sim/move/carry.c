/* carry.c - what grippers hold; see carry.h. */
#include "sim/move/carry.h"

#include <math.h>

#include "sim/maths.h"
#include "sim/move/gripper.h"
#include "sim/move/resolve.h"

/* ---- The list -------------------------------------------------------------------------------- */

static uint32_t count_grippers(const struct sim_template *template)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < template->device_count; i++) {
        count += template->devices[i].type->kind == TPI_SIM_GRIPPER ? 1 : 0;
    }
    return count;
}

tp_status tpi_sim_carry_init(tpi_sim *sim, tp_error *err)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        count += count_grippers(sim->trees.template[i]);
    }
    sim->grips.items = tpi_sim_take(sim, count, sizeof sim->grips.items[0]);
    if (sim->grips.items == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        for (uint32_t k = 0; k < sim->trees.template[i] -> device_count; k++) {
            if (sim->trees.template[i] -> devices[k].type->kind == TPI_SIM_GRIPPER) {
                sim->grips.items[sim->grips.count++] = (struct sim_grip){i, k, TPI_SIM_NONE};
            }
        }
    }
    return TP_OK;
}

/* The first gripper of a tree, or where it would be. */
static uint32_t first_grip(const tpi_sim *sim, uint32_t tree)
{
    uint32_t low = 0;
    uint32_t high = sim->grips.count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (sim->grips.items[middle].tree < tree) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t tpi_sim_carry_next(const tpi_sim *sim, uint32_t tree, uint32_t cargo)
{
    bool passed = cargo == TPI_SIM_NONE;

    for (uint32_t i = first_grip(sim, tree);
         i < sim->grips.count && sim->grips.items[i].tree == tree; i++) {
        if (passed && sim->grips.items[i].cargo != TPI_SIM_NONE) {
            return sim->grips.items[i].cargo;
        }
        passed |= sim->grips.items[i].cargo == cargo;
    }
    return TPI_SIM_NONE;
}

uint32_t tpi_sim_carry_cargo(const tpi_sim *sim, uint32_t tree, uint32_t device)
{
    for (uint32_t i = first_grip(sim, tree);
         i < sim->grips.count && sim->grips.items[i].tree == tree; i++) {
        if (sim->grips.items[i].device == device) {
            return sim->grips.items[i].cargo;
        }
    }
    return TPI_SIM_NONE;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

/* All points of a body share its turning; one that is off its middle goes along a circle. */
void tpi_sim_carry_velocities(tpi_sim *sim)
{
    const struct sim_trees *t = &sim->trees;
    struct sim_motions *m = &sim->motions;

    for (uint32_t i = 0; i < sim->grips.count; i++) {
        const uint32_t holder = sim->grips.items[i].tree;
        const uint32_t cargo = sim->grips.items[i].cargo;
        if (cargo == TPI_SIM_NONE) {
            continue;
        }
        const double dx = t->x[cargo] - t->x[holder];
        const double dy = t->y[cargo] - t->y[holder];
        const double vx =
            t->c[holder] * m->vx[holder] - t->s[holder] * m->vy[holder] - m->w[holder] * dy;
        const double vy =
            t->s[holder] * m->vx[holder] + t->c[holder] * m->vy[holder] + m->w[holder] * dx;
        m->vx[cargo] = t->c[cargo] * vx + t->s[cargo] * vy;
        m->vy[cargo] = t->c[cargo] * vy - t->s[cargo] * vx;
        m->w[cargo] = m->w[holder];
    }
}

/* A holder may have several: first it gets the least of all, then they get it. */
void tpi_sim_carry_ways(tpi_sim *sim)
{
    double *until = sim->motions.until;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < sim->grips.count; i++) {
            const struct sim_grip *grip = &sim->grips.items[i];
            if (grip->cargo != TPI_SIM_NONE) {
                const double least = fmin(until[grip->tree], until[grip->cargo]);
                until[grip->tree] = until[grip->cargo] = least;
            }
        }
    }
}

static void put_cargo(tpi_sim *sim, const struct sim_grip *grip)
{
    struct sim_trees *t = &sim->trees;
    struct sim_view view;

    tpi_sim_view(sim, grip->tree, grip->device, &view);
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view.state;
    const tpi_sim_pose pose = {state->hold[0], state->hold[1], state->hold[2], state->hold[3]};
    const struct sim_frame local = sim_frame_of(&pose);
    const struct sim_frame body = tpi_sim_gripper_frame(&view);
    const struct sim_frame place = sim_frame_join(&body, &local);
    t->x[grip->cargo] = place.x;
    t->y[grip->cargo] = place.y;
    t->z[grip->cargo] = place.z;
    t->a[grip->cargo] = place.a;
    sim_sincos(place.a, &t->s[grip->cargo], &t->c[grip->cargo]);
}

void tpi_sim_carry_along(tpi_sim *sim)
{
    for (uint32_t i = 0; i < sim->grips.count; i++) {
        if (sim->grips.items[i].cargo != TPI_SIM_NONE) {
            put_cargo(sim, &sim->grips.items[i]);
        }
    }
}

/* ---- Taking and letting go ------------------------------------------------------------------- */

/* Neither side has anything to do with another gripper. */
static bool may_take(const tpi_sim *sim, uint32_t tree, uint32_t cargo)
{
    return sim->trees.group[tree] == tree && sim->trees.group[cargo] == cargo &&
           tpi_sim_carry_next(sim, cargo, TPI_SIM_NONE) == TPI_SIM_NONE;
}

/* It is pushed to the middle, and keeps the paddles as far apart as it is wide. */
static void take(tpi_sim *sim, struct sim_grip *grip, const struct sim_view *view, uint32_t cargo)
{
    struct sim_gripper_state *state = (struct sim_gripper_state *)view->state;
    const struct sim_trees *t = &sim->trees;
    const struct sim_member *member = &t->template[grip->tree] -> members[view->device->member];
    const struct sim_frame body = tpi_sim_gripper_frame(view);
    const double reach = tpi_sim_gripper_reach(view->config, member);
    const double dx = t->x[cargo] - body.x;
    const double dy = t->y[cargo] - body.y;
    struct sim_section whole;

    tpi_sim_gripper_section(sim, cargo, &body, -HUGE_VAL, HUGE_VAL, &whole);
    state->hold[0] = body.c * dx + body.s * dy;
    state->hold[1] = body.c * dy - body.s * dx - (whole.y0 + whole.y1) / 2;
    state->hold[2] = t->z[cargo] - body.z;
    state->hold[3] = sim_normal(t->a[cargo] - body.a);
    state->floor = t->z[cargo];
    state->least_open = reach > 0 ? fmin((whole.y1 - whole.y0) / 2 / reach, state->open) : 0;
    state->holds = 1;
    state->cargo = t->key[cargo];
    grip->cargo = cargo;
    sim->trees.group[cargo] = grip->tree;
    put_cargo(sim, grip);
}

static void let_go(tpi_sim *sim, struct sim_grip *grip, struct sim_gripper_state *state)
{
    sim->trees.group[grip->cargo] = grip->cargo;
    sim->trees.z[grip->cargo] = state->floor;
    state->holds = 0;
    state->cargo = 0;
    state->least_open = 0;
    grip->cargo = TPI_SIM_NONE;
}

/* True if anything has changed hands; `cargo` is what may now overlap something. */
static bool settle(tpi_sim *sim, struct sim_grip *grip, uint32_t *cargo)
{
    struct sim_view view;

    tpi_sim_view(sim, grip->tree, grip->device, &view);
    struct sim_gripper_state *state = (struct sim_gripper_state *)view.state;
    const struct sim_gripper *config = view.config;
    if (state->common.subscribers == 0) {
        return false;
    }
    if (state->holds != 0) {
        const bool opens = state->opening > 0 || (state->opening == 0 && state->open == 1);
        if (opens && state->open > state->least_open) {
            *cargo = grip->cargo;
            let_go(sim, grip, state);
            return true;
        }
        return false;
    }
    if (config->snatches && state->opening == 0 && state->open == 1 && (state->beams & 1) != 0) {
        state->opening = -1;
    }
    *cargo = state->opening < 0 ? tpi_sim_gripper_touched(&view) : TPI_SIM_NONE;
    if (*cargo == TPI_SIM_NONE || !may_take(sim, grip->tree, *cargo)) {
        return false;
    }
    take(sim, grip, &view, *cargo);
    return true;
}

void tpi_sim_carry_settle(tpi_sim *sim)
{
    for (uint32_t i = 0; i < sim->grips.count; i++) {
        uint32_t cargo = TPI_SIM_NONE;
        if (settle(sim, &sim->grips.items[i], &cargo)) {
            tpi_sim_crowd_sort(sim);
            tpi_sim_check_overlap(sim, cargo);
            tpi_sim_check_overlap(sim, sim->grips.items[i].tree);
        }
    }
}

/* ---- Restoring ------------------------------------------------------------------------------- */

static uint32_t find_cargo(const tpi_sim *sim, uint32_t tree, uint64_t key)
{
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (i != tree && sim->trees.key[i] == key && sim->trees.group[i] == tree &&
            (sim->trees.flags[i] & SIM_MOVING) != 0) {
            return i;
        }
    }
    return TPI_SIM_NONE;
}

void tpi_sim_carry_restore(tpi_sim *sim)
{
    for (uint32_t i = 0; i < sim->grips.count; i++) {
        struct sim_grip *grip = &sim->grips.items[i];
        struct sim_gripper_state *state = tpi_sim_state(sim, grip->tree, grip->device);
        grip->cargo = state->holds != 0 ? find_cargo(sim, grip->tree, state->cargo) : TPI_SIM_NONE;
        state->holds = grip->cargo != TPI_SIM_NONE;
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const uint32_t holder = sim->trees.group[i];
        if (holder != i && tpi_sim_carry_next(sim, holder, TPI_SIM_NONE) == TPI_SIM_NONE) {
            sim->trees.group[i] = i; /* a state that nobody has saved */
        }
    }
}
