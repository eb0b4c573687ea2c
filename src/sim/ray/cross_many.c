/*
 * cross_many.c - how many walls there are between a place and several others.
 *
 * A walk through the cells of walls waits for memory and for sums that follow from each other most
 * of its time. So several walks are made at once, a jump of each in turn. Each comes by the same
 * cells as tpi_sim_way_next() finds, one after the other.
 */
#include <math.h>

#include "sim/ray/cross.h"
#include "sim/ray/crowd.h"

/* ---- Walks ----------------------------------------------------------------------------------- */

enum { MOST_CELLS = 64 }; /* of a walk, before they are looked at */

struct walk {
    double u, v, du, dv, per_u, per_v, t, end; /* as in struct sim_way */
    int32_t x, y;
    int32_t right, up; /* -1, or 0 for to the left and down */
    uint32_t quadrant;
    uint32_t count;           /* of the cells */
    size_t cells[MOST_CELLS]; /* with walls, that were passed */
};

static void begin(struct walk *w, const struct sim_walls *walls, const struct sim_ray *ray,
                  double range)
{
    const struct sim_way nowhere = {.end = -1};
    const struct sim_way way = range < 1e-9 ? nowhere : tpi_sim_way_of(walls, ray, range);

    w->u = way.u;
    w->v = way.v;
    w->du = way.du;
    w->dv = way.dv;
    w->per_u = way.per_u;
    w->per_v = way.per_v;
    w->t = way.t;
    w->end = way.end;
    w->x = way.x;
    w->y = way.y;
    w->right = -(way.du > 0);
    w->up = -(way.dv > 0);
    w->quadrant = sim_quadrant(way.du < 0, way.dv < 0);
    w->count = 0;
}

static inline int32_t keep_within(int32_t value, int32_t low, int32_t high)
{
    const int32_t least = value < low ? low : value;

    return least > high ? high : least;
}

/* a if the mask is -1, b if it is 0. */
static inline int32_t choose(int32_t mask, int32_t a, int32_t b)
{
    return (a & mask) | (b & ~mask);
}

/* One jump, across all empty cells; a cell with walls is noted. Written so that nothing is decided
 * by a branch, which nobody could foretell. */
static inline void jump(struct walk *w, const struct sim_walls *walls)
{
    const size_t cell = (size_t)w->y * walls->columns + (size_t)w->x;
    const int32_t empty = (int32_t)sim_room_ahead(walls->room[cell], w->quadrant);
    const int32_t room = empty + (empty == 0);
    const int32_t next_x = w->x + choose(w->right, room, -room);
    const int32_t next_y = w->y + choose(w->up, room, -room);
    const double t_u = (next_x + 1 + w->right - w->u) * w->per_u;
    const double t_v = (next_y + 1 + w->up - w->v) * w->per_v;
    const int32_t sideways = -(t_u < t_v);
    const double t = t_u < t_v ? t_u : t_v;
    const int32_t x = keep_within((int32_t)(w->u + w->du * t), w->x - (~w->right & (room - 1)),
                                  w->x + (w->right & (room - 1)));
    const int32_t y = keep_within((int32_t)(w->v + w->dv * t), w->y - (~w->up & (room - 1)),
                                  w->y + (w->up & (room - 1)));

    w->t = t;
    w->x = choose(sideways, next_x, x);
    w->y = choose(sideways, y, next_y);
    w->cells[w->count] = cell;
    w->count += empty == 0;
}

/* Until all have come to their end, or one has no room for another cell. */
static void jump_all(struct walk *walks, uint32_t count, const struct sim_walls *walls)
{
    bool more = true;

    while (more) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            struct walk *w = &walks[i];
            if (w->t < w->end && w->count < MOST_CELLS) {
                jump(w, walls);
                more = true;
            }
        }
    }
}

/* ---- Sides ----------------------------------------------------------------------------------- */

/* How far away a wall is met; HUGE_VAL if it is not. Most are not, which is found out without a
 * division. */
static inline double meet(const struct sim_wall *wall, const struct sim_ray *ray)
{
    const double px = wall->x0 - ray->x;
    const double py = wall->y0 - ray->y;
    const double qx = wall->x1 - ray->x;
    const double qy = wall->y1 - ray->y;
    const double a = ray->dx * py - ray->dy * px;
    const double b = ray->dx * qy - ray->dy * qx;

    if (a * b > 0 || (wall->flags & ray->sees) == 0 || wall->tree == ray->group) {
        return HUGE_VAL;
    }
    return sim_meet(a, b, px, py, qx, qy);
}

/* Whether the line goes through a wall at its height, and not at its own end. */
static bool is_between(const tpi_sim *sim, const struct sim_line *line, double share,
                       const struct sim_wall *wall)
{
    return sim->trees.group[wall->tree] != sim->trees.group[line->tree] &&
           sim_within(line->z + line->dz * share, wall->z0, wall->z1);
}

/* The sides of walls that a line has crossed. A wall is met in several cells. */
struct sides {
    uint32_t met;                       /* how many, at whatever height */
    uint32_t count;                     /* how many of them count */
    uint32_t edges[SIM_MOST_CROSSINGS]; /* the numbers of those that were met */
};

static inline bool is_known(const struct sides *sides, uint32_t edge)
{
    for (uint32_t i = sides->met; i > 0; i--) {
        if (sides->edges[i - 1] == edge) {
            return true;
        }
    }
    return false;
}

/* False if there are more than can be noted. */
static bool look(const tpi_sim *sim, const struct walk *w, const struct sim_line *line,
                 const struct sim_ray *ray, double length, struct sides *sides)
{
    const struct sim_walls *walls = &sim->walls;

    for (uint32_t i = 0; i < w->count; i++) {
        const size_t cell = w->cells[i];
        for (uint32_t k = walls->first[cell]; k < walls->first[cell + 1]; k++) {
            const uint32_t edge = walls->list[k];
            const double range = meet(&walls->items[edge], ray);
            if (!(range <= length) || is_known(sides, edge)) {
                continue;
            }
            if (sides->met == SIM_MOST_CROSSINGS) {
                return false;
            }
            sides->edges[sides->met++] = edge;
            sides->count += is_between(sim, line, range / length, &walls->items[edge]);
        }
    }
    return true;
}

/* Of those that are too far to be noted the nearest count, as everywhere. */
static uint32_t finish(const tpi_sim *sim, struct walk *w, const struct sim_line *line,
                       const struct sim_ray *ray, double length)
{
    struct sides sides;
    bool fits;

    sides.met = sides.count = 0;
    fits = look(sim, w, line, ray, length, &sides);
    while (fits && w->t < w->end) {
        w->count = 0;
        jump_all(w, 1, &sim->walls);
        fits = look(sim, w, line, ray, length, &sides);
    }
    return fits ? sides.count : tpi_sim_count_between(sim, line, false);
}

void tpi_sim_count_many(const tpi_sim *sim, const struct sim_line *lines, uint32_t count,
                        uint32_t *found)
{
    const struct sim_walls *walls = &sim->walls;
    struct walk walks[SIM_MOST_LINES];
    struct sim_ray rays[SIM_MOST_LINES];
    double lengths[SIM_MOST_LINES];

    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = sim_line_length(&lines[i]);
        rays[i] = sim_line_ray(&lines[i], lengths[i]);
        begin(&walks[i], walls, &rays[i], lengths[i]);
    }
    jump_all(walks, count, walls);
    for (uint32_t i = 0; i < count; i++) {
        found[i] = finish(sim, &walks[i], &lines[i], &rays[i], lengths[i]);
    }
}
