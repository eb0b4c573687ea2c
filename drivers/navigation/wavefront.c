/*
 * wavefront - plans a way on a map and takes the robot along it.
 *
 * The planner reads where the robot is from one position2d (input, such as amcl) and sends
 * waypoints to another (output, such as vfh). A laser, ranger or sonar in `requires` shows what is
 * not in the map; the way is planned anew when it is closed. A graphics2d shows the way. A second
 * planner with the key "offline" plans between any two places and moves nothing. navigation/plan.h
 * has the method.
 */
#include <math.h>
#include <stdlib.h>

#include "drawing.h"
#include "forward.h"
#include "limits.h"
#include "troupe/driver/planner.h"
#include "troupe/interfaces/map.h"
#include "wavefront_driver.h"

static const int64_t period_ns = 250 * TP_NS_PER_MS;

static const tp_param wavefront_params[] = {
    {"safety_dist", "m", "0.25", "distance to keep, beyond the robot's own radius"},
    {"max_radius", "m", "1", "things that are farther away do not matter"},
    {"dist_penalty", "1", "1", "how much more it costs to be near to things"},
    {"distance_epsilon", "m", "0.5",
     "so near is at a place; an output that stops before is sent on"},
    {"angle_epsilon", "rad", "0.17453", "so near is the angle of the goal"},
    {"replan_dist_thresh", "m", "2", "plan anew after such a way; -1 for never"},
    {"replan_min_time", "s", "2", "but not before so much time has passed; -1 for never"},
    {"cspace_file", NULL, "player.cspace", "accepted; costs are computed in less time than read"},
    {"add_rotational_waypoints", "1", "1", "turn on the spot before waypoints to the side"},
    {"force_map_refresh", "1", "0", "fetch the map for every goal"},
    {"update_rate", "1", "10", "decisions per second"},
    {"patience", "s", "15", "without progress for so long, look for another way"},
    {"timeout", "s", "2", "a robot that does not say where it is for so long is stopped"},
    {NULL, NULL, NULL, NULL},
};

static struct wavefront *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static tp_pose2d pose_of(const tpi_nav_pose *pose)
{
    return (tp_pose2d){.px = pose->x, .py = pose->y, .pa = pose->a};
}

static bool pose_in(const tp_pose2d *pose, tpi_nav_pose *out)
{
    *out = (tpi_nav_pose){pose->px, pose->py, pose->pa};
    return isfinite(pose->px + pose->py + pose->pa);
}

/* ---- What it tells --------------------------------------------------------------------------- */

static void tell(const struct wavefront *w, double time)
{
    const struct journey *j = &w->journey;
    const bool on_way = j->active && j->valid && !j->done && j->next < w->plan.waypoint_count;
    tpi_nav_pose next = j->goal;

    if (on_way) {
        next.x = w->plan.waypoints[j->next].x;
        next.y = w->plan.waypoints[j->next].y;
    }
    const tp_planner_data data = {
        .valid = j->active && j->valid,
        .done = j->active && j->done,
        .pos = pose_of(&w->place.map),
        .goal = pose_of(&j->goal),
        .waypoint = pose_of(&next),
        .waypoint_idx = on_way ? (int32_t)j->next : -1,
        .waypoints_count = j->active && j->valid ? (uint32_t)w->plan.waypoint_count : 0,
    };
    if (w->online != NULL) {
        tp_planner_publish_state(w->online, &data, time);
    }
}

static tp_status get_waypoints(tp_device *device, tp_planner_waypoints_req *answer, tp_error *err)
{
    struct wavefront *w = state_of(device);
    const size_t count = w->has_plan ? w->plan.waypoint_count : 0;
    tp_pose2d *room = realloc(w->answer, (count + 1) * sizeof *room);

    if (room == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    w->answer = room;
    for (size_t i = 0; i < count; i++) {
        room[i] = (tp_pose2d){.px = w->plan.waypoints[i].x, .py = w->plan.waypoints[i].y};
    }
    *answer = (tp_planner_waypoints_req){.waypoints_distance = count > 0 ? w->plan.length : 0,
                                         .waypoints_count = (uint32_t)count,
                                         .waypoints = room};
    return TP_OK;
}

/* ---- Goals ----------------------------------------------------------------------------------- */

static tp_status online_goal(tp_device *device, const tp_planner_cmd *ask, tp_error *err)
{
    struct wavefront *w = state_of(device);
    tpi_nav_pose goal;

    if (!pose_in(&ask->goal, &goal)) {
        return tp_fail(err, TP_E_RANGE, "the goal is no place");
    }
    if (!w->has_plan && w->map.why[0] != '\0') {
        return tp_fail(err, TP_E_DEVICE, "there is no map: %s", w->map.why);
    }
    const struct journey *j = &w->journey;
    if (j->active && hypot(goal.x - j->goal.x, goal.y - j->goal.y) < 1e-6 &&
        fabs(tpi_nav_angle(goal.a - j->goal.a)) < 1e-6) {
        return TP_OK; /* it goes there already */
    }
    tpi_journey_begin(w, &goal);
    return w->settings.refresh ? tpi_gridmap_fetch(&w->map, err) : TP_OK;
}

static tp_status online_enable(tp_device *device, const tp_planner_enable_req *ask, tp_error *err)
{
    struct wavefront *w = state_of(device);

    (void)err;
    w->journey.enabled = ask->state != 0;
    if (ask->state == 0 && w->journey.active) {
        tpi_journey_rest(w);
    }
    return TP_OK;
}

static tp_status offline_start(tp_device *device, const tp_planner_cmd *ask, tp_error *err)
{
    return pose_in(&ask->goal, &state_of(device)->start)
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "the start is no place");
}

/* Its waypoints are those of GET_WAYPOINTS until the next plan of either planner. */
static tp_status offline_goal(tp_device *device, const tp_planner_cmd *ask, tp_error *err)
{
    struct wavefront *w = state_of(device);
    tpi_nav_pose goal;

    if (!pose_in(&ask->goal, &goal)) {
        return tp_fail(err, TP_E_RANGE, "the goal is no place");
    }
    if (!w->has_plan) {
        return tp_fail(err, TP_E_DEVICE, "there is no map yet%s%s",
                       w->map.why[0] != '\0' ? ": " : "", w->map.why);
    }
    const tp_status status =
        tpi_nav_plan_find(&w->plan, (tpi_nav_point){w->start.x, w->start.y},
                          (tpi_nav_point){goal.x, goal.y}, w->settings.distance, err);
    const tp_planner_data data = {.valid = status == TP_OK,
                                  .done = status == TP_OK,
                                  .pos = pose_of(&w->start),
                                  .goal = ask->goal,
                                  .waypoint = ask->goal,
                                  .waypoint_idx = -1,
                                  .waypoints_count = (uint32_t)w->plan.waypoint_count};
    tp_planner_publish_state(device, &data, 0);
    w->journey.planned = false; /* the robot's own way has to be found again */
    return status;
}

static const tp_planner_ops online_ops = {
    .cmd_goal = online_goal, .req_enable = online_enable, .req_get_waypoints = get_waypoints};
static const tp_planner_ops offline_ops = {
    .cmd_goal = offline_goal, .cmd_start = offline_start, .req_get_waypoints = get_waypoints};

/* ---- The map and the robot ------------------------------------------------------------------- */

/* Costs are made when map and robot are known. */
static void make_plan(tp_instance *self, struct wavefront *w)
{
    const tpi_nav_plan_settings settings = {.near = w->radius + w->settings.safety,
                                            .far = fmax(w->settings.far, w->radius),
                                            .penalty = w->settings.penalty};
    tp_error err = {0};

    if (!w->map.ready || !w->has_radius) {
        return;
    }
    tpi_nav_plan_fini(&w->plan);
    w->has_plan = tpi_nav_plan_init(&w->plan, &w->map.grid, &settings, &err) == TP_OK;
    if (!w->has_plan) {
        tpi_nav_plan_fini(&w->plan);
        tp_instance_note(self, err.text);
    }
    w->journey.planned = false;
    tpi_nav_grid_fini(&w->map.grid);
    w->map.ready = false;
}

static void got_map(tp_instance *self, struct gridmap *map)
{
    if (map->ready) {
        make_plan(self, tp_instance_state(self));
    } else {
        tp_instance_note(self, map->why);
    }
}

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct wavefront *w = tp_instance_state(self);
    const tp_position2d_geom *geom = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)context;
    (void)why;
    w->radius = 0;
    if (geom != NULL && geom->size.sl >= 0 && geom->size.sw >= 0 &&
        fmax(geom->size.sl, geom->size.sw) < 100) {
        w->radius = fmax(geom->size.sl, geom->size.sw) / 2;
    }
    w->has_radius = true;
    make_plan(self, w);
}

/* Poses of one moment tell how the odometry lies in the map. Devices that never agree on a moment
 * have to do with what there is. */
static void pair(struct wavefront_place *p)
{
    const double apart = fabs(p->map_s - p->odometry_s);

    if (p->has_map && p->has_odometry &&
        (apart < 0.01 || fabs(p->map_s - p->then_s) > 1 || p->then_s == 0)) {
        p->map_then = p->map;
        p->odometry_then = p->odometry;
        p->then_s = p->map_s;
    }
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Readings are put on the map from the pose of their time: they wait for it, unless the times of
 * sensor and pose have nothing to do with each other. */
static void see_in_time(struct wavefront *w)
{
    const double early = w->beams.time - w->place.map_s;

    if (w->waits && w->place.has_map && (early < 1e-3 || early > 1)) {
        w->waits = false;
        tpi_journey_see(w, w->beams.time);
    }
}

static void take_input(tp_instance *self, struct wavefront *w, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);
    const double time = tp_msg_header(msg)->timestamp;
    tpi_nav_pose pose;

    if (tp_msg_header(msg)->subtype != TP_POSITION2D_DATA_STATE || data == NULL ||
        !pose_in(&data->pos, &pose)) {
        return;
    }
    w->place.map = pose;
    w->place.has_map = true;
    w->place.map_s = time;
    pair(&w->place);
    see_in_time(w);
    w->place.heard_ns = tp_clock_now_ns(tp_instance_clock(self));
    const double since = time - w->journey.decided_s;
    if (since < 0 || since >= w->settings.period - 1e-6) {
        tpi_journey_step(w, time);
        tpi_journey_draw(w);
        tell(w, time);
    }
}

static void take_output(struct wavefront *w, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE && data != NULL) {
        w->place.has_odometry = pose_in(&data->pos, &w->place.odometry);
        w->place.odometry_s = tp_msg_header(msg)->timestamp;
        pair(&w->place);
    } else if (tpi_forward_is_failure(msg)) {
        w->journey.active = false; /* whatever it did, it does not do it any more */
    }
}

static void wavefront_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct wavefront *w = tp_instance_state(self);

    if (from == w->output) {
        take_output(w, msg);
    }
    if (from == w->input) {
        take_input(self, w, msg);
    }
    if (from == w->beams.link && from != NULL && tpi_beams_take(&w->beams, msg)) {
        w->waits = true;
        see_in_time(w);
    }
}

/* Without knowing where it is, the robot does not go on. */
static tp_status wavefront_poll(tp_instance *self, tp_error *err)
{
    struct wavefront *w = tp_instance_state(self);
    const int64_t now = tp_clock_now_ns(tp_instance_clock(self));

    (void)err;
    if (w->journey.active && w->place.has_map && now - w->place.heard_ns > w->timeout_ns) {
        tpi_journey_rest(w);
    }
    return TP_OK;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_settings(tp_instance *self, struct wavefront *w, tp_error *err)
{
    static const struct limits limits[] = {
        {"safety_dist", 0, 100},      {"max_radius", 0, 100},
        {"dist_penalty", 0, 1e6},     {"distance_epsilon", 0.01, 100},
        {"angle_epsilon", 0.001, 7},  {"replan_dist_thresh", -1, 1e6},
        {"replan_min_time", -1, 1e6}, {"update_rate", 0.1, 1000},
        {"patience", 1, 1e6},
    };
    const tp_status status = tpi_limits_check(self, limits, sizeof limits / sizeof limits[0], err);

    if (status != TP_OK) {
        return status;
    }
    w->settings = (struct wavefront_settings){
        .safety = tp_param_double(self, "safety_dist"),
        .far = tp_param_double(self, "max_radius"),
        .penalty = tp_param_double(self, "dist_penalty"),
        .distance = tp_param_double(self, "distance_epsilon"),
        .angle = tp_param_double(self, "angle_epsilon"),
        .replan_way = tp_param_double(self, "replan_dist_thresh"),
        .replan_s = tp_param_double(self, "replan_min_time"),
        .turns = tp_param_double(self, "add_rotational_waypoints") != 0,
        .refresh = tp_param_double(self, "force_map_refresh") != 0,
        .period = 1 / tp_param_double(self, "update_rate"),
        .patience = tp_param_double(self, "patience"),
    };
    return tpi_forward_seconds(self, "timeout", &w->timeout_ns, err);
}

/* By its key, otherwise the next one that there is. */
static tp_status require_position(tp_instance *self, const char *key, tp_link **out, tp_error *err)
{
    const tp_status status = tp_require(self, &tp_interface_position2d, key, out, err);

    return status == TP_E_UNKNOWN ? tp_require(self, &tp_interface_position2d, NULL, out, err)
                                  : status;
}

/* One position2d without a key is both; a sensor need not be there. */
static tp_status require_all(tp_instance *self, struct wavefront *w, tp_error *err)
{
    tp_status status = require_position(self, "output", &w->output, err);

    if (status == TP_OK) {
        status = require_position(self, "input", &w->input, err);
    }
    if (status == TP_E_UNKNOWN && w->output != NULL) {
        w->input = w->output;
        status = TP_OK;
    }
    status =
        status == TP_OK ? tp_require(self, &tp_interface_map, NULL, &w->map.link, err) : status;
    if (status == TP_OK) {
        status = tpi_beams_require(self, &w->beams, err);
        status = status == TP_E_UNKNOWN ? TP_OK : status;
    }
    return status == TP_OK ? tpi_drawing_require(self, &w->drawing, err) : status;
}

static tp_status wavefront_init(tp_instance *self, tp_error *err)
{
    struct wavefront *w = tp_instance_state(self);
    tp_status status = read_settings(self, w, err);

    w->journey.enabled = true;
    w->map.done = got_map;
    status = status == TP_OK ? require_all(self, w, err) : status;
    if (status == TP_OK && tp_provides(self, &tp_interface_planner, "offline")) {
        status = tp_offer_planner(self, "offline", &offline_ops, &w->offline, err);
    }
    if (status == TP_OK && (w->offline == NULL || tp_provides(self, &tp_interface_planner, NULL))) {
        status = tp_offer_planner(self, NULL, &online_ops, &w->online, err);
    }
    if (status == TP_OK && w->output != NULL) {
        tp_link_report(w->output);
    }
    return status;
}

static tp_status wavefront_start(tp_instance *self, tp_error *err)
{
    struct wavefront *w = tp_instance_state(self);
    tp_status status = tp_link_request(w->output, TP_POSITION2D_REQ_GET_GEOM, NULL,
                                       FORWARD_TIMEOUT_NS, got_geom, NULL);

    w->place = (struct wavefront_place){0};
    w->journey = (struct journey){.enabled = true, .stopped = true};
    w->has_radius = false;
    if (status != TP_OK) {
        return tp_fail(err, status, "the robot cannot be asked");
    }
    tp_instance_set_period(self, period_ns);
    status = tpi_gridmap_fetch(&w->map, err);
    return status == TP_OK && w->beams.link != NULL ? tpi_beams_start(&w->beams, err) : status;
}

static void wavefront_halt(tp_device *device, tp_halt how)
{
    struct wavefront *w = state_of(device);

    (void)how; /* the robot's own configuration says */
    if (device == w->online) {
        w->journey.active = false;
        tp_link_halt(w->output);
        w->journey.stopped = true;
    }
}

static void wavefront_stop(tp_instance *self)
{
    struct wavefront *w = tp_instance_state(self);

    if (w->journey.active) {
        tpi_journey_rest(w);
    }
    w->journey.active = false;
    tpi_gridmap_stop(&w->map);
}

static void wavefront_fini(tp_instance *self)
{
    struct wavefront *w = tp_instance_state(self);

    tpi_beams_fini(&w->beams);
    tpi_gridmap_fini(&w->map);
    tpi_nav_plan_fini(&w->plan);
    free(w->answer);
}

static const tp_driver_ops wavefront_ops = {
    .init = wavefront_init,
    .start = wavefront_start,
    .poll = wavefront_poll,
    .data = wavefront_data,
    .halt = wavefront_halt,
    .stop = wavefront_stop,
    .fini = wavefront_fini,
};

TP_API const tp_driver tp_driver_wavefront = {
    .abi = TP_DRIVER_ABI,
    .name = "wavefront",
    .summary = "plans a way on a map and takes the robot along it",
    .state_size = sizeof(struct wavefront),
    .params = wavefront_params,
    .ops = &wavefront_ops,
};
