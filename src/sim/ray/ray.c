/* ray.c - where a ray ends; see ray.h. */
#include "sim/ray/ray.h"

#include <math.h>

#include "sim/ray/crowd.h"

/* ---- Walls ----------------------------------------------------------------------------------- */

/* Directions along an axis get a slope that nobody can see, so that one over it is a number. */
static inline double slope(double d)
{
    return d > 1e-12 || d < -1e-12 ? d : 1e-12;
}

static inline void clip(double at, double per, double last, double *t, double *end)
{
    const double edge = 1e-6; /* a little inside of the first and last cells, which are empty */
    const double first = (edge - at) * per;
    const double second = (last - edge - at) * per;
    const double near = first < second ? first : second;
    const double far = first < second ? second : first;

    *t = near > *t ? near : *t;
    *end = far < *end ? far : *end;
}

struct sim_way tpi_sim_way_of(const struct sim_walls *walls, const struct sim_ray *ray,
                              double range)
{
    struct sim_way way = {.u = (ray->x - walls->x) * walls->per_cell,
                          .v = (ray->y - walls->y) * walls->per_cell,
                          .du = slope(ray->dx) * walls->per_cell,
                          .dv = slope(ray->dy) * walls->per_cell,
                          .end = range};

    if (walls->count == 0) {
        way.end = -1;
        return way;
    }
    way.per_u = 1 / way.du;
    way.per_v = 1 / way.dv;
    clip(way.u, way.per_u, walls->columns, &way.t, &way.end);
    clip(way.v, way.per_v, walls->rows, &way.t, &way.end);
    if (way.t < way.end) { /* otherwise it does not come into the grid */
        way.x = (int32_t)(way.u + way.du * way.t);
        way.y = (int32_t)(way.v + way.dv * way.t);
    }
    return way;
}

/* The nearest to a value that is between a and b, whichever is less. */
static inline int32_t between(int32_t value, int32_t a, int32_t b)
{
    const int32_t low = a < b ? a : b;
    const int32_t high = a < b ? b : a;

    return value < low ? low : value > high ? high : value;
}

/* Go on to the cell beyond so many empty ones. It is known from the border that is crossed, not
 * from where the ray is by then, which may be rounded to this side of it. */
static inline void leave(struct sim_way *way, int32_t room)
{
    const int32_t x = way->x;
    const int32_t y = way->y;
    const int32_t far_x = way->du > 0 ? x + room - 1 : x - room + 1;
    const int32_t far_y = way->dv > 0 ? y + room - 1 : y - room + 1;
    const double t_u = ((way->du > 0 ? far_x + 1 : far_x) - way->u) * way->per_u;
    const double t_v = ((way->dv > 0 ? far_y + 1 : far_y) - way->v) * way->per_v;

    way->t = t_u < t_v ? t_u : t_v;
    if (t_u < t_v) {
        way->x += way->du > 0 ? room : -room;
        way->y = between((int32_t)(way->v + way->dv * way->t), y, far_y);
    } else {
        way->x = between((int32_t)(way->u + way->du * way->t), x, far_x);
        way->y += way->dv > 0 ? room : -room;
    }
}

bool tpi_sim_way_next(struct sim_way *way, const struct sim_walls *walls, double range,
                      size_t *cell)
{
    const uint32_t quadrant = sim_quadrant(way->du < 0, way->dv < 0);

    while (way->t < way->end && way->t <= range) {
        *cell = (size_t)way->y * walls->columns + (size_t)way->x;
        const int32_t room = (int32_t)sim_room_ahead(walls->room[*cell], quadrant);
        leave(way, room > 0 ? room : 1);
        if (room == 0) {
            return true;
        }
    }
    return false;
}

void tpi_sim_cast_walls(const struct sim_walls *walls, const struct sim_ray *ray,
                        struct sim_hit *hit)
{
    struct sim_way way = tpi_sim_way_of(walls, ray, hit->range);
    size_t cell;

    while (tpi_sim_way_next(&way, walls, hit->range, &cell)) {
        for (uint32_t i = walls->first[cell]; i < walls->first[cell + 1]; i++) {
            sim_try_wall(&walls->items[walls->list[i]], ray, hit);
        }
    }
}

/* The least of the four quadrants. */
static inline uint32_t room_around(uint32_t room)
{
    const uint32_t up = (room & 255) < (room >> 8 & 255) ? room & 255 : room >> 8 & 255;
    const uint32_t down = (room >> 16 & 255) < room >> 24 ? room >> 16 & 255 : room >> 24;

    return up < down ? up : down;
}

double tpi_sim_room(const struct sim_walls *walls, double x, double y)
{
    const double u = (x - walls->x) * walls->per_cell;
    const double v = (y - walls->y) * walls->per_cell;

    if (walls->count == 0) {
        return HUGE_VAL;
    }
    if (!(u >= 0 && v >= 0 && u < walls->columns && v < walls->rows)) {
        return 0;
    }
    const uint32_t room = room_around(walls->room[(size_t)v * walls->columns + (size_t)u]);
    return room > 0 ? (room - 1) * walls->cell : 0;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

void tpi_sim_cast_body(const struct sim_spot *spot, const struct sim_ray *ray, struct sim_hit *hit)
{
    const struct sim_template *template = spot->template;
    const double x = ray->x - spot->x;
    const double y = ray->y - spot->y;
    const struct sim_ray turned = {.x = spot->c * x + spot->s * y,
                                   .y = spot->c * y - spot->s * x,
                                   .z = ray->z - spot->z,
                                   .dx = spot->c * ray->dx + spot->s * ray->dy,
                                   .dy = spot->c * ray->dy - spot->s * ray->dx};

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        if ((part->flags & ray->sees) != 0 &&
            (ray->flat || sim_within(turned.z, part->z0, part->z1))) {
            const double range = sim_meet_part(template, part, &turned);
            if (sim_is_nearer(range, (double)part->ranger_return, hit->range, hit->ranger_return)) {
                *hit = (struct sim_hit){.range = range,
                                        .ranger_return = (double)part->ranger_return,
                                        .tree = spot->tree,
                                        .member = part->member};
            }
        }
    }
}

/* Whether the ray comes near the circle round a body before it ends. */
static inline bool comes_near(const struct sim_spot *spot, const struct sim_ray *ray, double range)
{
    const double x = spot->x - ray->x;
    const double y = spot->y - ray->y;
    const double along = x * ray->dx + y * ray->dy;
    const double across = x * ray->dy - y * ray->dx;
    const double radius = (double)spot->radius;

    return across <= radius && across >= -radius && along >= -radius && along - radius <= range;
}

/* The bodies in the rows of cells that the ray passes, each row only as far as the ray is in it. */
static void cast_crowd(const struct sim_crowd *crowd, const struct sim_ray *ray,
                       struct sim_hit *hit)
{
    const double mx = ray->x + ray->dx * hit->range / 2;
    const double my = ray->y + ray->dy * hit->range / 2;
    const struct sim_spot *end;
    struct sim_near near;

    sim_near_init(&near, crowd, mx, my, hit->range / 2);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if ((at->flags & ray->sees) != 0 && at->group != ray->group &&
                comes_near(at, ray, hit->range)) {
                tpi_sim_cast_body(at, ray, hit);
            }
        }
    }
}

bool tpi_sim_cast(const tpi_sim *sim, const struct sim_ray *ray, struct sim_hit *hit)
{
    tpi_sim_cast_walls(&sim->walls, ray, hit);
    if (sim->crowd.count > 0) {
        cast_crowd(&sim->crowd, ray, hit);
    }
    return hit->tree != TPI_SIM_NONE;
}
