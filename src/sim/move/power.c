/*
 * power.c - batteries; see power.h.
 *
 * How it differs from Stage 4.3, on purpose: energy is power times the step, whatever that is
 * (Stage always counts a tenth of a second); a charger that has not enough for all models that
 * touch it gives each the same share of what it wants; what is inside of a charger touches it too.
 */
#include "sim/move/power.h"

#include <math.h>

#include "sim/move/actuators.h"
#include "sim/move/position.h"
#include "sim/ray/crowd.h"
#include "sim/ray/segment.h"

static const double touching = 0.02; /* metres; a cell of Stage */

struct state {
    struct sim_common common;
    double stored; /* joules; negative: without end */
    double watts, charge_watts, given_watts;
};

/* ---- Batteries ------------------------------------------------------------------------------- */

static const struct sim_traits *traits_of(const tpi_sim *sim, uint32_t tree, uint32_t device)
{
    const struct sim_template *template = sim->trees.template[tree];

    return &template->members[template->devices[device].member].traits;
}

static void battery_start(const struct sim_view *view)
{
    const struct sim_traits *traits = tpi_sim_view_traits(view);
    struct state *state = (struct state *)view->state;

    state->stored = traits->joules < 0 ? -1 : fmin(traits->joules, traits->joules_capacity);
}

static bool battery_check(const struct sim_common *common)
{
    const struct state *state = (const struct state *)common;

    return fabs(state->stored) <= 1e30 && fabs(state->watts) <= 1e30 &&
           fabs(state->charge_watts) <= 1e30 && fabs(state->given_watts) <= 1e30;
}

const tpi_sim_type tpi_sim_type_battery = {
    .kind = TPI_SIM_PLAIN,
    .name = "battery",
    .state_size = sizeof(struct state),
    .start = battery_start,
    .check = battery_check,
};

static bool is_powered(const struct sim_template *template)
{
    for (uint32_t i = 0; i < template->member_count; i++) {
        if (template->members[i].battery != TPI_SIM_NONE ||
            template->members[i].traits.give_watts > 0) {
            return true;
        }
    }
    return false;
}

tp_status tpi_sim_power_init(tpi_sim *sim, tp_error *err)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        count += is_powered(sim->trees.template[i]) ? 1 : 0;
    }
    sim->powered.trees = tpi_sim_take(sim, count, sizeof sim->powered.trees[0]);
    if (sim->powered.trees == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        if (is_powered(sim->trees.template[i])) {
            sim->powered.trees[sim->powered.count++] = i;
        }
    }
    return TP_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a model draws while somebody uses it. */
static double watts_of(const tpi_sim *sim, uint32_t tree, const struct sim_member *member)
{
    const struct sim_template *template = sim->trees.template[tree];
    double watts = member->traits.watts;

    if (member->device == TPI_SIM_NONE) {
        return (sim->trees.flags[tree] & SIM_ACTIVE) != 0 ? watts : 0;
    }
    const struct sim_device *device = &template->devices[member->device];
    const struct sim_common *state = tpi_sim_state(sim, tree, member->device);
    if (state->subscribers == 0) {
        return 0;
    }
    if (sim_is_driven(device->type->kind)) {
        const double *v = ((const struct sim_position_state *)state)->velocity;
        watts += 1 + 10 * member->traits.mass * (fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
    } else if (device->type->kind == TPI_SIM_RANGER) {
        const uint32_t index = (uint32_t)(member - template->members);
        watts += 0.2 * tpi_sim_sensor_count(sim, sim->trees.model[tree] + index);
    } else if (device->type->kind == TPI_SIM_BLOBFINDER) {
        watts += 2;
    } else if (device->type->kind == TPI_SIM_BUMPER) {
        watts += 0.1;
    }
    return watts;
}

static void draw(tpi_sim *sim, uint32_t tree, double seconds)
{
    const struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->device_count; i++) {
        if (template->devices[i].type == &tpi_sim_type_battery) {
            struct state *state = tpi_sim_state(sim, tree, i);
            state->watts = state->charge_watts = state->given_watts = 0;
        }
    }
    for (uint32_t i = 0; i < template->member_count; i++) {
        const struct sim_member *member = &template->members[i];
        if (member->battery != TPI_SIM_NONE) {
            struct state *state = tpi_sim_state(sim, tree, member->battery);
            state->watts += watts_of(sim, tree, member);
        }
    }
    for (uint32_t i = 0; i < template->device_count; i++) {
        if (template->devices[i].type == &tpi_sim_type_battery) {
            struct state *state = tpi_sim_state(sim, tree, i);
            state->stored =
                state->stored < 0 ? state->stored : fmax(0, state->stored - state->watts * seconds);
        }
    }
}

/* ---- Touching -------------------------------------------------------------------------------- */

/* An edge of a tree in the world, from corner to corner. */
static struct sim_segment edge_of(const tpi_sim *sim, uint32_t tree, uint32_t corner)
{
    const struct sim_trees *t = &sim->trees;
    const double *vx = t->template[tree] -> vx + corner;
    const double *vy = t->template[tree] -> vy + corner;
    const double c = t->c[tree];
    const double s = t->s[tree];

    return (struct sim_segment){
        t->x[tree] + c * vx[0] - s * vy[0], t->y[tree] + s * vx[0] + c * vy[0],
        t->x[tree] + c * vx[1] - s * vy[1], t->y[tree] + s * vx[1] + c * vy[1]};
}

/* Whether an edge of a part comes near one of another part. */
static bool edges_touch(const tpi_sim *sim, uint32_t tree, const struct sim_part *part,
                        uint32_t other, const struct sim_part *outline)
{
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment own = edge_of(sim, tree, i);
        for (uint32_t k = outline->first; k < outline->first + outline->count; k++) {
            const struct sim_segment edge = edge_of(sim, other, k);
            if (sim_segments_near(&own, &edge, touching)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a part begins inside of another one: of parts whose edges do not touch, all of it is. */
static bool is_inside(const tpi_sim *sim, uint32_t tree, const struct sim_part *part,
                      uint32_t other, const struct sim_part *outline)
{
    const struct sim_segment first = edge_of(sim, tree, part->first);
    bool inside = false;

    for (uint32_t k = outline->first; k < outline->first + outline->count; k++) {
        const struct sim_segment e = edge_of(sim, other, k);
        if ((e.y0 > first.y0) != (e.y1 > first.y0) &&
            first.x0 < e.x0 + (first.y0 - e.y0) / (e.y1 - e.y0) * (e.x1 - e.x0)) {
            inside = !inside;
        }
    }
    return inside;
}

/* Whether two models touch, whatever their heights. */
static bool touch(const tpi_sim *sim, uint32_t tree, uint32_t member, uint32_t other,
                  uint32_t other_member)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_template *there = sim->trees.template[other];

    for (uint32_t i = 0; i < template->part_count; i++) {
        for (uint32_t k = 0; k < there->part_count; k++) {
            const struct sim_part *p = &template->parts[i];
            const struct sim_part *q = &there->parts[k];
            if (p->member == member && q->member == other_member &&
                (edges_touch(sim, tree, p, other, q) || is_inside(sim, tree, p, other, q) ||
                 is_inside(sim, other, q, tree, p))) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Charging -------------------------------------------------------------------------------- */

/* A charger at work. */
struct charger {
    tpi_sim *sim;
    uint32_t tree, member;
    double watts;   /* that it offers to each */
    double seconds; /* of the step */
    double wanted;  /* joules, by all */
    double share;   /* of them that it has */
};

/* Joules that a model wants from a charger in this step; 0 if it takes nothing. */
static double wish(const struct charger *charger, uint32_t tree, const struct sim_member *member)
{
    if (member->battery == TPI_SIM_NONE || !(member->traits.take_watts > 0)) {
        return 0;
    }
    const struct state *state = tpi_sim_state(charger->sim, tree, member->battery);
    const double room =
        traits_of(charger->sim, tree, member->battery)->joules_capacity - state->stored;
    if (state->stored < 0 || room <= 0) {
        return 0;
    }
    return fmin(room, fmin(charger->watts, member->traits.take_watts) * charger->seconds);
}

/* All models of a tree: add up what they want, or give it to them. */
static void serve_tree(struct charger *charger, uint32_t tree, bool give)
{
    const struct sim_template *template = charger->sim->trees.template[tree];

    for (uint32_t i = 0; i < template->member_count; i++) {
        const struct sim_member *member = &template->members[i];
        double joules = wish(charger, tree, member);
        if (joules == 0 || !touch(charger->sim, charger->tree, charger->member, tree, i)) {
            continue;
        }
        charger->wanted += give ? 0 : joules;
        if (give) {
            struct state *state = tpi_sim_state(charger->sim, tree, member->battery);
            joules *= charger->share;
            state->stored += joules;
            state->charge_watts += joules / charger->seconds;
        }
    }
}

static void serve_all(struct charger *charger, bool give)
{
    tpi_sim *sim = charger->sim;
    const struct sim_template *template = sim->trees.template[charger->tree];
    const struct sim_spot *end;
    struct sim_near near;

    sim_near_init(&near, &sim->crowd, sim->trees.x[charger->tree], sim->trees.y[charger->tree],
                  template->radius + touching);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if (at->group != sim->trees.group[charger->tree]) {
                serve_tree(charger, at->tree, give);
            }
        }
    }
}

static void charge(tpi_sim *sim, uint32_t tree, uint32_t index, double seconds)
{
    const struct sim_member *member = &sim->trees.template[tree] -> members[index];
    struct state *own =
        member->battery == TPI_SIM_NONE ? NULL : tpi_sim_state(sim, tree, member->battery);
    struct charger charger = {.sim = sim,
                              .tree = tree,
                              .member = index,
                              .watts = member->traits.give_watts,
                              .seconds = seconds,
                              .share = 1};

    serve_all(&charger, false);
    if (charger.wanted == 0) {
        return;
    }
    if (own != NULL && own->stored >= 0 && own->stored < charger.wanted) {
        charger.share = own->stored / charger.wanted;
    }
    serve_all(&charger, true);
    if (own != NULL) {
        own->given_watts += charger.wanted * charger.share / seconds;
        own->stored =
            own->stored < 0 ? own->stored : fmax(0, own->stored - charger.wanted * charger.share);
    }
}

void tpi_sim_power_flow(tpi_sim *sim)
{
    const double seconds = (double)sim->interval_us * 1e-6;

    for (uint32_t i = 0; i < sim->powered.count; i++) {
        draw(sim, sim->powered.trees[i], seconds);
    }
    for (uint32_t i = 0; i < sim->powered.count; i++) {
        const struct sim_template *template = sim->trees.template[sim->powered.trees[i]];
        for (uint32_t k = 0; k < template->member_count; k++) {
            if (template->members[k].traits.give_watts > 0) {
                charge(sim, sim->powered.trees[i], k, seconds);
            }
        }
    }
}

/* ---- From outside ---------------------------------------------------------------------------- */

tp_status tpi_sim_get_battery(const tpi_sim *sim, tpi_sim_model model, tpi_sim_battery *battery,
                              tp_error *err)
{
    const uint32_t tree = sim->tree_of[model];
    const uint32_t device = sim_member_of(sim, model)->battery;

    if (device == TPI_SIM_NONE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the model has no battery");
    }
    const struct state *state = tpi_sim_state(sim, tree, device);
    *battery = (tpi_sim_battery){.stored = state->stored < 0 ? HUGE_VAL : state->stored,
                                 .capacity = traits_of(sim, tree, device)->joules_capacity,
                                 .watts = state->watts,
                                 .charge_watts = state->charge_watts,
                                 .given_watts = state->given_watts};
    return TP_OK;
}
