/* shape.c - polygons of a body while it is being built; see shape.h. */
#include "sim/world/shape.h"

#include <math.h>

enum { MOST_CHECKED = 256 }; /* points of a polygon that is looked at closely */

static const double wall_thickness = 0.01;

/* ---- Lists ----------------------------------------------------------------------------------- */

void tpi_sim_shape_fini(struct sim_shape *shape)
{
    tpi_buf_fini(&shape->polygons);
    tpi_buf_fini(&shape->points);
}

void tpi_sim_shape_clear(struct sim_shape *shape)
{
    tpi_buf_clear(&shape->polygons);
    tpi_buf_clear(&shape->points);
}

uint32_t tpi_sim_shape_count(const struct sim_shape *shape)
{
    return (uint32_t)(shape->polygons.length / sizeof(struct sim_polygon));
}

struct sim_polygon *tpi_sim_shape_polygon(const struct sim_shape *shape, uint32_t index)
{
    return (struct sim_polygon *)(void *)shape->polygons.data + index;
}

struct sim_point *tpi_sim_shape_point(const struct sim_shape *shape, uint32_t index)
{
    return (struct sim_point *)(void *)shape->points.data + index;
}

/* ---- Polygons -------------------------------------------------------------------------------- */

double tpi_sim_area(const struct sim_point *points, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct sim_point *p = &points[i];
        const struct sim_point *q = &points[(i + 1) % count];
        sum += p->x * q->y - p->y * q->x;
    }
    return sum;
}

/* Which side of the line from p to q the point r is on. */
static double side(const struct sim_point *p, const struct sim_point *q, const struct sim_point *r)
{
    return (q->x - p->x) * (r->y - p->y) - (q->y - p->y) * (r->x - p->x);
}

static bool cross(const struct sim_point *a, const struct sim_point *b, const struct sim_point *c,
                  const struct sim_point *d)
{
    const double c_side = side(a, b, c);
    const double d_side = side(a, b, d);
    const double a_side = side(c, d, a);
    const double b_side = side(c, d, b);

    return c_side * d_side <= 0 && a_side * b_side <= 0;
}

/* Whether no two edges meet but neighbours at their corner. Long polygons are not looked at. */
static bool is_simple(const struct sim_point *points, uint32_t count)
{
    if (count < 3 || count > MOST_CHECKED) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 2; k < count; k++) {
            const bool neighbours = i == 0 && k == count - 1;
            if (!neighbours &&
                cross(&points[i], &points[i + 1], &points[k], &points[(k + 1) % count])) {
                return false;
            }
        }
    }
    return true;
}

tp_status tpi_sim_shape_add(struct sim_shape *shape, const struct sim_point *points, uint32_t count,
                            double z0, double z1, tp_error *err)
{
    const bool backwards = tpi_sim_area(points, count) < 0;
    const size_t there = shape->points.length / sizeof(struct sim_point);
    const struct sim_polygon polygon = {.first = (uint32_t)there,
                                        .count = count,
                                        .z0 = z0 < z1 ? z0 : z1,
                                        .z1 = z0 < z1 ? z1 : z0,
                                        .simple = is_simple(points, count)};

    if (there + count > TPI_SIM_MOST_CORNERS) {
        return tp_fail(err, TP_E_LIMIT, "the body has more than %d corners", TPI_SIM_MOST_CORNERS);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_point *point = &points[backwards ? count - 1 - i : i];
        tpi_buf_put(&shape->points, point, sizeof *point);
    }
    tpi_buf_put(&shape->polygons, &polygon, sizeof polygon);
    if (shape->points.failed || shape->polygons.failed) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return TP_OK;
}

tp_status tpi_sim_shape_add_box(struct sim_shape *shape, double x0, double y0, double x1, double y1,
                                double z0, double z1, tp_error *err)
{
    const struct sim_point corners[] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};

    return tpi_sim_shape_add(shape, corners, 4, z0, z1, err);
}

/* ---- Fitting --------------------------------------------------------------------------------- */

struct box {
    double x0, y0, x1, y1, z0, z1;
};

static struct box find_box(const struct sim_shape *shape)
{
    struct box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    const size_t points = shape->points.length / sizeof(struct sim_point);

    for (uint32_t i = 0; i < points; i++) {
        const struct sim_point *point = tpi_sim_shape_point(shape, i);
        box.x0 = fmin(box.x0, point->x);
        box.x1 = fmax(box.x1, point->x);
        box.y0 = fmin(box.y0, point->y);
        box.y1 = fmax(box.y1, point->y);
    }
    for (uint32_t i = 0; i < tpi_sim_shape_count(shape); i++) {
        const struct sim_polygon *polygon = tpi_sim_shape_polygon(shape, i);
        box.z0 = fmin(box.z0, polygon->z0);
        box.z1 = fmax(box.z1, polygon->z1);
    }
    return box;
}

/* What stretches a length to the wanted one; something flat stays flat. */
static double stretch(double wanted, double length)
{
    return length > 1e-12 ? wanted / length : 1;
}

void tpi_sim_shape_fit(struct sim_shape *shape, const double size[3])
{
    const struct box box = find_box(shape);
    const double mx = (box.x0 + box.x1) / 2;
    const double my = (box.y0 + box.y1) / 2;
    const double kx = stretch(size[0], box.x1 - box.x0);
    const double ky = stretch(size[1], box.y1 - box.y0);
    const double kz = stretch(size[2], box.z1 - box.z0);
    const size_t points = shape->points.length / sizeof(struct sim_point);

    for (uint32_t i = 0; i < points; i++) {
        struct sim_point *point = tpi_sim_shape_point(shape, i);
        point->x = (point->x - mx) * kx;
        point->y = (point->y - my) * ky;
    }
    for (uint32_t i = 0; i < tpi_sim_shape_count(shape); i++) {
        struct sim_polygon *polygon = tpi_sim_shape_polygon(shape, i);
        polygon->z0 *= kz;
        polygon->z1 *= kz;
    }
}

static tp_status add_walls(struct sim_shape *shape, const struct box *box, tp_error *err)
{
    const double tx = fmin(wall_thickness, (box->x1 - box->x0) / 2);
    const double ty = fmin(wall_thickness, (box->y1 - box->y0) / 2);
    const struct {
        double x0, y0, x1, y1;
    } walls[] = {{box->x0, box->y0, box->x0 + tx, box->y1},
                 {box->x1 - tx, box->y0, box->x1, box->y1},
                 {box->x0, box->y0, box->x1, box->y0 + ty},
                 {box->x0, box->y1 - ty, box->x1, box->y1}};
    tp_status status = TP_OK;

    for (int i = 0; i < 4 && status == TP_OK; i++) {
        status = tpi_sim_shape_add_box(shape, walls[i].x0, walls[i].y0, walls[i].x1, walls[i].y1,
                                       box->z0, box->z1, err);
    }
    return status;
}

tp_status tpi_sim_shape_add_boundary(struct sim_shape *shape, tp_error *err)
{
    const struct box box = find_box(shape);

    return tpi_sim_shape_count(shape) == 0 ? TP_OK : add_walls(shape, &box, err);
}

tp_status tpi_sim_shape_add_room(struct sim_shape *shape, const double size[3], tp_error *err)
{
    const struct box box = {-size[0] / 2, -size[1] / 2, size[0] / 2, size[1] / 2, 0, size[2]};

    return add_walls(shape, &box, err);
}
