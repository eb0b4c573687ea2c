/* resolve.c - which bodies stop in a step; see resolve.h. */
#include "sim/move/resolve.h"

#include <math.h>

#include "sim/move/carry.h"
#include "sim/move/contact.h"
#include "sim/move/rivals.h"
#include "sim/move/sweep.h"
#include "sim/ray/crowd.h"
#include "sim/ray/ray.h"
#include "sim/step.h"

enum {
    MOST_ROUNDS = 32,
    /* what the check of all bodies may cost (struct sim_effort), in all and for each body; usual
     * worlds take less than a hundredth of it */
    LEAST_EFFORT = 1 << 22,
    USUAL_EFFORT = 1 << 11,
    SPOTS_PER_EDGE = 8, /* bodies that can be passed over at the cost of one edge */
};

/* ---- Walls ----------------------------------------------------------------------------------- */

static double seconds(const tpi_sim *sim)
{
    return (double)sim->interval_us * 1e-6;
}

static void meet_walls(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const double dt = seconds(sim);
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        const uint32_t tree = spot->tree;
        const double radius = spot->template->solid_radius;
        const double speed = sqrt(sim->motions.vx[tree] * sim->motions.vx[tree] +
                                  sim->motions.vy[tree] * sim->motions.vy[tree]) +
                             fabs(sim->motions.w[tree]) * radius;
        double *until = &sim->motions.until[tree];
        sim->motions.reach[tree] = speed * dt;
        *until = 1;
        if (speed == 0 || (spot->flags & SIM_OBSTACLE) == 0) {
            continue;
        }
        struct sim_scratch *scratch = &sim->scratch[worker];
        scratch->reach = speed * dt > scratch->reach ? speed * dt : scratch->reach;
        if (tpi_sim_room(&sim->walls, spot->x, spot->y) < radius + speed * dt + 2 * SIM_GAP) {
            const struct sim_body body = tpi_sim_body_of(sim, spot);
            const bool touches = (sim->trees.flags[tree] & SIM_TOUCHES) != 0;
            struct sim_hold hold;
            if (touches) {
                tpi_sim_hold_init(&hold, sim, &body, NULL);
            }
            *until = fmin(1, tpi_sim_touch_walls(&sim->walls, &body, touches ? &hold : NULL) / dt);
        }
    }
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void find_contenders(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);
    uint32_t count = 0;

    (void)worker;
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        struct sim_rivals rivals;
        if (sim->motions.reach[spot->tree] == 0 || (spot->flags & SIM_OBSTACLE) == 0) {
            continue;
        }
        tpi_sim_rivals_init_step(&rivals, sim, spot);
        if (!tpi_sim_rivals_is_none(&rivals) && tpi_sim_rivals_next(&rivals) != NULL) {
            sim->contest.spots[chunk.first + count++] = i;
        }
    }
    sim->contest.counts[item] = count;
}

/* When a body first touches a neighbour, as a share of the step; HUGE_VAL, or what is found, if it
 * is not before `most`. The pair is looked at in the order of their keys, so that both find the
 * same. */
static double touch(const tpi_sim *sim, const struct sim_spot *spot, const struct sim_spot *other,
                    double most)
{
    const bool first = sim->trees.key[spot->tree] < sim->trees.key[other->tree];
    struct sim_body a = tpi_sim_body_of(sim, first ? spot : other);
    struct sim_body b = tpi_sim_body_of(sim, first ? other : spot);
    const uint8_t flags = sim->trees.flags[spot->tree] | sim->trees.flags[other->tree];
    struct sim_fit fits[2];

    if ((flags & SIM_TOUCHES) != 0) {
        if (a.until == 0 && b.until == 0) {
            return HUGE_VAL; /* as would be found, but that takes long */
        }
        if (!tpi_sim_hold_pair(&a, &b, &fits[0], &fits[1])) {
            return HUGE_VAL;
        }
        a.fit = &fits[0];
        b.fit = &fits[1];
    }
    /* a little more, so that rounding makes no difference */
    return tpi_sim_touch(&a, &b, most * seconds(sim) * (1 + 1e-9)) / seconds(sim);
}

/* Whether the way of a body is another one than in the round before. */
static inline bool is_new(const tpi_sim *sim, uint32_t tree)
{
    return sim->motions.until[tree] != sim->motions.before[tree];
}

/* How far a body gets. Two ways that are the same as in the round before end as they did then, and
 * were cut already. */
static double cut_way(const tpi_sim *sim, const struct sim_spot *spot)
{
    const bool is_new_way = is_new(sim, spot->tree);
    double next = sim->motions.until[spot->tree];
    const struct sim_spot *other;
    struct sim_rivals rivals;

    if (next == 0) {
        return next;
    }
    tpi_sim_rivals_init_step(&rivals, sim, spot);
    while (next > 0 && (other = tpi_sim_rivals_next(&rivals)) != NULL) {
        if (is_new_way || is_new(sim, other->tree)) {
            next = fmin(next, touch(sim, spot, other, next));
        }
    }
    return next;
}

static void cut_ways(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    for (uint32_t i = 0; i < sim->contest.counts[item]; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[sim->contest.spots[chunk.first + i]];
        const double until = sim->motions.until[spot->tree];
        const double next = cut_way(sim, spot);
        sim->motions.next[spot->tree] = next;
        sim->scratch[worker].changed |= next < until;
    }
}

/* Remember the ways of this round. */
static void note_ways(tpi_sim *sim)
{
    for (uint32_t i = 0; i < sim->crowd.count; i++) {
        const uint32_t tree = sim->crowd.spots[i].tree;
        sim->motions.before[tree] = sim->motions.until[tree];
    }
}

/* The ways of this round become those that the next one starts from; if the rounds have gone on for
 * too long, a body that is still cut does not move at all. */
static void keep_ways(tpi_sim *sim, bool impatient)
{
    for (uint32_t item = 0; item < sim_chunk_count(sim); item++) {
        const struct sim_chunk chunk = sim_chunk_of(sim, item);
        for (uint32_t i = 0; i < sim->contest.counts[item]; i++) {
            const uint32_t tree = sim->crowd.spots[sim->contest.spots[chunk.first + i]].tree;
            const bool cut = sim->motions.next[tree] < sim->motions.until[tree];
            sim->motions.until[tree] = cut && impatient ? 0 : sim->motions.next[tree];
        }
    }
}

/* Whether any worker has changed anything in this round. */
static bool has_changed(tpi_sim *sim)
{
    bool changed = false;

    for (uint32_t i = 0; i < sim->crew.workers; i++) {
        changed |= sim->scratch[i].changed;
        sim->scratch[i].changed = false;
    }
    return changed;
}

void tpi_sim_resolve(tpi_sim *sim)
{
    uint32_t contenders = 0;

    sim->contest.farthest = 0;
    tpi_sim_rivals_sort(sim);
    tpi_sim_run(sim, meet_walls, sim_chunk_count(sim));
    for (uint32_t i = 0; i < sim->crew.workers; i++) {
        sim->contest.farthest = fmax(sim->contest.farthest, sim->scratch[i].reach);
        sim->scratch[i].reach = 0;
    }
    if (sim->contest.farthest == 0) {
        return;
    }
    tpi_sim_carry_ways(sim);
    tpi_sim_run(sim, find_contenders, sim_chunk_count(sim));
    for (uint32_t i = 0; i < sim_chunk_count(sim); i++) {
        contenders += sim->contest.counts[i];
    }
    for (uint32_t i = 0; contenders > 0 && i < sim->crowd.count; i++) {
        sim->motions.before[sim->crowd.spots[i].tree] = -1; /* all ways are new */
    }
    for (int round = 0; contenders > 0; round++) {
        tpi_sim_run(sim, cut_ways, sim_chunk_count(sim));
        if (!has_changed(sim)) {
            break;
        }
        note_ways(sim);
        keep_ways(sim, round >= MOST_ROUNDS);
        tpi_sim_carry_ways(sim);
    }
}

/* ---- Overlaps -------------------------------------------------------------------------------- */

/* Whether a body touches or overlaps another; in the order of their keys, as in a step. */
static bool meets(const tpi_sim *sim, const struct sim_spot *spot, const struct sim_spot *other,
                  bool (*test)(const struct sim_body *a, const struct sim_body *b))
{
    const bool first = sim->trees.key[spot->tree] < sim->trees.key[other->tree];
    const struct sim_body a = tpi_sim_body_of(sim, first ? spot : other);
    const struct sim_body b = tpi_sim_body_of(sim, first ? other : spot);

    return spot->group != other->group && test(&a, &b);
}

/* What is asked of two bodies. */
typedef bool body_test(const struct sim_body *a, const struct sim_body *b);

/* The first tree below `found` that moves and of which the test is true; `found` if there is none.
 * With `any` it is not the first, but the one that is found first. Bodies that have any of the
 * flags `except` do not count. */
static uint32_t find_body(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except,
                          uint32_t found, bool any, body_test *test, struct sim_effort *effort)
{
    const uint32_t none = found;
    const struct sim_spot *end;
    struct sim_near near;

    sim_near_init(&near, &sim->crowd, spot->x, spot->y, spot->template->solid_radius + SIM_CLOSE);
    for (const struct sim_spot *at = sim_near_run(&near, &end);
         at != NULL && sim_effort_spend(effort, (uint64_t)(end - at) / SPOTS_PER_EDGE);
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if (at->tree < found && (at->flags & except) == 0 &&
                sim_effort_spend(effort, at->template->vertex_count) &&
                meets(sim, spot, at, test)) {
                found = at->tree;
            }
            if (any && found != none) {
                return found;
            }
        }
    }
    return found;
}

static uint32_t find_overlap(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except,
                             bool any, struct sim_effort *effort)
{
    const struct sim_body body = tpi_sim_body_of(sim, spot);
    const uint32_t wall = tpi_sim_overlap_walls(sim, &body, effort);

    if (any && wall != TPI_SIM_NONE) {
        return wall;
    }
    return find_body(sim, spot, except, wall, any, tpi_sim_overlap, effort);
}

bool tpi_sim_has_overlap(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except)
{
    return find_overlap(sim, spot, except, true, NULL) != TPI_SIM_NONE;
}

static bool touches(const tpi_sim *sim, const struct sim_spot *spot, struct sim_effort *effort)
{
    const struct sim_body body = tpi_sim_body_of(sim, spot);

    return (spot->flags & SIM_OBSTACLE) != 0 &&
           (tpi_sim_is_close_to_walls(&sim->walls, &body, effort) ||
            find_body(sim, spot, 0, TPI_SIM_NONE, true, tpi_sim_is_close, effort) != TPI_SIM_NONE);
}

/* Set the flags of a body; returns what it overlaps: the first tree, or any. One that was not
 * checked, for want of effort, is moved with care, as if it overlapped something. */
static uint32_t find_contact(tpi_sim *sim, const struct sim_spot *spot, bool any,
                             struct sim_effort *effort)
{
    uint8_t *flags = &sim->trees.flags[spot->tree];
    const bool close = touches(sim, spot, effort);
    const uint32_t other = close ? find_overlap(sim, spot, 0, any, effort) : TPI_SIM_NONE;
    const bool unknown = effort != NULL && effort->used_up && (spot->flags & SIM_OBSTACLE) != 0;

    *flags &= (uint8_t) ~(SIM_TOUCHES | SIM_OVERLAPS);
    *flags |= close || unknown ? SIM_TOUCHES : 0;
    *flags |= other != TPI_SIM_NONE || unknown ? SIM_OVERLAPS : 0;
    return other;
}

void tpi_sim_check_overlap(tpi_sim *sim, uint32_t tree)
{
    if ((sim->trees.flags[tree] & SIM_MOVING) != 0) {
        find_contact(sim, &sim->crowd.spots[sim->crowd.slot[tree]], true, NULL);
    }
}

struct sim_effort tpi_sim_overlap_effort(const tpi_sim *sim)
{
    return (struct sim_effort){.left = LEAST_EFFORT + (uint64_t)sim->crowd.count * USUAL_EFFORT};
}

uint32_t tpi_sim_check_overlaps(tpi_sim *sim, struct sim_effort *effort,
                                void (*tell)(void *context, uint32_t tree, uint32_t other),
                                void *context)
{
    struct sim_effort usual = tpi_sim_overlap_effort(sim);
    struct sim_effort *own = effort != NULL ? effort : &usual;
    uint32_t unchecked = 0;

    for (uint32_t i = 0; i < sim->crowd.count; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        own->used_up = false;
        const uint32_t other = find_contact(sim, spot, false, own);
        if (other != TPI_SIM_NONE && tell != NULL) {
            tell(context, spot->tree, other);
        }
        unchecked += own->used_up && other == TPI_SIM_NONE ? 1 : 0;
    }
    return unchecked;
}

void tpi_sim_forget_overlaps(tpi_sim *sim, uint32_t slot)
{
    const struct sim_spot *spot = &sim->crowd.spots[slot];

    if ((sim->trees.flags[spot->tree] & (SIM_TOUCHES | SIM_OVERLAPS)) != 0) {
        find_contact(sim, spot, true, NULL);
    }
}
