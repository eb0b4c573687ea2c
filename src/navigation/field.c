/* field.c - how well readings fit a map; see field.h. */
#include "navigation/field.h"

#include <math.h>
#include <stdlib.h>

#include "navigation/distance.h"

static const double farthest = 1.0; /* m: farther from an obstacle is as bad as can be */

static double fit_of(const tpi_nav_field *field, double off)
{
    const double share = off / field->deviation;

    return log((1 - field->bad) * exp(-share * share / 2) + field->bad);
}

tp_status tpi_nav_field_init(tpi_nav_field *field, const tpi_nav_grid *grid, double deviation,
                             double bad, tp_error *err)
{
    const size_t count = (size_t)grid->width * grid->height;
    const double cells = farthest / grid->scale;
    float *away = malloc(count * sizeof *away);

    *field = (tpi_nav_field){.grid = grid, .deviation = deviation, .bad = bad};
    field->away = malloc(count);
    tp_status status = away == NULL || field->away == NULL
                           ? tp_fail(err, TP_E_NOMEM, "out of memory")
                           : tpi_nav_distance(grid, false, cells, away, err);
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        field->away[i] = (uint8_t)lrint(fmin((double)away[i] / cells, 1) * 255);
    }
    for (int i = 0; i < 256; i++) {
        field->table[i] = (float)fit_of(field, i / 255.0 * farthest);
    }
    field->outside = field->table[255];
    free(away);
    return status;
}

void tpi_nav_field_fini(tpi_nav_field *field)
{
    free(field->away);
    field->away = NULL;
}

static double look(const tpi_nav_field *field, double x, double y)
{
    uint32_t column;
    uint32_t row;

    return (double)(tpi_nav_grid_at(field->grid, x, y, &column, &row)
                        ? field->table[field->away[(size_t)row * field->grid->width + column]]
                        : field->outside);
}

static double compare(const tpi_nav_field *field, double x, double y, double angle,
                      const tpi_nav_beam *beam)
{
    const double seen = tpi_nav_grid_ray(field->grid, x, y, angle, beam->range + 1);

    /* A cell is hit somewhere in its inside; a reading without a hit says that nothing is nearer.
     */
    return beam->hit ? fit_of(field, fmax(fabs(seen - beam->range) - field->grid->scale / 2, 0))
                     : fit_of(field, fmax(beam->range - seen, 0));
}

static double fit(const tpi_nav_field *field, bool rays, const tpi_nav_pose *pose,
                  const tpi_nav_beam *beams, size_t count)
{
    const double c = cos(pose->a);
    const double s = sin(pose->a);
    double sum = 0;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        const tpi_nav_beam *b = &beams[i];
        const double x = pose->x + c * b->x - s * b->y;
        const double y = pose->y + s * b->x + c * b->y;
        const double angle = pose->a + b->angle;
        if (rays) {
            sum += compare(field, x, y, angle, b);
            used++;
        } else if (b->hit) {
            sum += look(field, x + b->range * cos(angle), y + b->range * sin(angle));
            used++;
        }
    }
    return used > 0 ? sum / (double)used : 0;
}

double tpi_nav_field_fit(const tpi_nav_field *field, const tpi_nav_pose *pose,
                         const tpi_nav_beam *beams, size_t count)
{
    return fit(field, field->beams, pose, beams, count);
}

double tpi_nav_field_glance(const tpi_nav_field *field, const tpi_nav_pose *pose,
                            const tpi_nav_beam *beams, size_t count)
{
    return fit(field, false, pose, beams, count);
}
