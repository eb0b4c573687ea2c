/* drawing.c - ways, particles and maps for people; see drawing.h. */
#include "drawing.h"

#include <math.h>

#include "troupe/interfaces/graphics2d.h"

enum {
    MOST_WAYPOINTS = 1000,
    MOST_PARTICLES = 500,
    CORNERS = 24,
    MOST_CELLS = 12000,
    CELLS_AT_ONCE = 1500,
};

static const double pi = 3.14159265358979323846;
static const double goal_radius = 0.2;     /* m */
static const double particle_length = 0.2; /* m */
static const tp_color way_colour = {.alpha = 255, .red = 30, .green = 110, .blue = 200};
static const tp_color map_colour = {.alpha = 255, .red = 190, .green = 40, .blue = 150};
static const tp_color particle_colour = {.alpha = 255, .red = 230, .green = 120, .blue = 20};

tp_status tpi_drawing_require(tp_instance *self, tp_link **out, tp_error *err)
{
    const tp_status status = tp_require(self, &tp_interface_graphics2d, NULL, out, err);

    return status == TP_E_UNKNOWN ? TP_OK : status;
}

void tpi_drawing_clear(tp_link *link)
{
    if (link != NULL) {
        (void)tp_link_command(link, TP_GRAPHICS2D_CMD_CLEAR, NULL);
    }
}

/* An ellipse with these half axes; the first one is turned by an angle. */
static void draw_ellipse(tp_link *link, tpi_nav_point at, double a, double b, double turned,
                         const tp_color *colour)
{
    tp_point_2d points[CORNERS];
    const tp_graphics2d_cmd_polygon shape = {
        .points_count = CORNERS, .points = points, .color = *colour};

    for (int i = 0; i < CORNERS; i++) {
        const double x = a * cos(2 * pi * i / CORNERS);
        const double y = b * sin(2 * pi * i / CORNERS);
        points[i] = (tp_point_2d){.px = at.x + x * cos(turned) - y * sin(turned),
                                  .py = at.y + x * sin(turned) + y * cos(turned)};
    }
    (void)tp_link_command(link, TP_GRAPHICS2D_CMD_POLYGON, &shape);
}

void tpi_drawing_way(tp_link *link, tpi_nav_point from, const tpi_nav_point *waypoints,
                     size_t count, tpi_nav_point goal)
{
    tp_point_2d points[MOST_WAYPOINTS + 1] = {{.px = from.x, .py = from.y}};
    const size_t most = count < MOST_WAYPOINTS ? count : MOST_WAYPOINTS;
    const tp_graphics2d_cmd_polyline line = {
        .points_count = (uint32_t)most + 1, .points = points, .color = way_colour};
    const tp_graphics2d_cmd_points dots = {
        .points_count = (uint32_t)most, .points = points + 1, .color = way_colour};

    if (link == NULL) {
        return;
    }
    tpi_drawing_clear(link);
    for (size_t i = 0; i < most; i++) {
        points[i + 1] = (tp_point_2d){.px = waypoints[i].x, .py = waypoints[i].y};
    }
    if (most > 0) {
        (void)tp_link_command(link, TP_GRAPHICS2D_CMD_POLYLINE, &line);
        (void)tp_link_command(link, TP_GRAPHICS2D_CMD_POINTS, &dots);
    }
    draw_ellipse(link, goal, goal_radius, goal_radius, 0, &way_colour);
}

static void draw_guess(tp_link *link, const tpi_nav_guess *guess)
{
    const double middle = (guess->cov[0] + guess->cov[1]) / 2;
    const double spread = hypot((guess->cov[0] - guess->cov[1]) / 2, guess->cov[3]);
    const double turned = 0.5 * atan2(2 * guess->cov[3], guess->cov[0] - guess->cov[1]);

    draw_ellipse(link, (tpi_nav_point){guess->mean.x, guess->mean.y}, 2 * sqrt(middle + spread),
                 2 * sqrt(fmax(middle - spread, 0)), turned, &particle_colour);
}

void tpi_drawing_particles(tp_link *link, const tpi_nav_filter *filter)
{
    tp_point_2d points[2 * MOST_PARTICLES];
    const size_t most = filter->count < MOST_PARTICLES ? filter->count : MOST_PARTICLES;
    const tp_graphics2d_cmd_multiline lines = {
        .points_count = 2 * (uint32_t)most, .points = points, .color = particle_colour};

    if (link == NULL || most == 0) {
        return;
    }
    for (size_t i = 0; i < most; i++) {
        const tpi_nav_pose *p = &filter->particles[i * filter->count / most].pose;
        points[2 * i] = (tp_point_2d){.px = p->x, .py = p->y};
        points[2 * i + 1] = (tp_point_2d){.px = p->x + particle_length * cos(p->a),
                                          .py = p->y + particle_length * sin(p->a)};
    }
    tpi_drawing_clear(link);
    (void)tp_link_command(link, TP_GRAPHICS2D_CMD_MULTILINE, &lines);
    for (size_t i = 0; i < filter->guess_count; i++) {
        draw_guess(link, &filter->guesses[i]);
    }
}

static size_t count_occupied(const tpi_nav_grid *grid)
{
    size_t count = 0;

    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        count += grid->cells[i] > 0;
    }
    return count;
}

void tpi_drawing_map(tp_link *link, const tpi_nav_grid *grid)
{
    tp_point_2d points[CELLS_AT_ONCE];
    tp_graphics2d_cmd_points dots = {.points = points, .color = map_colour};
    size_t occupied = 0;

    if (link == NULL) {
        return;
    }
    const size_t each = count_occupied(grid) / MOST_CELLS + 1;
    tpi_drawing_clear(link);
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        if (grid->cells[i] <= 0 || occupied++ % each != 0) {
            continue;
        }
        tp_point_2d *p = &points[dots.points_count++];
        tpi_nav_grid_centre(grid, (uint32_t)(i % grid->width), (uint32_t)(i / grid->width), &p->px,
                            &p->py);
        if (dots.points_count == CELLS_AT_ONCE) {
            (void)tp_link_command(link, TP_GRAPHICS2D_CMD_POINTS, &dots);
            dots.points_count = 0;
        }
    }
    if (dots.points_count > 0) {
        (void)tp_link_command(link, TP_GRAPHICS2D_CMD_POINTS, &dots);
    }
}
