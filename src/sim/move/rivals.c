/* rivals.c - which bodies may be in the way of one; see rivals.h. */
#include "sim/move/rivals.h"

#include "sim/move/sweep.h"

/* ---- Piles ----------------------------------------------------------------------------------- */

static bool overlaps(const tpi_sim *sim, uint32_t slot)
{
    return (sim->trees.flags[sim->crowd.spots[slot].tree] & SIM_OVERLAPS) != 0;
}

/* Slots in the order of the crowd: first those that are free, then those that overlap something.
 * `free_before` says of each slot how many free ones are before it, so that the free ones of a run
 * are a run again, and so are the others. */
void tpi_sim_rivals_sort(tpi_sim *sim)
{
    struct sim_contest *contest = &sim->contest;
    const uint32_t count = sim->crowd.count;
    uint32_t piled = 0;

    for (uint32_t i = 0; i < count; i++) {
        piled += overlaps(sim, i) ? 1 : 0;
    }
    contest->free_count = count - piled;
    contest->has_pile = piled > SIM_MOST_PILED;
    if (!contest->has_pile) {
        return;
    }
    uint32_t free_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        contest->free_before[i] = free_count;
        if (overlaps(sim, i)) {
            contest->order[contest->free_count + i - free_count] = i;
        } else {
            contest->order[free_count++] = i;
        }
    }
    contest->free_before[count] = free_count;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static void init(struct sim_rivals *rivals, const tpi_sim *sim, const struct sim_spot *spot,
                 double reach)
{
    rivals->sim = sim;
    rivals->spot = spot;
    rivals->reach = reach;
    rivals->at = rivals->end = rivals->from = rivals->to = 0;
    rivals->piled = sim->contest.has_pile && (sim->trees.flags[spot->tree] & SIM_OVERLAPS) != 0;
    rivals->left = SIM_MOST_PILED;
    rivals->looks = SIM_MOST_LOOKS;
}

void tpi_sim_rivals_init(struct sim_rivals *rivals, const tpi_sim *sim, const struct sim_spot *spot,
                         double reach)
{
    init(rivals, sim, spot, reach);
    rivals->ways = false;
    sim_near_init(&rivals->near, &sim->crowd, spot->x, spot->y,
                  spot->template->solid_radius + reach);
}

void tpi_sim_rivals_init_step(struct sim_rivals *rivals, const tpi_sim *sim,
                              const struct sim_spot *spot)
{
    const double way = sim->motions.reach[spot->tree];

    init(rivals, sim, spot, way);
    rivals->ways = true;
    sim_near_init(&rivals->near, &sim->crowd, spot->x, spot->y,
                  spot->template->solid_radius + way + sim->contest.farthest + 2 * SIM_GAP);
}

static inline bool may_touch(const struct sim_rivals *rivals, const struct sim_spot *b)
{
    const struct sim_spot *a = rivals->spot;
    const double dx = a->x - b->x;
    const double dy = a->y - b->y;
    double most = a->template->solid_radius + b->template->solid_radius + rivals->reach;

    most = rivals->ways ? most + rivals->sim->motions.reach[b->tree] + 2 * SIM_GAP : most;
    return dx * dx + dy * dy <= most * most && a->group != b->group &&
           (a->flags & b->flags & SIM_OBSTACLE) != 0;
}

/* The next run of spots; false after the last. In a pile it is one of free ones, and the others of
 * it come before the next. */
static bool next_run(struct sim_rivals *rivals)
{
    const struct sim_contest *contest = &rivals->sim->contest;
    const struct sim_spot *spots = rivals->sim->crowd.spots;
    const struct sim_spot *end;

    if (rivals->from < rivals->to && rivals->left > 0 && rivals->looks > 0) {
        rivals->at = contest->free_count + rivals->from - contest->free_before[rivals->from];
        rivals->end = contest->free_count + rivals->to - contest->free_before[rivals->to];
        rivals->from = rivals->to;
        return true;
    }
    const struct sim_spot *at = sim_near_run(&rivals->near, &end);
    if (at == NULL) {
        return false;
    }
    rivals->at = (uint32_t)(at - spots);
    rivals->end = (uint32_t)(end - spots);
    if (rivals->piled) {
        rivals->from = rivals->at;
        rivals->to = rivals->end;
        rivals->at = contest->free_before[rivals->from];
        rivals->end = contest->free_before[rivals->to];
    }
    return true;
}

/* Whether a place in the order is one of the pile; it is counted. */
static bool is_too_many(struct sim_rivals *rivals, uint32_t place, bool met)
{
    if (place < rivals->sim->contest.free_count) {
        return false;
    }
    if (rivals->looks == 0 || rivals->left == 0) {
        rivals->at = rivals->end;
        return true;
    }
    rivals->looks--;
    rivals->left -= met ? 1 : 0;
    return false;
}

const struct sim_spot *tpi_sim_rivals_next(struct sim_rivals *rivals)
{
    const struct sim_spot *spots = rivals->sim->crowd.spots;

    for (;;) {
        while (rivals->at == rivals->end) {
            if (!next_run(rivals)) {
                return NULL;
            }
        }
        const uint32_t place = rivals->at++;
        const struct sim_spot *other =
            &spots[rivals->piled ? rivals->sim->contest.order[place] : place];
        const bool met = may_touch(rivals, other);
        if (rivals->piled && is_too_many(rivals, place, met)) {
            continue;
        }
        if (met) {
            return other;
        }
    }
}

/* ---- None ------------------------------------------------------------------------------------ */

/* How many of some spots are near. */
static uint32_t count_near(const struct sim_crowd *crowd, uint32_t from, uint32_t to, float x,
                           float y, float most)
{
    uint32_t found = 0;

    for (uint32_t i = from; i < to; i++) {
        const float dx = crowd->at_x[i] - x;
        const float dy = crowd->at_y[i] - y;
        found += dx * dx + dy * dy <= most * most;
    }
    return found;
}

bool tpi_sim_rivals_is_none(const struct sim_rivals *rivals)
{
    enum { PORTION = 256 }; /* of which many are counted at a time */
    const struct sim_near *near = &rivals->near;
    const struct sim_crowd *crowd = near->crowd;
    const uint32_t left = sim_crowd_cell(near->x - near->reach, crowd->per_cell, crowd->columns);
    const uint32_t right = sim_crowd_cell(near->x + near->reach, crowd->per_cell, crowd->columns);
    const float x = (float)near->x;
    const float y = (float)near->y;
    const float most = (float)(near->reach + 2 * crowd->rounding) * 1.00001f;
    uint32_t found = crowd->count - crowd->small; /* those too large for cells may be anywhere */

    for (uint32_t row = near->row; row <= near->last && found <= 1; row++) {
        const uint32_t *first = crowd->first + (size_t)row * crowd->columns;
        const uint32_t end = first[right + 1];
        for (uint32_t i = first[left]; i < end && found <= 1; i += PORTION) {
            found += count_near(crowd, i, end - i < PORTION ? end : i + PORTION, x, y, most);
        }
    }
    return found <= 1; /* itself */
}
