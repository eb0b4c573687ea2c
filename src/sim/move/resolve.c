/* resolve.c - which bodies stop in a step; see resolve.h. */
#include "sim/move/resolve.h"

#include <math.h>

#include "sim/move/carry.h"
#include "sim/move/contact.h"
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

/* Whether two bodies may touch in this step. */
static inline bool may_touch(const tpi_sim *sim, const struct sim_spot *a, const struct sim_spot *b)
{
    const double dx = a->x - b->x;
    const double dy = a->y - b->y;
    const double most = a->template->solid_radius + b->template->solid_radius +
                        sim->motions.reach[a->tree] + sim->motions.reach[b->tree] + 2 * SIM_GAP;

    return dx * dx + dy * dy <= most * most && a->group != b->group &&
           (a->flags & b->flags & SIM_OBSTACLE) != 0;
}

/* The next neighbour that a body may touch; the walk is begun with *at and *end NULL. */
static const struct sim_spot *next_rival(const tpi_sim *sim, const struct sim_spot *spot,
                                         struct sim_near *near, const struct sim_spot **at,
                                         const struct sim_spot **end)
{
    for (;;) {
        while (*at == *end) {
            *at = sim_near_run(near, end);
            if (*at == NULL) {
                return NULL;
            }
        }
        const struct sim_spot *other = (*at)++;
        if (may_touch(sim, spot, other)) {
            return other;
        }
    }
}

static void near_rivals(const tpi_sim *sim, const struct sim_spot *spot, struct sim_near *near)
{
    sim_near_init(near, &sim->crowd, spot->x, spot->y,
                  spot->template->solid_radius + sim->motions.reach[spot->tree] +
                      sim->contest.farthest + 2 * SIM_GAP);
}

/* Whether no body is near enough, which is so for most and quick to find out: with rounded numbers,
 * and without a look at the others themselves. */
static bool is_alone(const struct sim_near *near)
{
    const struct sim_crowd *crowd = near->crowd;
    const uint32_t left = sim_crowd_cell(near->x - near->reach, crowd->per_cell, crowd->columns);
    const uint32_t right = sim_crowd_cell(near->x + near->reach, crowd->per_cell, crowd->columns);
    const float x = (float)near->x;
    const float y = (float)near->y;
    const float most = (float)(near->reach + 2 * crowd->rounding) * 1.00001f;
    uint32_t found = crowd->count - crowd->small; /* those too large for cells may be anywhere */

    for (uint32_t row = near->row; row <= near->last; row++) {
        const uint32_t *first = crowd->first + (size_t)row * crowd->columns;
        const uint32_t end = first[right + 1];
        for (uint32_t i = first[left]; i < end; i++) {
            const float dx = crowd->at_x[i] - x;
            const float dy = crowd->at_y[i] - y;
            found += dx * dx + dy * dy <= most * most;
        }
    }
    return found <= 1; /* itself */
}

static void find_contenders(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);
    uint32_t count = 0;

    (void)worker;
    for (uint32_t i = chunk.first; i < chunk.end; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[i];
        const struct sim_spot *at = NULL;
        const struct sim_spot *end = NULL;
        struct sim_near near;
        if (sim->motions.reach[spot->tree] == 0 || (spot->flags & SIM_OBSTACLE) == 0) {
            continue;
        }
        near_rivals(sim, spot, &near);
        if (!is_alone(&near) && next_rival(sim, spot, &near, &at, &end) != NULL) {
            sim->contest.spots[chunk.first + count++] = i;
        }
    }
    sim->contest.counts[item] = count;
}

/* When a body first touches a neighbour, as a share of the step. The pair is looked at in the order
 * of their keys, so that both find the same. */
static double touch(const tpi_sim *sim, const struct sim_spot *spot, const struct sim_spot *other)
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
    return tpi_sim_touch(&a, &b) / seconds(sim);
}

static void cut_ways(void *argument, uint32_t item, uint32_t worker)
{
    tpi_sim *sim = argument;
    const struct sim_chunk chunk = sim_chunk_of(sim, item);

    for (uint32_t i = 0; i < sim->contest.counts[item]; i++) {
        const struct sim_spot *spot = &sim->crowd.spots[sim->contest.spots[chunk.first + i]];
        const double until = sim->motions.until[spot->tree];
        double next = until;
        const struct sim_spot *at = NULL;
        const struct sim_spot *end = NULL;
        struct sim_near near;
        near_rivals(sim, spot, &near);
        for (const struct sim_spot *other = next_rival(sim, spot, &near, &at, &end); other != NULL;
             other = next_rival(sim, spot, &near, &at, &end)) {
            next = fmin(next, touch(sim, spot, other));
        }
        sim->motions.next[spot->tree] = next;
        sim->scratch[worker].changed |= next < until;
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
    for (int round = 0; contenders > 0; round++) {
        tpi_sim_run(sim, cut_ways, sim_chunk_count(sim));
        if (!has_changed(sim)) {
            break;
        }
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
 * Bodies that have any of the flags `except` do not count. */
static uint32_t find_body(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except,
                          uint32_t found, body_test *test, struct sim_effort *effort)
{
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
        }
    }
    return found;
}

static uint32_t find_overlap(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except,
                             struct sim_effort *effort)
{
    const struct sim_body body = tpi_sim_body_of(sim, spot);
    const uint32_t wall = tpi_sim_overlap_walls(sim, &body, effort);

    return find_body(sim, spot, except, wall, tpi_sim_overlap, effort);
}

uint32_t tpi_sim_find_overlap(const tpi_sim *sim, const struct sim_spot *spot, uint32_t except)
{
    return find_overlap(sim, spot, except, NULL);
}

static bool touches(const tpi_sim *sim, const struct sim_spot *spot, struct sim_effort *effort)
{
    const struct sim_body body = tpi_sim_body_of(sim, spot);

    return (spot->flags & SIM_OBSTACLE) != 0 &&
           (tpi_sim_is_close_to_walls(&sim->walls, &body, effort) ||
            find_body(sim, spot, 0, TPI_SIM_NONE, tpi_sim_is_close, effort) != TPI_SIM_NONE);
}

/* Set the flags of a body; returns what it overlaps. One that was not checked, for want of effort,
 * is moved with care, as if it touched something. */
static uint32_t find_contact(tpi_sim *sim, const struct sim_spot *spot, struct sim_effort *effort)
{
    uint8_t *flags = &sim->trees.flags[spot->tree];
    const bool close = touches(sim, spot, effort);
    const uint32_t other = close ? find_overlap(sim, spot, 0, effort) : TPI_SIM_NONE;
    const bool unknown = effort != NULL && effort->used_up && (spot->flags & SIM_OBSTACLE) != 0;

    *flags &= (uint8_t) ~(SIM_TOUCHES | SIM_OVERLAPS);
    *flags |= close || unknown ? SIM_TOUCHES : 0;
    *flags |= other != TPI_SIM_NONE ? SIM_OVERLAPS : 0;
    return other;
}

void tpi_sim_check_overlap(tpi_sim *sim, uint32_t tree)
{
    if ((sim->trees.flags[tree] & SIM_MOVING) != 0) {
        find_contact(sim, &sim->crowd.spots[sim->crowd.slot[tree]], NULL);
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
        const uint32_t other = find_contact(sim, spot, own);
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
        find_contact(sim, spot, NULL);
    }
}
