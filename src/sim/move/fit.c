/* fit.c - the shapes of bodies that touch or overlap something; see fit.h. */
#include "sim/move/fit.h"

/* ---- Corners --------------------------------------------------------------------------------- */

/* 1 if the inside of a part is on the left of its edges, -1 if it is on the right. */
static double inside_of(const struct sim_template *template, const struct sim_part *part)
{
    double area = 0;

    if ((part->flags & SIM_ONE_SIDED) != 0) {
        return 1;
    }
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        area += (template->vx[i] - part->x) * (template->vy[i + 1] - part->y) -
                (template->vx[i + 1] - part->x) * (template->vy[i] - part->y);
    }
    return area < 0 ? -1 : 1;
}

/* Where a corner goes if the two edges at it move by one to their left. It goes no farther than
 * twice as much, also where they meet at a sharp point: less than the gap, so that nobody gains by
 * it. */
static void inward(double ax, double ay, double bx, double by, double *x, double *y)
{
    const double a = sqrt(ax * ax + ay * ay);
    const double b = sqrt(bx * bx + by * by);
    const double nx = (a > 0 ? -ay / a : 0) + (b > 0 ? -by / b : 0);
    const double ny = (a > 0 ? ax / a : 0) + (b > 0 ? bx / b : 0);
    const double square = nx * nx + ny * ny; /* twice 1 + the cosine between them */
    const double most = SIM_INSET_MOST;
    const double share = square * most * most > 4 ? 2 / square
                         : square > 0             ? most / sqrt(square)
                                                  : 0;

    *x = nx * share;
    *y = ny * share;
}

void tpi_sim_fit_corner(const struct sim_fit *fit, const struct sim_template *template,
                        const struct sim_part *part, uint32_t corner, double *x, double *y)
{
    const uint32_t i = corner == part->first + part->count ? part->first : corner;
    const uint32_t before = i == part->first ? part->first + part->count - 1 : i - 1;
    const double *vx = template->vx;
    const double *vy = template->vy;

    if (fit->kept) {
        *x = fit->vx[i];
        *y = fit->vy[i];
        return;
    }
    if (fit->scale != 1) {
        *x = fit->x + fit->scale * (vx[i] - fit->x);
        *y = fit->y + fit->scale * (vy[i] - fit->y);
        return;
    }
    const double ax = vx[i] - vx[before];
    const double ay = vy[i] - vy[before];
    const double bx = vx[i + 1] - vx[i];
    const double by = vy[i + 1] - vy[i];
    const double shorter = sqrt(fmin(ax * ax + ay * ay, bx * bx + by * by));
    const double inset = fmin(fit->inset, shorter / 4) * inside_of(template, part);
    double nx;
    double ny;

    inward(ax, ay, bx, by, &nx, &ny);
    *x = vx[i] + inset * nx;
    *y = vy[i] + inset * ny;
}

void tpi_sim_fit_keep(struct sim_fit *fit, const struct sim_template *template)
{
    if (template->vertex_count > SIM_KEPT_CORNERS) {
        return;
    }
    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        for (uint32_t k = part->first; k < part->first + part->count; k++) {
            tpi_sim_fit_corner(fit, template, part, k, &fit->vx[k], &fit->vy[k]);
        }
    }
    fit->kept = true;
}

/* ---- Middles --------------------------------------------------------------------------------- */

struct sim_middle tpi_sim_middle_of(const struct sim_template *template)
{
    const struct sim_part *largest = NULL;
    struct sim_middle middle = {.narrow = HUGE_VAL};

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        if ((part->flags & SIM_OBSTACLE) != 0 &&
            (largest == NULL || part->radius > largest->radius)) {
            largest = part;
        }
    }
    if (largest == NULL) {
        return (struct sim_middle){0};
    }
    middle.x = largest->x;
    middle.y = largest->y;
    middle.wide = template->solid_radius + hypot(middle.x, middle.y);
    for (uint32_t i = largest->first; i < largest->first + largest->count; i++) {
        const struct sim_segment edge = {template->vx[i], template->vy[i], template->vx[i + 1],
                                         template->vy[i + 1]};
        middle.narrow = fmin(middle.narrow, sim_segment_square(middle.x, middle.y, &edge));
    }
    middle.narrow = sqrt(middle.narrow);
    return middle;
}

/* ---- Scales ---------------------------------------------------------------------------------- */

/* The scale that belongs to such a share; HUGE_VAL for none. */
static double scale_of(double share)
{
    return share > 0 && share < HUGE_VAL ? 1 / share : HUGE_VAL;
}

/* The least scale, about the origin, at which `own` comes as far as `other`. */
static double reach_of(const struct sim_segment *own, const struct sim_segment *other)
{
    const double corner = sim_line_hit(own->x0, own->y0, other);
    const double start = scale_of(sim_line_hit(other->x0, other->y0, own));
    const double end = scale_of(sim_line_hit(other->x1, other->y1, own));

    return fmin(corner > 0 ? corner : HUGE_VAL, fmin(start, end));
}

double tpi_sim_part_scale(const struct sim_body *body, double x, double y,
                          const struct sim_part *part, const struct sim_segment *other)
{
    const struct sim_segment shifted = sim_segment_from(x, y, other);
    double least = HUGE_VAL;

    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sim_segment edge = sim_body_edge(body, i);
        const struct sim_segment own = sim_segment_from(x, y, &edge);
        least = fmin(least, reach_of(&own, &shifted));
    }
    return least;
}

double tpi_sim_corner_scale(const struct sim_body *a, const struct sim_part *p, const double m[2],
                            const struct sim_body *b, const struct sim_part *q, const double n[2])
{
    double least = HUGE_VAL;

    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const struct sim_segment own = sim_body_edge(a, i);
        const double x = own.x0 - m[0];
        const double y = own.y0 - m[1];
        for (uint32_t k = q->first; k < q->first + q->count; k++) {
            /* scale * (corner - edge) is the way from middle to middle */
            const struct sim_segment edge = sim_body_edge(b, k);
            const struct sim_segment gap = {x - (edge.x0 - n[0]), y - (edge.y0 - n[1]),
                                            x - (edge.x1 - n[0]), y - (edge.y1 - n[1])};
            least = fmin(least, scale_of(sim_line_hit(n[0] - m[0], n[1] - m[1], &gap)));
        }
    }
    return least;
}
