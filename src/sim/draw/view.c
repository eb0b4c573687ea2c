/* view.c - which part of the world is shown, and how large. */
#include <math.h>

#include "sim/draw/pen.h"
#include "sim/inside.h"
#include "sim/maths.h"

enum { USUAL = 1000, LONGEST = 2000, MOST_SIDE = 32768 };
enum { LEAST_HEIGHT = 160, LEAST_WIDTH = 360 }; /* so that names fit */
enum { BAR = 26, LEAST_WITH_BAR = 130 }; /* pixels that the scale bar needs below the world */

static const double farthest = 8; /* metres of what a robot sees where there is nothing else */

static void include_point(struct draw_view *view, double x, double y)
{
    view->low[0] = fmin(view->low[0], x);
    view->low[1] = fmin(view->low[1], y);
    view->high[0] = fmax(view->high[0], x);
    view->high[1] = fmax(view->high[1], y);
}

static void include_tree(struct draw_view *view, const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    const double x = sim->trees.x[tree];
    const double y = sim->trees.y[tree];
    const double c = sim->trees.c[tree];
    const double s = sim->trees.s[tree];

    for (uint32_t i = 0; i < template->vertex_count; i++) {
        include_point(view, x + c * template->vx[i] - s * template->vy[i],
                      y + s * template->vx[i] + c * template->vy[i]);
    }
}

/* What has no body, but lies there. */
static void include_floors(struct draw_view *view, const tpi_sim *sim)
{
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_model_info(sim, i, &info);
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, i);
        const struct sim_frame model = sim_frame_of(&pose);
        const struct sim_frame origin = sim_frame_of(&info.origin);
        const struct sim_frame middle = sim_frame_join(&model, &origin);
        const double reach = hypot(info.size[0], info.size[1]) / 2;
        const double w = middle.s == 0 ? info.size[0] / 2 : reach;
        const double h = middle.s == 0 ? info.size[1] / 2 : reach;
        if (info.kind == TPI_SIM_FLOOR) {
            include_point(view, middle.x - w, middle.y - h);
            include_point(view, middle.x + w, middle.y + h);
        }
    }
}

/* Where there is nothing but robots, what they see is worth a look. */
static void include_sights(struct draw_view *view, const tpi_sim *sim)
{
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_sensor sensor;
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, i);
        if (tpi_sim_sensor_count(sim, i) > 0 &&
            tpi_sim_get_sensor(sim, i, 0, &sensor, NULL) == TP_OK) {
            const double reach = fmin(sensor.range_max, farthest);
            include_point(view, pose.x - reach, pose.y - reach);
            include_point(view, pose.x + reach, pose.y + reach);
        }
    }
}

/* Bodies, and what lies on the floor. Returns how large the largest robot is. */
static double include_all(struct draw_view *view, const tpi_sim *sim)
{
    double radius = 0;
    bool only_robots = true;

    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_template *template = sim->trees.template[i];
        include_tree(view, sim, i);
        if (template->driver != TPI_SIM_NONE) {
            radius = fmax(radius, template->radius);
        } else if (template->vertex_count > 0) {
            only_robots = false;
        }
    }
    if (only_robots) {
        include_sights(view, sim);
    }
    include_floors(view, sim);
    return radius;
}

/* Lamps that are not far away; one may stand for the sun. */
static void include_lights(struct draw_view *view, const tpi_sim *sim)
{
    const struct sim_beacons *lights = &sim->beacons[SIM_LIGHTS];
    const double far = fmax(view->high[0] - view->low[0], view->high[1] - view->low[1]);
    const struct draw_view before = *view;

    for (uint32_t i = 0; i < lights->count; i++) {
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, lights->models[i]);
        if (pose.x > before.low[0] - far && pose.x < before.high[0] + far &&
            pose.y > before.low[1] - far && pose.y < before.high[1] + far) {
            include_point(view, pose.x, pose.y);
        }
    }
}

/* What there is, and a little more: robots have some room around them. */
static void find_bounds(struct draw_view *view, const tpi_sim *sim)
{
    view->low[0] = view->low[1] = HUGE_VAL;
    view->high[0] = view->high[1] = -HUGE_VAL;
    const double radius = include_all(view, sim);
    if (!(view->low[0] <= view->high[0])) {
        include_point(view, -5, -4);
        include_point(view, 5, 4);
    }
    include_lights(view, sim);
    const double side = fmax(view->high[0] - view->low[0], view->high[1] - view->low[1]);
    const double margin = fmax(0.03 * side, 0.001);
    for (int i = 0; i < 2; i++) {
        const double missing = 8 * radius - (view->high[i] - view->low[i]) - 2 * margin;
        const double more = margin + fmax(missing / 2, 0);
        view->low[i] -= more;
        view->high[i] += more;
    }
}

/* A world that is long has a picture that is: its robots would not be seen otherwise. */
static uint32_t longer_side(double slim)
{
    return (uint32_t)fmin(USUAL * fmax(sqrt(slim / 4), 1), LONGEST);
}

static void choose_both(struct draw_view *view, double form)
{
    if (form <= 1) {
        view->width = longer_side(1 / form);
        const double height = round(view->width * form) + BAR;
        view->height = (uint32_t)fmin(fmax(height, LEAST_HEIGHT), USUAL);
    } else {
        view->height = longer_side(form);
        const double width = round((view->height - BAR) / form);
        view->width = (uint32_t)fmin(fmax(width, LEAST_WIDTH), USUAL);
    }
}

/* Sides that nobody asked for are those of the world's window, or follow from its form. */
static void choose_size(struct draw_view *view, const tpi_sim *sim, const tpi_draw_look *look)
{
    const double form =
        (view->high[1] - view->low[1]) / (view->high[0] - view->low[0]); /* height by width */

    view->width = look->width;
    view->height = look->height;
    if (view->width == 0 && view->height == 0 && sim->scene.window[0] > 0) {
        view->width = sim->scene.window[0];
        view->height = sim->scene.window[1];
    } else if (view->width == 0 && view->height == 0) {
        choose_both(view, form);
    } else if (view->width == 0) {
        view->width = (uint32_t)fmin(fmax(round(view->height / form), 1), MOST_SIDE);
    } else if (view->height == 0) {
        view->height = (uint32_t)fmin(fmax(round(view->width * form), 1), MOST_SIDE);
    }
}

tp_status tpi_draw_places(const tpi_sim *sim, const tpi_draw_look *look,
                          const tpi_sim_model *models, uint32_t count, double (*places)[2])
{
    struct draw_view view;
    const tp_status status = tpi_draw_view_init(&view, sim, look, NULL);

    for (uint32_t i = 0; status == TP_OK && i < count; i++) {
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, models[i]);
        const struct draw_point at = draw_at(&view, pose.x, pose.y);
        places[i][0] = at.x / view.width;
        places[i][1] = at.y / view.height;
    }
    return status;
}

tp_status tpi_draw_view_init(struct draw_view *view, const tpi_sim *sim, const tpi_draw_look *look,
                             tp_error *err)
{
    find_bounds(view, sim);
    choose_size(view, sim, look);
    if (view->width > MOST_SIDE || view->height > MOST_SIDE ||
        (uint64_t)view->width * view->height > TPI_DRAW_MOST_PIXELS) {
        return tp_fail(err, TP_E_LIMIT, "a picture of %ux%u pixels is too large", view->width,
                       view->height);
    }
    const double width = view->high[0] - view->low[0];
    const double height = view->high[1] - view->low[1];
    const double bar = look->bare || view->height < LEAST_WITH_BAR ? 0 : BAR; /* below the world */
    view->scale = fmin(view->width / width, (view->height - bar) / height);
    view->x = view->width / 2.0 - view->scale * (view->low[0] + view->high[0]) / 2;
    view->y = (view->height - bar) / 2 + view->scale * (view->low[1] + view->high[1]) / 2;
    return TP_OK;
}
