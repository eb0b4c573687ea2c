/* cross.h - what a line of sight goes through: all sides on its way, not only the first. */
#ifndef TROUPE_SIM_RAY_CROSS_H
#define TROUPE_SIM_RAY_CROSS_H

#include "sim/ray/ray.h"

enum { SIM_MOST_CROSSINGS = 256 };

/* Where a ray goes through the side of something. */
struct sim_crossing {
    double range;
    double z0, z1; /* of the side */
    double facing; /* cosine of the angle at which it is met; positive on the way in */
    uint32_t tree, member;
    uint32_t edge;
    uint32_t spare;
};

struct sim_crossings {
    uint32_t count;
    struct sim_crossing items[SIM_MOST_CROSSINGS]; /* the nearest first; farther ones are dropped */
};

/* All sides that a ray crosses, at whatever height, up to a range: of walls, and if `crowd` of what
 * moves too. */
void tpi_sim_cross(const tpi_sim *sim, const struct sim_ray *ray, double range, bool crowd,
                   struct sim_crossings *out);

/* The straight line between two places in space. */
struct sim_line {
    double x, y, z;    /* where it begins */
    double dx, dy, dz; /* where it leads to, from there */
    uint32_t group;    /* what does not count at its beginning */
    uint32_t tree;     /* and at its end */
};

/* From a model to another one. */
static inline struct sim_line sim_line_between(const struct sim_view *from,
                                               const struct sim_view *to)
{
    return (struct sim_line){.x = from->frame.x,
                             .y = from->frame.y,
                             .z = from->frame.z,
                             .dx = to->frame.x - from->frame.x,
                             .dy = to->frame.y - from->frame.y,
                             .dz = to->frame.z - from->frame.z,
                             .group = from->group,
                             .tree = to->tree};
}

/* The square of its length. */
static inline double sim_line_square(const struct sim_line *line)
{
    return line->dx * line->dx + line->dy * line->dy + line->dz * line->dz;
}

/* On the ground: how long it is, and a ray along it. */
static inline double sim_line_length(const struct sim_line *line)
{
    return sqrt(line->dx * line->dx + line->dy * line->dy);
}

static inline struct sim_ray sim_line_ray(const struct sim_line *line, double length)
{
    return (struct sim_ray){.x = line->x,
                            .y = line->y,
                            .dx = line->dx / length,
                            .dy = line->dy / length,
                            .group = line->group,
                            .sees = SIM_ANY};
}

/* How many sides it goes through: 0 if one can see from one end to the other. */
uint32_t tpi_sim_count_between(const tpi_sim *sim, const struct sim_line *line, bool crowd);

/* The same of up to SIM_MOST_LINES lines at once, among walls only. */
enum { SIM_MOST_LINES = 8 };
void tpi_sim_count_many(const tpi_sim *sim, const struct sim_line *lines, uint32_t count,
                        uint32_t *found);

/* Whether it goes through anything, which is faster to find out. */
bool tpi_sim_is_hidden(const tpi_sim *sim, const struct sim_line *line);

#endif
