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

static bool is_open(const tpi_nav_grid *grid, size_t column, size_t row)
{
    return column >= grid->width || row >= grid->height ||
           grid->cells[row * grid->width + column] <= 0;
}

/* Only what is at the outside of an obstacle is met by beams. */
static tp_status find_faces(const tpi_nav_grid *grid, tpi_nav_grid *out, tp_error *err)
{
    const tp_status status = tpi_nav_grid_init(out, grid->width, grid->height, grid->scale, err);

    for (size_t row = 0; row < grid->height && status == TP_OK; row++) {
        for (size_t column = 0; column < grid->width; column++) {
            out->cells[row * grid->width + column] =
                !is_open(grid, column, row) &&
                (is_open(grid, column + 1, row) || is_open(grid, column - 1, row) ||
                 is_open(grid, column, row + 1) || is_open(grid, column, row - 1));
        }
    }
    return status;
}

/* How far each cell is from the nearest face. It is half a cell before the middle of its cell:
 * without that, and with the insides of walls as good as their faces, the robot would be believed
 * nearer to what it sees than it is. */
static tp_status measure(const tpi_nav_grid *grid, double most, float *away, tp_error *err)
{
    tpi_nav_grid faces = {0};
    tp_status status = find_faces(grid, &faces, err);

    status = status == TP_OK ? tpi_nav_distance(&faces, false, most + 1, away, err) : status;
    for (size_t i = 0; i < (size_t)grid->width * grid->height && status == TP_OK; i++) {
        away[i] += grid->cells[i] > 0 ? 0.5f : -0.5f;
    }
    tpi_nav_grid_fini(&faces);
    return status;
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
                           : measure(grid, cells, away, err);
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

/* As fit_of(), from the table. */
static double fit_near(const tpi_nav_field *field, double off)
{
    const double at = fmin(fmax(off, 0) / farthest, 1) * 255;
    const int i = (int)fmin(at, 254);

    return (double)field->table[i] + (at - i) * (double)(field->table[i + 1] - field->table[i]);
}

/* As tpi_nav_grid_ray_along(), but where nothing is near it goes in long steps. In cells. */
static double ray_along(const tpi_nav_field *field, double x, double y, double dx, double dy,
                        double longest)
{
    const tpi_nav_grid *grid = field->grid;
    const double across = (x - grid->x) / grid->scale;
    const double up = (y - grid->y) / grid->scale;
    const double most = longest / grid->scale;
    const double unit = farthest / 255 / grid->scale;
    double way = 0;

    if (tpi_nav_grid_value(grid, x, y) > 0) {
        return 0;
    }
    while (way < most) {
        const double column = across + way * dx;
        const double row = up + way * dy;
        const bool inside = column >= 0 && column < grid->width && row >= 0 && row < grid->height;
        /* `away` is rounded, and that of the middle of the cell: from its corner it may be less. */
        const double clear =
            inside ? (field->away[(size_t)row * grid->width + (size_t)column] - 1) * unit - 1 : 0;
        if (clear > 2) {
            way += clear;
            continue;
        }
        const double part =
            inside ? fmin(8, most - way) * grid->scale : longest - way * grid->scale;
        const double begin = way * grid->scale;
        const double seen =
            tpi_nav_grid_ray_along(grid, x + begin * dx, y + begin * dy, dx, dy, part);
        if (seen < part || !inside) {
            return begin + seen;
        }
        way += 8;
    }
    return longest;
}

static double compare(const tpi_nav_field *field, double x, double y, double dx, double dy,
                      const tpi_nav_beam *beam)
{
    const double seen = ray_along(field, x, y, dx, dy, beam->range + farthest);

    /* A cell is hit somewhere in its inside; a reading without a hit says that nothing is nearer.
     */
    return fit_near(field, beam->hit ? fabs(seen - beam->range) - field->grid->scale / 2
                                     : beam->range - seen);
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
        const double dx = c * b->dx - s * b->dy;
        const double dy = s * b->dx + c * b->dy;
        if (rays) {
            sum += compare(field, x, y, dx, dy, b);
            used++;
        } else if (b->hit) {
            sum += look(field, x + b->range * dx, y + b->range * dy);
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
