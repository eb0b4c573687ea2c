/* touch.c - whether something is within reach of a straight piece. */
#include <math.h>

#include "sim/ray/crowd.h"
#include "sim/ray/ray.h"
#include "sim/ray/segment.h"
#include "sim/ray/touch.h"

static bool heights_meet(const struct sim_stick *stick, double z0, double z1)
{
    return stick->flat || (z0 <= stick->z1 + 1e-9 && z1 >= stick->z0 - 1e-9);
}

/* ---- Walls ----------------------------------------------------------------------------------- */

static bool feels_wall(const struct sim_stick *stick, const struct sim_segment *own,
                       const struct sim_wall *wall)
{
    const struct sim_segment other = {wall->x0, wall->y0, wall->x1, wall->y1};

    return (wall->flags & stick->feels) != 0 && wall->tree != stick->group &&
           heights_meet(stick, wall->z0, wall->z1) && sim_segments_near(own, &other, stick->reach);
}

static bool feels_walls(const struct sim_walls *walls, const struct sim_stick *stick,
                        const struct sim_segment *own)
{
    const double x = (own->x0 + own->x1) / 2;
    const double y = (own->y0 + own->y1) / 2;
    const double half = fmax(fabs(own->x1 - own->x0), fabs(own->y1 - own->y0)) / 2;

    if (walls->count == 0) {
        return false;
    }
    const struct sim_patch patch = sim_patch_of(walls, x, y, half + stick->reach);
    for (uint32_t row = patch.bottom; row <= patch.top; row++) {
        const uint32_t *first = walls->block_first + (size_t)row * walls->block_columns;
        for (uint32_t i = first[patch.left]; i < first[patch.right + 1]; i++) {
            if (feels_wall(stick, own, &walls->items[walls->block_list[i]])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static bool feels_part(const struct sim_template *template, const struct sim_part *part,
                       const struct sim_segment *own, double reach)
{
    const double far = part->radius + reach;

    if (sim_segment_square(part->x, part->y, own) > far * far * (1 + 1e-9)) {
        return false;
    }
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment edge = {template->vx[i], template->vy[i], template->vx[i + 1],
                                         template->vy[i + 1]};
        if (sim_segments_near(own, &edge, reach)) {
            return true;
        }
    }
    return false;
}

static bool feels_body(const struct sim_stick *stick, const struct sim_spot *spot)
{
    const double x0 = stick->x0 - spot->x;
    const double y0 = stick->y0 - spot->y;
    const double x1 = stick->x1 - spot->x;
    const double y1 = stick->y1 - spot->y;
    const struct sim_segment own = {spot->c * x0 + spot->s * y0, spot->c * y0 - spot->s * x0,
                                    spot->c * x1 + spot->s * y1, spot->c * y1 - spot->s * x1};

    for (uint32_t i = 0; i < spot->template->part_count; i++) {
        const struct sim_part *part = &spot->template->parts[i];
        if ((part->flags & stick->feels) != 0 &&
            heights_meet(stick, spot->z + part->z0, spot->z + part->z1) &&
            feels_part(spot->template, part, &own, stick->reach)) {
            return true;
        }
    }
    return false;
}

static bool feels_crowd(const struct sim_crowd *crowd, const struct sim_stick *stick)
{
    const double half = hypot(stick->x1 - stick->x0, stick->y1 - stick->y0) / 2;
    const struct sim_spot *end;
    struct sim_near near;

    sim_near_init(&near, crowd, (stick->x0 + stick->x1) / 2, (stick->y0 + stick->y1) / 2,
                  half + stick->reach);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if ((at->flags & stick->feels) != 0 && at->group != stick->group &&
                feels_body(stick, at)) {
                return true;
            }
        }
    }
    return false;
}

bool tpi_sim_feels(const tpi_sim *sim, const struct sim_stick *stick)
{
    const struct sim_segment own = {stick->x0, stick->y0, stick->x1, stick->y1};

    return feels_walls(&sim->walls, stick, &own) ||
           (sim->crowd.count > 0 && feels_crowd(&sim->crowd, stick));
}

/* ---- Covering -------------------------------------------------------------------------------- */

/* Whether a point, in the tree's frame, is within a part. */
static bool is_within(const struct sim_template *template, const struct sim_part *part, double x,
                      double y)
{
    bool within = false;

    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const double x0 = template->vx[i];
        const double y0 = template->vy[i];
        const double x1 = template->vx[i + 1];
        const double y1 = template->vy[i + 1];
        if ((y0 > y) != (y1 > y) && x < x0 + (x1 - x0) * ((y - y0) / (y1 - y0))) {
            within = !within;
        }
    }
    return within;
}

static bool is_over(const struct sim_stick *stick, const struct sim_spot *spot)
{
    const double dx = stick->x0 - spot->x;
    const double dy = stick->y0 - spot->y;
    const double x = spot->c * dx + spot->s * dy;
    const double y = spot->c * dy - spot->s * dx;

    for (uint32_t i = 0; i < spot->template->part_count; i++) {
        const struct sim_part *part = &spot->template->parts[i];
        if ((part->flags & stick->feels) != 0 &&
            heights_meet(stick, spot->z + part->z0, spot->z + part->z1) &&
            is_within(spot->template, part, x, y)) {
            return true;
        }
    }
    return false;
}

bool tpi_sim_is_covered(const tpi_sim *sim, const struct sim_stick *stick)
{
    const struct sim_spot *end;
    struct sim_near near;

    if (sim->crowd.count == 0) {
        return false;
    }
    sim_near_init(&near, &sim->crowd, stick->x0, stick->y0, 0);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if ((at->flags & stick->feels) != 0 && at->group != stick->group &&
                is_over(stick, at)) {
                return true;
            }
        }
    }
    return false;
}
