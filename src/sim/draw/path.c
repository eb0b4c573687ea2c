/* path.c - lines made of points; see pen.h. */
#include <math.h>

#include "sim/draw/pen.h"
#include "sim/maths.h"

void tpi_draw_path_fini(struct draw_path *path)
{
    tpi_buf_fini(&path->points);
    tpi_buf_fini(&path->ends);
}

bool tpi_draw_path_failed(const struct draw_path *path)
{
    return path->failed || path->points.failed || path->ends.failed;
}

void tpi_draw_path_clear(struct draw_path *path)
{
    path->failed = tpi_draw_path_failed(path);
    tpi_buf_clear(&path->points);
    tpi_buf_clear(&path->ends);
}

void tpi_draw_path_to(struct draw_path *path, double x, double y)
{
    const struct draw_point point = {x, y};

    tpi_buf_put(&path->points, &point, sizeof point);
}

static uint32_t point_count(const struct draw_path *path)
{
    return path->points.failed ? 0 : (uint32_t)(path->points.length / sizeof(struct draw_point));
}

uint32_t tpi_draw_path_lines(const struct draw_path *path)
{
    return path->points.failed || path->ends.failed
               ? 0
               : (uint32_t)(path->ends.length / sizeof(uint32_t));
}

static uint32_t end_of(const struct draw_path *path, uint32_t line)
{
    return ((const uint32_t *)(const void *)path->ends.data)[line];
}

void tpi_draw_path_end(struct draw_path *path)
{
    const uint32_t lines = tpi_draw_path_lines(path);
    const uint32_t last = lines > 0 ? end_of(path, lines - 1) : 0;
    const uint32_t count = point_count(path);

    if (count > last) {
        tpi_buf_put(&path->ends, &count, sizeof count);
    }
}

const struct draw_point *tpi_draw_path_line(const struct draw_path *path, uint32_t line,
                                            uint32_t *count)
{
    const uint32_t first = line > 0 ? end_of(path, line - 1) : 0;

    *count = end_of(path, line) - first;
    return (const struct draw_point *)(const void *)path->points.data + first;
}

void tpi_draw_path_add_circle(struct draw_path *path, double x, double y, double radius)
{
    const int corners = radius < 3 ? 12 : radius < 20 ? 32 : 64;

    for (int i = 0; i < corners; i++) {
        double s;
        double c;
        sim_sincos(2 * SIM_PI * i / corners, &s, &c);
        tpi_draw_path_to(path, x + radius * c, y + radius * s);
    }
    tpi_draw_path_end(path);
}
