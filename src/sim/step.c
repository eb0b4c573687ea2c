/* step.c - one step of time; see sim.h for what happens in it. */
#include "sim/step.h"

#include <math.h>

#include "sim/control.h"
#include "sim/maths.h"
#include "sim/move/carry.h"
#include "sim/move/climb.h"
#include "sim/move/joint.h"
#include "sim/move/position.h"
#include "sim/move/power.h"
#include "sim/move/reach.h"
#include "sim/move/resolve.h"
#include "sim/move/rivals.h"
#include "sim/move/sweep.h"
#include "sim/sense/ranger.h"

enum { CACHE_LINE = 64 }; /* bytes; where lines are longer, some are asked for twice */

void tpi_sim_run(tpi_sim *sim, tpi_sim_work *work, uint32_t count)
{
    if (count == 1) { /* not worth waking anybody */
        work(sim, 0, 0);
    } else if (count > 1) {
        sim->crew.run(sim->crew.context, work, sim, count);
    }
}

/* States are in another order than spots, so that no processor foretells where the next one is: let
 * those of a chunk be brought near, all at once. */
static void fetch_states(const tpi_sim *sim, const struct sim_chunk *chunk)
{
    for (uint32_t i = chunk->first; i < chunk->end; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        const unsigned char *state = sim->state + sim->trees.state[spot->tree];
        for (uint32_t k = 0; k < spot->template->state_size; k += CACHE_LINE) {
            __builtin_prefetch(state + k, 1);
        }
    }
}

/* ---- Moving ---------------------------------------------------------------------------------- */

/* Commands become velocities. */
static void begin(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    (void)worker;
    fetch_states(sim, &chunk);
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        sim->motions.stalled[spot->tree] = 0;
        if (spot->template->driver != TPI_SIM_NONE) {
            tpi_sim_drive_begin(sim, spot->tree);
        }
    }
}

/* Go along the arc as far as it is free. */
static void advance(tpi_sim *sim, uint32_t tree)
{
    struct sim_trees *t = &sim->trees;
    const struct sim_motions *m = &sim->motions;
    const double time = m->until[tree] * (double)sim->interval_us * 1e-6;
    double x;
    double y;

    if (m->reach[tree] == 0 || time == 0) {
        return;
    }
    tpi_sim_arc(m->vx[tree], m->vy[tree], m->w[tree], time, &x, &y);
    t->x[tree] += t->c[tree] * x - t->s[tree] * y;
    t->y[tree] += t->s[tree] * x + t->c[tree] * y;
    if (m->w[tree] != 0) {
        t->a[tree] = sim_normal(t->a[tree] + m->w[tree] * time);
        sim_sincos(t->a[tree], &t->s[tree], &t->c[tree]);
    }
}

static void move(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    (void)worker;
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        const uint32_t tree = sim->crowd.spots[i].tree;
        advance(sim, tree);
        sim->motions.stalled[tree] |= sim->motions.until[tree] < 1;
    }
}

/* Odometry, after all motion of the step. */
static void end(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    (void)worker;
    fetch_states(sim, &chunk);
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        if (spot->template->driver != TPI_SIM_NONE) {
            tpi_sim_drive_end(sim, spot->tree, sim->motions.stalled[spot->tree] != 0);
        }
    }
}

/* ---- Sliding --------------------------------------------------------------------------------- */

static const double trace = 1e-6; /* of the speed */

static bool wants_to_slide(const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];

    return sim->motions.until[tree] < 1 && template->driver != TPI_SIM_NONE &&
           ((const struct sim_position *)template->devices[template->driver].config)->slides;
}

/* What is left of the motion, without what goes against the obstacle. A trace of it leads away from
 * there: the normal has few digits far from the origin, and what seems to go against the obstacle
 * ever so little would be stopped at once. */
static void turn_aside(tpi_sim *sim, uint32_t slot)
{
    const struct sim_spot *spot = &sim->crowd.spots[slot];
    const uint32_t tree = spot->tree;
    struct sim_motions *m = &sim->motions;
    struct sim_body body = tpi_sim_body_of(sim, spot);
    const double left = 1 - m->until[tree];
    double nx;
    double ny;

    body.until = HUGE_VAL;
    tpi_sim_touch_normal(sim, &body, tree, &nx, &ny);
    const double along = spot->c * nx + spot->s * ny; /* the normal in the body's frame */
    const double aside = spot->c * ny - spot->s * nx;
    const double against = m->vx[tree] * along + m->vy[tree] * aside;
    const double vx = m->vx[tree] - against * along;
    const double vy = m->vy[tree] - against * aside;
    const bool touches = (sim->trees.flags[tree] & SIM_TOUCHES) != 0; /* and the normal is exact */
    const double away = touches ? 0 : trace * sqrt(vx * vx + vy * vy);
    m->vx[tree] = (vx + away * along) * left;
    m->vy[tree] = (vy + away * aside) * left;
    m->w[tree] = 0;
}

/* Those that are stopped and may slide use the rest of the step; everybody else stands still. */
static void slide(tpi_sim *sim)
{
    bool any = false;

    for (uint32_t i = 0; i < sim->crowd.count && !any; i++) {
        any = wants_to_slide(sim, sim->crowd.spots[i].tree);
    }
    if (!any) {
        return;
    }
    tpi_sim_crowd_sort(sim);
    tpi_sim_rivals_sort(sim);
    for (uint32_t i = 0; i < sim->crowd.count; i++) {
        const uint32_t tree = sim->crowd.spots[i].tree;
        if (wants_to_slide(sim, tree)) {
            turn_aside(sim, i);
        } else {
            sim->motions.vx[tree] = sim->motions.vy[tree] = sim->motions.w[tree] = 0;
        }
    }
    tpi_sim_carry_velocities(sim);
    tpi_sim_resolve(sim);
    tpi_sim_run(sim, move, sim_chunk_count(sim));
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* Whether a multiple of the interval lies in the step that ends now. */
static bool is_due(const tpi_sim *sim, int64_t interval_us)
{
    return interval_us == sim->interval_us || /* as most are; divisions take long */
           sim->time_us / interval_us != (sim->time_us - sim->interval_us) / interval_us;
}

bool tpi_sim_is_due(const tpi_sim *sim, tpi_sim_model model)
{
    return is_due(sim, sim_member_of(sim, model)->traits.update_us);
}

static void sense_tree(tpi_sim *sim, uint32_t tree, uint32_t worker)
{
    const struct sim_template *template = sim->trees.template[tree];

    if ((sim->trees.flags[tree] & SIM_ACTIVE) == 0) {
        return;
    }
    for (uint32_t i = 0; i < template->device_count; i++) {
        const struct sim_device *device = &template->devices[i];
        struct sim_common *state = tpi_sim_state(sim, tree, i);
        struct sim_view view;
        if (device->type->sense == NULL || state->subscribers == 0 ||
            !is_due(sim, template->members[device->member].traits.update_us)) {
            continue;
        }
        tpi_sim_view(sim, tree, i, &view);
        view.scratch = &sim->scratch[worker];
        device->type->sense(&view);
        view.scratch->looks++;
        state->updated_us = sim->time_us;
    }
}

/* Controllers go by what sensors say now. */
static void control_tree(tpi_sim *sim, uint32_t tree)
{
    if ((sim->trees.flags[tree] & SIM_ACTIVE) != 0 && sim->trees.template[tree] -> control != 0) {
        tpi_sim_control_run(sim, tree);
    }
}

static void sense(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    fetch_states(sim, &chunk);
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        tpi_sim_forget_overlaps(sim, i);
        sense_tree(sim, sim->crowd.spots[i].tree, worker);
    }
    tpi_sim_pending_end(sim->scratch[worker].pending);
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        control_tree(sim, sim->crowd.spots[i].tree);
    }
}

/* Sensors of what cannot move are few. */
static void sense_standing(tpi_sim *sim)
{
    for (uint32_t i = 0; i < sim->standing.count; i++) {
        if ((sim->trees.flags[sim->standing.trees[i]] & SIM_MOVING) == 0) {
            sense_tree(sim, sim->standing.trees[i], 0);
        }
    }
    tpi_sim_pending_end(sim->scratch[0].pending);
    for (uint32_t i = 0; i < sim->standing.count; i++) {
        if ((sim->trees.flags[sim->standing.trees[i]] & SIM_MOVING) == 0) {
            control_tree(sim, sim->standing.trees[i]);
        }
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

void tpi_sim_step(tpi_sim *sim)
{
    if (sim->crowd_is_old) {
        tpi_sim_crowd_sort(sim);
    }
    tpi_sim_limbs_move(sim);
    tpi_sim_joints_move(sim);
    tpi_sim_climb(sim);
    tpi_sim_run(sim, begin, sim_chunk_count(sim));
    tpi_sim_carry_velocities(sim);
    tpi_sim_resolve(sim);
    tpi_sim_run(sim, move, sim_chunk_count(sim));
    slide(sim);
    tpi_sim_carry_along(sim);
    sim->time_us += sim->interval_us;
    tpi_sim_run(sim, end, sim_chunk_count(sim));
    tpi_sim_crowd_sort(sim);
    tpi_sim_carry_settle(sim);
    tpi_sim_run(sim, sense, sim_chunk_count(sim));
    sense_standing(sim);
    tpi_sim_power_flow(sim);
}
