/*
 * amcl - where a robot is on a map, by an adaptive particle filter.
 *
 * Odometry and readings go in; guesses (localize) and the best of them (position2d) come out. The
 * filter is asked after every `update_thresh` of motion; in between the best guess moves with the
 * odometry. navigation/filter.h has the method. A map is fetched when the driver starts.
 */
#include "amcl_driver.h"

#include <math.h>
#include <stdlib.h>

#include "drawing.h"
#include "forward.h"
#include "troupe/driver/localize.h"
#include "troupe/driver/position2d.h"
#include "troupe/interfaces/map.h"

enum { MOST_TOLD = 1000 };

static struct amcl *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Poses ----------------------------------------------------------------------------------- */

/* A guess of the last update, moved with the odometry since. */
static tpi_nav_pose now_of(const struct amcl *m, const tpi_nav_guess *guess)
{
    const tpi_nav_pose by = m->has_then ? tpi_nav_between(&m->then, &m->moved) : (tpi_nav_pose){0};

    return tpi_nav_after(&guess->mean, &by);
}

static tp_pose2d pose_of(const tpi_nav_pose *pose)
{
    return (tp_pose2d){.px = pose->x, .py = pose->y, .pa = pose->a};
}

/* ---- What it tells --------------------------------------------------------------------------- */

static void tell_guesses(const struct amcl *m, double time)
{
    tp_localize_hypoth hypoths[TPI_NAV_MOST_GUESSES];
    const tp_localize_data data = {.pending_time = m->used_s,
                                   .hypoths_count = (uint32_t)m->filter.guess_count,
                                   .hypoths = hypoths};

    for (size_t i = 0; i < m->filter.guess_count; i++) {
        const tpi_nav_guess *g = &m->filter.guesses[i];
        const tpi_nav_pose pose = now_of(m, g);
        hypoths[i] = (tp_localize_hypoth){.mean = pose_of(&pose), .alpha = g->weight};
        for (int k = 0; k < 6; k++) {
            hypoths[i].cov[k] = g->cov[k];
        }
    }
    if (m->localize != NULL) {
        tp_localize_publish_hypoths(m->localize, &data, time);
    }
}

static void tell_pose(const struct amcl *m, double time)
{
    if (m->position == NULL || !m->ready || m->filter.guess_count == 0) {
        return;
    }
    const tpi_nav_pose pose = now_of(m, &m->filter.guesses[0]);
    tp_position2d_data data = m->last;
    data.pos = pose_of(&pose);
    tp_position2d_publish_state(m->position, &data, time);
}

/* ---- The filter ------------------------------------------------------------------------------ */

static void begin(struct amcl *m)
{
    const tpi_nav_grid *grid = &m->map.grid;
    const double size = fmax(grid->width, grid->height) * grid->scale;

    if (fmin(m->start_deviation[0], m->start_deviation[1]) >= fmin(size / 2, 50)) {
        tpi_nav_filter_start_anywhere(&m->filter);
    } else {
        tpi_nav_filter_start_at(&m->filter, &m->start, m->start_deviation);
    }
    m->asked = true;
    m->has_then = m->has_moved;
    m->then = m->moved;
}

static void drop(struct amcl *m)
{
    tpi_nav_filter_fini(&m->filter);
    tpi_nav_field_fini(&m->field);
    m->ready = false;
}

static void got_map(tp_instance *self, struct gridmap *map)
{
    struct amcl *m = tp_instance_state(self);
    tp_error err = {0};

    if (!map->ready) {
        tp_instance_note(self, map->why);
        return;
    }
    drop(m);
    tp_status status = tpi_nav_field_init(&m->field, &map->grid, m->deviation, m->bad, &err);
    m->field.beams = m->rays;
    status =
        status == TP_OK ? tpi_nav_filter_init(&m->filter, &m->field, &m->settings, &err) : status;
    if (status != TP_OK) {
        drop(m);
        tp_instance_note(self, err.text);
        return;
    }
    m->ready = true;
    begin(m);
}

/* A few of the readings, evenly. */
static size_t choose(struct amcl *m)
{
    const size_t most = m->most_beams < m->beams.count ? m->most_beams : m->beams.count;

    for (size_t i = 0; i < most; i++) {
        m->few[i] = m->beams.beams[most > 1 ? i * (m->beams.count - 1) / (most - 1) : 0];
    }
    return most;
}

static void update(struct amcl *m, double time)
{
    const tpi_nav_pose by = m->has_then ? tpi_nav_between(&m->then, &m->moved) : (tpi_nav_pose){0};
    const bool far = hypot(by.x, by.y) >= m->way || fabs(by.a) >= m->turn;

    if (!m->has_moved || (!far && !m->asked)) {
        return;
    }
    if (m->has_then) {
        tpi_nav_filter_move(&m->filter, &by);
    }
    m->then = m->moved;
    m->has_then = true;
    m->asked = false;
    tpi_nav_filter_sense(&m->filter, m->few, choose(m));
    tpi_drawing_particles(m->drawing, &m->filter);
    m->used_s = time;
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Begin where it was when it was stopped, moved as the robot since. Odometry of 0 0 0 was set back
 * meanwhile. */
static void go_on(struct amcl *m, const tpi_nav_pose *now)
{
    if (now->x != 0 || now->y != 0 || now->a != 0) {
        const tpi_nav_pose by = tpi_nav_between(&m->moved, now);
        m->start = tpi_nav_after(&m->start, &by);
    }
    m->left = false;
    if (m->ready) {
        begin(m);
    }
}

/* Keep where it is for the next start, if that is clear. */
static void leave(struct amcl *m)
{
    if (!m->ready || !m->has_moved || m->filter.guess_count == 0 ||
        m->filter.guesses[0].weight < 0.5) {
        return;
    }
    m->start = now_of(m, &m->filter.guesses[0]);
    for (int i = 0; i < 3; i++) {
        m->start_deviation[i] = fmax(sqrt(m->filter.guesses[0].cov[i]), 0.1);
    }
    m->left = true;
}

static void take_odometry(struct amcl *m, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (tp_msg_header(msg)->subtype != TP_POSITION2D_DATA_STATE || data == NULL ||
        !isfinite(data->pos.px + data->pos.py + data->pos.pa)) {
        return;
    }
    const tpi_nav_pose now = {data->pos.px, data->pos.py, data->pos.pa};
    if (m->left) {
        go_on(m, &now);
    }
    m->moved = now;
    m->last = *data;
    m->has_moved = true;
    tell_pose(m, tp_msg_header(msg)->timestamp);
}

static void amcl_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct amcl *m = tp_instance_state(self);

    if (from == m->odometry) {
        take_odometry(m, msg);
    } else if (from == m->beams.link && tpi_beams_take(&m->beams, msg) && m->ready) {
        update(m, m->beams.time);
        tell_guesses(m, m->beams.time);
    }
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status set_pose(struct amcl *m, const tp_pose2d *mean, const double deviation[3],
                          tp_error *err)
{
    if (!isfinite(mean->px + mean->py + mean->pa) ||
        !isfinite(deviation[0] + deviation[1] + deviation[2])) {
        return tp_fail(err, TP_E_RANGE, "this is no place");
    }
    m->start = (tpi_nav_pose){mean->px, mean->py, mean->pa};
    for (int i = 0; i < 3; i++) {
        m->start_deviation[i] = fmin(fmax(deviation[i], 0), 1e6);
    }
    if (m->ready) {
        begin(m);
    }
    return TP_OK;
}

static tp_status localize_set(tp_device *device, const tp_localize_set_pose *ask, tp_error *err)
{
    const double deviation[3] = {sqrt(ask->cov[0]), sqrt(ask->cov[1]), sqrt(ask->cov[2])};

    for (int i = 0; i < 3; i++) {
        if (!(ask->cov[i] >= 0)) { /* else it would be the certain pose */
            return tp_fail(err, TP_E_RANGE, "a variance of %g makes no sense", ask->cov[i]);
        }
    }
    return set_pose(state_of(device), &ask->mean, deviation, err);
}

static tp_status localize_particles(tp_device *device, tp_localize_get_particles *answer,
                                    tp_error *err)
{
    struct amcl *m = state_of(device);
    const size_t count = m->filter.count < MOST_TOLD ? m->filter.count : MOST_TOLD;
    double x = 0;
    double y = 0;
    double square = 0;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        const tpi_nav_particle *p = &m->filter.particles[i * m->filter.count / count];
        m->told[i] = (tp_localize_particle){.pose = pose_of(&p->pose), .alpha = p->weight};
        x += p->pose.x / (double)count;
        y += p->pose.y / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        const double dx = m->told[i].pose.px - x;
        const double dy = m->told[i].pose.py - y;
        square += (dx * dx + dy * dy) / (double)count;
    }
    *answer = (tp_localize_get_particles){.mean = {.px = x, .py = y},
                                          .variance = square,
                                          .particles_count = (uint32_t)count,
                                          .particles = m->told};
    return TP_OK;
}

static const tp_localize_ops localize_ops = {.req_set_pose = localize_set,
                                             .req_get_particles = localize_particles};

/* Like SET_POSE, for programs that know only a position2d. */
static tp_status position_set(tp_device *device, const tp_position2d_set_odom_req *ask,
                              tp_error *err)
{
    const double deviation[3] = {0.1, 0.1, 0.1};

    return set_pose(state_of(device), &ask->pose, deviation, err);
}

static tp_status position_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    struct amcl *m = state_of(device);

    (void)answer;
    return tpi_forward_ask(device, m->odometry, TP_POSITION2D_REQ_GET_GEOM, NULL,
                           FORWARD_TIMEOUT_NS, tpi_forward_answer, err);
}

static tp_status position_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_DENIED, "amcl moves nothing: command the robot's own position2d");
}

static const tp_position2d_ops position_ops = {
    .req_get_geom = position_geom, .req_set_odom = position_set, .cmd_vel = position_vel};

/* ---- Life ------------------------------------------------------------------------------------ */

/* By its key, otherwise any. */
static tp_status require(tp_instance *self, const tp_interface *interface, const char *key,
                         tp_link **out, tp_error *err)
{
    const tp_status status = tp_require(self, interface, key, out, err);

    return status == TP_E_UNKNOWN ? tp_require(self, interface, NULL, out, err) : status;
}

static tp_status amcl_init(tp_instance *self, tp_error *err)
{
    struct amcl *m = tp_instance_state(self);
    tp_status status = tpi_amcl_settings(self, m, err);

    m->map.done = got_map;
    m->told = calloc(MOST_TOLD, sizeof *m->told);
    if (status == TP_OK && m->told == NULL) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    status = status == TP_OK
                 ? require(self, &tp_interface_position2d, "odometry", &m->odometry, err)
                 : status;
    status =
        status == TP_OK ? require(self, &tp_interface_map, "laser", &m->map.link, err) : status;
    status = status == TP_OK ? tpi_beams_require(self, &m->beams, err) : status;
    status = status == TP_OK ? tpi_drawing_require(self, &m->drawing, err) : status;
    if (status == TP_OK && tp_provides(self, &tp_interface_position2d, NULL)) {
        status = tp_offer_position2d(self, NULL, &position_ops, &m->position, err);
    }
    if (status == TP_OK &&
        (m->position == NULL || tp_provides(self, &tp_interface_localize, NULL))) {
        status = tp_offer_localize(self, NULL, &localize_ops, &m->localize, err);
    }
    return status;
}

static tp_status amcl_start(tp_instance *self, tp_error *err)
{
    struct amcl *m = tp_instance_state(self);
    tp_status status = tpi_gridmap_fetch(&m->map, err);

    m->has_moved = m->has_then = false;
    m->used_s = 0;
    return status == TP_OK ? tpi_beams_start(&m->beams, err) : status;
}

static void amcl_halt(tp_device *device, tp_halt how)
{
    (void)device; /* it moves nothing */
    (void)how;
}

static void amcl_stop(tp_instance *self)
{
    struct amcl *m = tp_instance_state(self);

    tpi_gridmap_stop(&m->map);
    leave(m);
    drop(m);
}

static void amcl_fini(tp_instance *self)
{
    struct amcl *m = tp_instance_state(self);

    drop(m);
    tpi_beams_fini(&m->beams);
    tpi_gridmap_fini(&m->map);
    free(m->told);
}

static const tp_driver_ops amcl_ops = {
    .init = amcl_init,
    .start = amcl_start,
    .data = amcl_data,
    .halt = amcl_halt,
    .stop = amcl_stop,
    .fini = amcl_fini,
};

TP_API const tp_driver tp_driver_amcl = {
    .abi = TP_DRIVER_ABI,
    .name = "amcl",
    .summary = "finds out where a robot is on a map",
    .state_size = sizeof(struct amcl),
    .params = tpi_amcl_params,
    .ops = &amcl_ops,
};
