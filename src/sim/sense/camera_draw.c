/* camera_draw.c - one column of a picture; see camera.h. */
#include <math.h>

#include "sim/maths.h"
#include "sim/ray/cross.h"
#include "sim/sense/camera.h"

/* A column that is being drawn. */
struct column {
    const struct sim_canvas *canvas; /* borrowed */
    struct sim_ray ray;              /* on the ground */
    double stretch;                  /* metres along the ray for one of depth */
    uint32_t index;
};

/* ---- Pixels ---------------------------------------------------------------------------------- */

static uint32_t colour_at(const uint8_t *rgb)
{
    return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

static void paint(uint8_t *rgb, uint32_t colour)
{
    rgb[0] = (uint8_t)(colour >> 16);
    rgb[1] = (uint8_t)(colour >> 8);
    rgb[2] = (uint8_t)colour;
}

/* The nearer one stays; of two at the same depth the one with the greater colour. */
static void put(const struct column *column, uint32_t row, double depth, uint32_t colour)
{
    const struct sim_canvas *canvas = column->canvas;
    const size_t pixel = (size_t)row * canvas->config->width + column->index;
    uint8_t *rgb = &canvas->rgb[3 * pixel];
    const float old = canvas->depth[pixel];
    const float found = (float)depth;

    if (old == 0 || found < old || (found == old && colour > colour_at(rgb))) {
        canvas->depth[pixel] = found;
        paint(rgb, colour);
    }
}

static double slope_of(const struct sim_canvas *canvas, uint32_t row)
{
    return canvas->rise + (1 - (2.0 * row + 1) / canvas->config->height) * canvas->up;
}

/* The row, not rounded, whose middle looks along a slope. */
static double row_of(const struct sim_canvas *canvas, double slope)
{
    return ((1 - (slope - canvas->rise) / canvas->up) * canvas->config->height - 1) / 2;
}

/* Rows whose middles look between two slopes; false if there are none. */
static bool find_rows(const struct sim_canvas *canvas, double low, double high, uint32_t *first,
                      uint32_t *last)
{
    const double top = ceil(row_of(canvas, high) - 1e-9);
    const double bottom = floor(row_of(canvas, low) + 1e-9);
    const double most = canvas->config->height - 1.0;

    if (!(top <= bottom && bottom >= 0 && top <= most)) {
        return false;
    }
    *first = top > 0 ? (uint32_t)top : 0;
    *last = bottom < most ? (uint32_t)bottom : (uint32_t)most;
    return true;
}

/* ---- Ground and sky -------------------------------------------------------------------------- */

static void draw_sky(const struct column *column)
{
    const struct sim_canvas *canvas = column->canvas;
    const uint32_t colour = canvas->view->sim->scene.sky >> 8;

    for (uint32_t row = 0; row < canvas->config->height; row++) {
        const size_t pixel = (size_t)row * canvas->config->width + column->index;
        canvas->depth[pixel] = 0;
        paint(&canvas->rgb[3 * pixel], colour);
    }
}

/* Where nothing nearer stands. */
static void draw_ground(const struct column *column)
{
    const struct sim_canvas *canvas = column->canvas;
    const struct sim_ray *ray = &column->ray;

    for (uint32_t row = 0; row < canvas->config->height; row++) {
        const size_t pixel = (size_t)row * canvas->config->width + column->index;
        const double slope = slope_of(canvas, row);
        const double depth = slope < 0 ? -canvas->eye.z / slope : 0;
        if (depth >= canvas->config->near && depth <= canvas->config->far &&
            (canvas->depth[pixel] == 0 || (float)depth < canvas->depth[pixel])) {
            const double range = depth * column->stretch;
            const uint32_t colour = tpi_sim_floor_colour(
                canvas->view->sim, ray->x + ray->dx * range, ray->y + ray->dy * range);
            put(column, row, depth, colour >> 8);
        }
    }
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* A colour, darker where a side is met at a sharp angle. */
static uint32_t shaded(const struct sim_canvas *canvas, uint32_t colour, double facing)
{
    const double light = 1 - canvas->config->shade * (1 - fabs(facing));
    const uint32_t red = (uint32_t)((colour >> 24) * light + 0.5);
    const uint32_t green = (uint32_t)((colour >> 16 & 255) * light + 0.5);
    const uint32_t blue = (uint32_t)((colour >> 8 & 255) * light + 0.5);

    return red << 16 | green << 8 | blue;
}

static void draw_side(const struct column *column, const struct sim_crossing *side)
{
    const struct sim_canvas *canvas = column->canvas;
    const double depth = side->range / column->stretch;
    uint32_t first;
    uint32_t last;

    if (!(depth >= canvas->config->near && depth <= canvas->config->far) ||
        !find_rows(canvas, (side->z0 - canvas->eye.z) / depth, (side->z1 - canvas->eye.z) / depth,
                   &first, &last)) {
        return;
    }
    const uint32_t colour = shaded(
        canvas, tpi_sim_member_colour(canvas->view->sim, side->tree, side->member), side->facing);
    for (uint32_t row = first; row <= last; row++) {
        put(column, row, depth, colour);
    }
}

/* A level surface at a height, from one depth to another. */
static void draw_level(const struct column *column, const struct sim_crossing *side, double z,
                       double from, double to)
{
    const struct sim_canvas *canvas = column->canvas;
    const double near = fmax(from, canvas->config->near);
    const double far = fmin(to, canvas->config->far);
    const double height = z - canvas->eye.z;
    uint32_t first;
    uint32_t last;

    if (!(near < far) || !find_rows(canvas, fmin(height / near, height / far),
                                    fmax(height / near, height / far), &first, &last)) {
        return;
    }
    const uint32_t colour = tpi_sim_member_colour(canvas->view->sim, side->tree, side->member) >> 8;
    for (uint32_t row = first; row <= last; row++) {
        const double slope = slope_of(canvas, row);
        const double depth = slope != 0 ? height / slope : far;
        put(column, row, fmin(fmax(depth, near), far), colour);
    }
}

/* The top or the underside between two sides, if it can be seen. */
static void draw_lid(const struct column *column, const struct sim_crossing *side, double from,
                     double to)
{
    const double eye = column->canvas->eye.z;

    if (eye > side->z1) {
        draw_level(column, side, side->z1, from, to);
    } else if (eye < side->z0) {
        draw_level(column, side, side->z0, from, to);
    }
}

/* ---- Solids ---------------------------------------------------------------------------------- */

/* Whether two sides are of one body, as far as lids go. */
static bool are_one(const struct sim_crossing *a, const struct sim_crossing *b)
{
    return a->tree == b->tree && a->member == b->member && a->z0 == b->z0 && a->z1 == b->z1;
}

/* Where the ray left the body before it came to side `index`: how many times it is in the body
 * there, and the depth where it came in. */
static int inside_before(const struct column *column, const struct sim_crossings *sides,
                         uint32_t index, double *since)
{
    int inside = 0;

    for (uint32_t i = 0; i < index; i++) {
        if (are_one(&sides->items[i], &sides->items[index])) {
            inside += sides->items[i].facing > 0 ? 1 : -1;
            if (inside == 1 && sides->items[i].facing > 0) {
                *since = sides->items[i].range / column->stretch;
            }
        }
    }
    return inside;
}

/* Whether the body of side `index` is not met again. */
static bool is_last(const struct sim_crossings *sides, uint32_t index)
{
    for (uint32_t i = index + 1; i < sides->count; i++) {
        if (are_one(&sides->items[i], &sides->items[index])) {
            return false;
        }
    }
    return true;
}

static void draw_solid(const struct column *column, const struct sim_crossings *sides,
                       uint32_t index)
{
    const struct sim_crossing *side = &sides->items[index];
    const double depth = side->range / column->stretch;
    double since = 0; /* one that begins outside of the picture begins here */

    draw_side(column, side);
    const int inside = inside_before(column, sides, index, &since);
    if (side->facing <= 0 && inside <= 1) {
        draw_lid(column, side, since, depth);
    } else if (side->facing > 0 && is_last(sides, index)) { /* it ends beyond what is seen */
        draw_lid(column, side, inside > 0 ? since : depth, column->canvas->config->far);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

void tpi_sim_draw_column(const struct sim_canvas *canvas, uint32_t index)
{
    const struct sim_camera *config = canvas->config;
    const struct sim_frame *eye = &canvas->eye;
    const double left = (1 - (2.0 * index + 1) / config->width) * canvas->across;
    const double stretch = sqrt(1 + left * left);
    const struct column column = {
        .canvas = canvas,
        .ray = {.x = eye->x,
                .y = eye->y,
                .dx = (eye->c - eye->s * left) / stretch,
                .dy = (eye->s + eye->c * left) / stretch,
                .group = canvas->view->group,
                .sees = SIM_ANY},
        .stretch = stretch,
        .index = index,
    };
    struct sim_crossings sides;

    draw_sky(&column);
    tpi_sim_cross(canvas->view->sim, &column.ray, config->far * stretch, true, &sides);
    for (uint32_t i = 0; i < sides.count; i++) {
        draw_solid(&column, &sides, i);
    }
    draw_ground(&column);
}
