/*
 * fiducial.c - the model `fiducial`: finds models that carry a marker.
 *
 * It looks along a horizontal line at its own height towards the pose of each marker. How it
 * differs from Stage:
 *
 * - What is in the way hides the marker, but no part of the target itself does. In Stage a robot
 *   hides its own marker behind its sensors.
 * - Of a target that is lower or higher than the line nothing is seen, unless ignore_zloc is set;
 *   with it, all the same what is in the way hides it. In Stage the flag lets see only what is not
 *   hit at all.
 * - range_min is applied.
 * - A finder shows a marker itself: its fiducial_return, which clients may change.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/crowd.h"
#include "sim/ray/ray.h"
#include "sim/sense/sense.h"
#include "sim/world/world.h"

struct fiducial {
    tpi_sim_fiducial_view view; /* at the beginning */
    uint32_t ignore_z, spare;
};

struct fiducial_state {
    struct sim_common common;
    tpi_sim_fiducial_view view;
    int32_t id; /* that it shows */
    uint32_t count;
    tpi_sim_fiducial items[TPI_SIM_MOST_FIDUCIALS];
};

static const char *const properties[] = {"range_min", "range_max",   "range_max_id",
                                         "fov",       "ignore_zloc", NULL};

/* ---- Properties ------------------------------------------------------------------------------ */

static tp_status fiducial_read(struct sim_reader *reader, tpi_cfg_section *section,
                               tpi_buf *settings)
{
    struct fiducial config = {.view = {.range_max = 8, .range_max_id = 5, .fov = SIM_PI}};
    struct {
        const char *name;
        char unit;
        double most;
        double *value;
    } const numbers[] = {
        {"range_min", 'L', TPI_SIM_FARTHEST, &config.view.range_min},
        {"range_max", 'L', TPI_SIM_FARTHEST, &config.view.range_max},
        {"range_max_id", 'L', TPI_SIM_FARTHEST, &config.view.range_max_id},
        {"fov", 'A', 2 * SIM_PI, &config.view.fov},
    };
    tp_status status = TP_OK;
    bool ignore = false;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == TP_OK; i++) {
        status = tpi_sim_read_within(reader, section, numbers[i].name, numbers[i].unit, 0,
                                     numbers[i].most, numbers[i].value);
    }
    if (status == TP_OK && config.view.range_min >= config.view.range_max) {
        tpi_sim_note(reader, &section->place,
                     "the finder sees nothing: its least range, %.6g m, is not below its greatest, "
                     "%.6g m",
                     config.view.range_min, config.view.range_max);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_flag(reader, section, "ignore_zloc", &ignore);
    }
    config.ignore_z = ignore ? 1 : 0;
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static void fiducial_start(const struct sim_view *view)
{
    struct fiducial_state *state = (struct fiducial_state *)view->state;

    state->view = ((const struct fiducial *)view->config)->view;
    state->id = tpi_sim_view_traits(view)->fiducial_return;
}

/* ---- Sensing --------------------------------------------------------------------------------- */

/* The marker that a member shows; 0 for none. */
static int32_t marker_of(const tpi_sim *sim, uint32_t tree, const struct sim_member *member)
{
    if (member->type->kind == TPI_SIM_FIDUCIAL) {
        return ((const struct fiducial_state *)tpi_sim_state(sim, tree, member->device))->id;
    }
    return member->traits.fiducial_return;
}

/* Whether the body of a member is at a height; one without a body is at all. */
static bool is_at_height(const tpi_sim *sim, uint32_t tree, uint32_t member, double z)
{
    const struct sim_template *template = sim->trees.template[tree];
    bool has_body = false;

    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        if (part->member == member) {
            has_body = true;
            if (sim_within(z - sim->trees.z[tree], part->z0, part->z1)) {
                return true;
            }
        }
    }
    return !has_body;
}

/* Whether there is nothing between the finder and a place in a tree. */
static bool is_in_sight(const struct sim_view *view, uint32_t tree, uint32_t member, double dx,
                        double dy, double range)
{
    const struct fiducial *config = view->config;
    const struct sim_ray ray = {.x = view->frame.x,
                                .y = view->frame.y,
                                .z = view->frame.z,
                                .dx = range > 0 ? dx / range : 1,
                                .dy = range > 0 ? dy / range : 0,
                                .group = view->group,
                                .sees = SIM_ANY};
    struct sim_hit hit = sim_no_hit(range);

    if (tpi_sim_cast(view->sim, &ray, &hit)) {
        return view->sim->trees.group[hit.tree] == view->sim->trees.group[tree];
    }
    return config->ignore_z != 0 || is_at_height(view->sim, tree, member, ray.z);
}

/* The nearer one first; where that does not tell, the one with the smaller number, then the one to
 * the right. */
static bool comes_before(const tpi_sim_fiducial *a, const tpi_sim_fiducial *b)
{
    if (a->range != b->range) {
        return a->range < b->range;
    }
    return a->id != b->id ? a->id < b->id : a->bearing < b->bearing;
}

static void add(struct fiducial_state *state, const tpi_sim_fiducial *found)
{
    uint32_t at = state->count;

    if (at == TPI_SIM_MOST_FIDUCIALS) {
        if (!comes_before(found, &state->items[at - 1])) {
            return;
        }
        at--;
    } else {
        state->count++;
    }
    while (at > 0 && comes_before(found, &state->items[at - 1])) {
        state->items[at] = state->items[at - 1];
        at--;
    }
    state->items[at] = *found;
}

/* A model that may show a marker. */
static void look_at(const struct sim_view *view, uint32_t tree, uint32_t member)
{
    struct fiducial_state *state = (struct fiducial_state *)view->state;
    const struct sim_member *target = &view->sim->trees.template[tree] -> members[member];
    const int32_t id = marker_of(view->sim, tree, target);

    if (id == 0 || target->traits.fiducial_key != tpi_sim_view_traits(view)->fiducial_key) {
        return;
    }
    const struct sim_frame frame = tpi_sim_member_frame(view->sim, tree, member);
    const double dx = frame.x - view->frame.x;
    const double dy = frame.y - view->frame.y;
    const double range = sqrt(dx * dx + dy * dy);
    const double x = view->frame.c * dx + view->frame.s * dy;
    const double y = view->frame.c * dy - view->frame.s * dx;
    const double bearing = atan2(y, x);
    if (!(range < state->view.range_max && range >= state->view.range_min) ||
        fabs(bearing) > state->view.fov / 2 + 1e-12 ||
        !is_in_sight(view, tree, member, dx, dy, range)) {
        return;
    }
    const double *size = target->traits.size;
    const tpi_sim_fiducial found = {
        .pose = {x, y, frame.z - view->frame.z, sim_normal(frame.a - view->frame.a)},
        .range = range,
        .bearing = bearing,
        .size = {size[0], size[1], size[2]},
        .id = range < state->view.range_max_id ? id : 0,
    };
    add(state, &found);
}

/* All models of something that moves. */
static void look_at_spot(const struct sim_view *view, const struct sim_spot *spot)
{
    for (uint32_t i = 0; i < spot->template->member_count; i++) {
        look_at(view, spot->tree, i);
    }
}

static void fiducial_sense(const struct sim_view *view)
{
    const tpi_sim *sim = view->sim;
    const struct sim_beacons *markers = &sim->beacons[SIM_MARKERS];
    struct fiducial_state *state = (struct fiducial_state *)view->state;
    const struct sim_spot *end;
    struct sim_near near;

    memset(state->items, 0, sizeof state->items); /* what is not used is hashed too */
    state->count = 0;
    for (uint32_t i = 0; i < markers->count; i++) {
        const uint32_t tree = sim->tree_of[markers->models[i]];
        if ((sim->trees.flags[tree] & SIM_MOVING) == 0 && sim->trees.group[tree] != view->group) {
            look_at(view, tree, markers->models[i] - sim->trees.model[tree]);
        }
    }
    sim_near_init(&near, &sim->crowd, view->frame.x, view->frame.y,
                  state->view.range_max + sim->widest_marker);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            if ((at->flags & SIM_MARKED) != 0 && at->group != view->group) {
                look_at_spot(view, at);
            }
        }
    }
}

static bool is_view(const tpi_sim_fiducial_view *view)
{
    return view->range_min >= 0 && view->range_max >= 0 && view->range_max_id >= 0 &&
           view->fov >= 0 && view->fov <= 2 * SIM_PI && view->range_min <= TPI_SIM_FARTHEST &&
           view->range_max <= TPI_SIM_FARTHEST && view->range_max_id <= TPI_SIM_FARTHEST;
}

static bool fiducial_check(const struct sim_common *common)
{
    const struct fiducial_state *state = (const struct fiducial_state *)common;

    return state->count <= TPI_SIM_MOST_FIDUCIALS && is_view(&state->view);
}

const tpi_sim_type tpi_sim_type_fiducial = {
    .kind = TPI_SIM_FIDUCIAL,
    .name = "fiducial",
    .size = {0, 0, 0},
    .colour = 0xff0000ff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct fiducial_state),
    .read = fiducial_read,
    .start = fiducial_start,
    .sense = fiducial_sense,
    .check = fiducial_check,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

static tp_status find_state(const tpi_sim *sim, tpi_sim_model model, struct fiducial_state **state,
                            tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_fiducial, &view, err);

    *state = status == TP_OK ? (struct fiducial_state *)view.state : NULL;
    return status;
}

tp_status tpi_sim_get_fiducials(const tpi_sim *sim, tpi_sim_model model,
                                tpi_sim_fiducials *fiducials, tp_error *err)
{
    struct fiducial_state *state;
    tp_status status = find_state(sim, model, &state, err);

    if (status == TP_OK) {
        *fiducials = (tpi_sim_fiducials){
            .items = state->items, .count = state->count, .time_us = state->common.updated_us};
    }
    return status;
}

tp_status tpi_sim_get_fiducial_view(const tpi_sim *sim, tpi_sim_model model,
                                    tpi_sim_fiducial_view *view, tp_error *err)
{
    struct fiducial_state *state;
    tp_status status = find_state(sim, model, &state, err);

    if (status == TP_OK) {
        *view = state->view;
    }
    return status;
}

tp_status tpi_sim_set_fiducial_view(tpi_sim *sim, tpi_sim_model model,
                                    const tpi_sim_fiducial_view *view, tp_error *err)
{
    struct fiducial_state *state;
    tp_status status = find_state(sim, model, &state, err);

    if (status != TP_OK) {
        return status;
    }
    if (!is_view(view)) {
        return tp_fail(err, TP_E_INVALID, "a fiducial finder cannot see that far or wide");
    }
    if (view->range_min > view->range_max) {
        return tp_fail(err, TP_E_INVALID, "the minimum range %g m is above the maximum range %g m",
                       view->range_min, view->range_max);
    }
    state->view = *view;
    return TP_OK;
}

tp_status tpi_sim_get_fiducial_id(const tpi_sim *sim, tpi_sim_model model, int32_t *id,
                                  tp_error *err)
{
    struct fiducial_state *state;
    tp_status status = find_state(sim, model, &state, err);

    if (status == TP_OK) {
        *id = state->id;
    }
    return status;
}

tp_status tpi_sim_set_fiducial_id(tpi_sim *sim, tpi_sim_model model, int32_t id, tp_error *err)
{
    struct fiducial_state *state;
    tp_status status = find_state(sim, model, &state, err);

    if (status == TP_OK) {
        state->id = id;
    }
    return status;
}
