/* draw_view.c - which part of the world is shown, and how large. */
#include <math.h>

#include "sim/draw_pen.h"
#include "sim/inside.h"

enum { USUAL_WIDTH = 1000, LEAST_HEIGHT = 240, MOST_HEIGHT = 1000, MOST_SIDE = 32768 };
enum { BAR = 16 }; /* pixels that the scale bar needs */

static void include_point(struct draw_view *view, double x, double y)
{
    view->low[0] = fmin(view->low[0], x);
    view->low[1] = fmin(view->low[1], y);
    view->high[0] = fmax(view->high[0], x);
    view->high[1] = fmax(view->high[1], y);
}

static void include_tree(struct draw_view *view, const tpi_sim *sim, uint32_t tree)
{
    const struct sim_plan *plan = sim->trees.plan[tree];
    const double x = sim->trees.x[tree];
    const double y = sim->trees.y[tree];
    const double c = sim->trees.c[tree];
    const double s = sim->trees.s[tree];

    for (uint32_t i = 0; i < plan->vertex_count; i++) {
        include_point(view, x + c * plan->vx[i] - s * plan->vy[i],
                      y + s * plan->vx[i] + c * plan->vy[i]);
    }
}

/* What has no body, but lies there. */
static void include_floors(struct draw_view *view, const tpi_sim *sim)
{
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_model_info(sim, i, &info);
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, i);
        const double reach = hypot(info.size[0], info.size[1]) / 2;
        const double w = sin(pose.a) == 0 ? info.size[0] / 2 : reach;
        const double h = sin(pose.a) == 0 ? info.size[1] / 2 : reach;
        if (info.kind == TPI_SIM_FLOOR) {
            include_point(view, pose.x + info.origin.x - w, pose.y + info.origin.y - h);
            include_point(view, pose.x + info.origin.x + w, pose.y + info.origin.y + h);
        }
    }
}

/* What there is, and a little more. */
static void find_bounds(struct draw_view *view, const tpi_sim *sim)
{
    view->low[0] = view->low[1] = HUGE_VAL;
    view->high[0] = view->high[1] = -HUGE_VAL;
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        include_tree(view, sim, i);
    }
    include_floors(view, sim);
    if (!(view->low[0] <= view->high[0])) {
        include_point(view, -5, -4);
        include_point(view, 5, 4);
    }
    const double side = fmax(view->high[0] - view->low[0], view->high[1] - view->low[1]);
    const double margin = fmax(0.03 * side, 0.05);
    for (int i = 0; i < 2; i++) {
        view->low[i] -= margin;
        view->high[i] += margin;
    }
}

/* Sides that nobody asked for follow from the world's form. */
static void choose_size(struct draw_view *view, const tpi_draw_look *look)
{
    const double form =
        (view->high[1] - view->low[1]) / (view->high[0] - view->low[0]); /* height by width */

    view->width = look->width;
    view->height = look->height;
    if (view->width == 0 && view->height == 0) {
        view->width = USUAL_WIDTH;
        const double height = round(USUAL_WIDTH * form) + BAR;
        view->height = (uint32_t)fmin(fmax(height, LEAST_HEIGHT), MOST_HEIGHT);
    }
    if (view->width == 0) {
        view->width = (uint32_t)fmin(fmax(round(view->height / form), 1), MOST_SIDE);
    } else if (view->height == 0) {
        view->height = (uint32_t)fmin(fmax(round(view->width * form), 1), MOST_SIDE);
    }
}

tp_status tpi_draw_view_init(struct draw_view *view, const tpi_sim *sim, const tpi_draw_look *look,
                             tp_error *err)
{
    find_bounds(view, sim);
    choose_size(view, look);
    if (view->width > MOST_SIDE || view->height > MOST_SIDE ||
        (uint64_t)view->width * view->height > TPI_DRAW_MOST_PIXELS) {
        return tp_fail(err, TP_E_LIMIT, "a picture of %ux%u pixels is too large", view->width,
                       view->height);
    }
    const double width = view->high[0] - view->low[0];
    const double height = view->high[1] - view->low[1];
    const double bar = look->bare || view->height < 8 * BAR ? 0 : BAR; /* below the world */
    view->scale = fmin(view->width / width, (view->height - bar) / height);
    view->x = view->width / 2.0 - view->scale * (view->low[0] + view->high[0]) / 2;
    view->y = (view->height - bar) / 2 + view->scale * (view->low[1] + view->high[1]) / 2;
    return TP_OK;
}
