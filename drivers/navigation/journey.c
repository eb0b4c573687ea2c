/* journey.c - taking a robot along a plan; see wavefront_driver.h. */
#include <math.h>

#include "drawing.h"
#include "wavefront_driver.h"

static const double quarter = 45 * 3.14159265358979323846 / 180;
static const double turned_enough = 20 * 3.14159265358979323846 / 180;
static const double thing_s = 6;    /* how long what was seen closes the way */
static const double look_m = 3.5;   /* what is farther is not put on the map */
static const double ahead_m = 4;    /* so much of the way must be open */
static const double hurry_s = 0.5;  /* between plans when the way is closed */
static const double stands_s = 1.5; /* a robot that has not moved for so long stands */

static double away(const tpi_nav_pose *pose, tpi_nav_point at)
{
    return hypot(at.x - pose->x, at.y - pose->y);
}

/* ---- Commands -------------------------------------------------------------------------------- */

void tpi_journey_rest(struct wavefront *w)
{
    const tp_position2d_cmd_vel stop = {.state = 1};

    if (!w->journey.stopped) {
        (void)tp_link_command(w->output, TP_POSITION2D_CMD_VEL, &stop);
        w->journey.stopped = true;
    }
}

/* A pose of the map in the frame of the output's odometry. */
static tpi_nav_pose by_odometry(const struct wavefront_place *p, const tpi_nav_pose *pose)
{
    const double turn = p->odometry_then.a - p->map_then.a;
    const double dx = pose->x - p->map_then.x;
    const double dy = pose->y - p->map_then.y;

    return (tpi_nav_pose){p->odometry_then.x + cos(turn) * dx - sin(turn) * dy,
                          p->odometry_then.y + sin(turn) * dx + cos(turn) * dy,
                          tpi_nav_angle(pose->a + turn)};
}

static void send(struct wavefront *w, const tpi_nav_pose *pose)
{
    const tpi_nav_pose to = by_odometry(&w->place, pose);
    const tp_position2d_cmd_pos cmd = {.pos = {.px = to.x, .py = to.y, .pa = to.a}, .state = 1};

    (void)tp_link_command(w->output, TP_POSITION2D_CMD_POS, &cmd);
    w->journey.stopped = false;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

void tpi_journey_begin(struct wavefront *w, const tpi_nav_pose *goal)
{
    const bool enabled = w->journey.enabled;
    const bool stopped = w->journey.stopped;
    const double drawn_s = w->journey.drawn_s;

    w->journey = (struct journey){
        .active = true, .enabled = enabled, .stopped = stopped, .goal = *goal, .drawn_s = drawn_s};
}

static double to_go(const struct wavefront *w)
{
    tpi_nav_pose at = w->place.map;
    double sum = 0;

    for (size_t i = w->journey.next; i < w->plan.waypoint_count; i++) {
        sum += away(&at, w->plan.waypoints[i]);
        at = (tpi_nav_pose){w->plan.waypoints[i].x, w->plan.waypoints[i].y, 0};
    }
    return sum;
}

static void plan(struct wavefront *w, double time)
{
    struct journey *j = &w->journey;
    const tpi_nav_point from = {w->place.map.x, w->place.map.y};
    const tpi_nav_point to = {j->goal.x, j->goal.y};

    tpi_nav_plan_time(&w->plan, time);
    j->valid = tpi_nav_plan_find(&w->plan, from, to, w->settings.distance, NULL) == TP_OK;
    j->from = from;
    if (!j->planned) {
        j->best_s = time;
    }
    j->planned = true;
    j->planned_s = time;
    j->next = 0;
    j->turned = false;
    j->beyond = 0;
    j->best = j->valid ? fmin(j->best > 0 ? j->best : HUGE_VAL, to_go(w)) : j->best;
}

/* Whether the next metres of the way are open. */
static bool is_open(const struct wavefront *w)
{
    tpi_nav_point at = {w->place.map.x, w->place.map.y};
    double left = ahead_m;

    for (size_t i = w->journey.next; i < w->plan.waypoint_count && left > 0; i++) {
        tpi_nav_point to = w->plan.waypoints[i];
        const double length = hypot(to.x - at.x, to.y - at.y);
        if (length > left) {
            to.x = at.x + (to.x - at.x) * left / length;
            to.y = at.y + (to.y - at.y) * left / length;
        }
        if (length > 0.1 && !tpi_nav_plan_is_open(&w->plan, at, to)) {
            return false;
        }
        left -= length;
        at = w->plan.waypoints[i];
    }
    return true;
}

/* Something that nobody sees holds the robot up: look for a way around the place before it. */
static void give_up_here(struct wavefront *w, double time)
{
    struct journey *j = &w->journey;
    const tpi_nav_point to =
        j->next < w->plan.waypoint_count ? w->plan.waypoints[j->next] : j->from;
    const double bearing = atan2(to.y - w->place.map.y, to.x - w->place.map.x);
    const double reach = w->plan.settings.near + 0.3;

    tpi_nav_plan_forget(&w->plan);
    (void)tpi_nav_plan_put(&w->plan, w->place.map.x + reach * cos(bearing),
                           w->place.map.y + reach * sin(bearing), 30, NULL);
    plan(w, time);
    if (!j->valid) {
        tpi_nav_plan_forget(&w->plan);
        plan(w, time);
    }
    j->best = to_go(w);
    j->best_s = time;
}

static void replan(struct wavefront *w, double time)
{
    const struct wavefront_settings *s = &w->settings;
    struct journey *j = &w->journey;
    const double since = time - j->planned_s;
    const bool far = s->replan_way >= 0 && s->replan_s >= 0 && since >= s->replan_s &&
                     away(&w->place.map, j->from) >= s->replan_way;

    if (!j->planned || since < 0) {
        plan(w, time);
    } else if (!j->valid) {
        if (since >= fmax(s->replan_s, 1)) {
            plan(w, time);
        }
    } else if (far || (w->beams.link != NULL && since >= hurry_s && !is_open(w))) {
        plan(w, time);
    }
    if (j->valid && to_go(w) < j->best - 0.1) {
        j->best = to_go(w);
        j->best_s = time;
    } else if (j->valid && j->enabled && time - j->best_s > s->patience) {
        give_up_here(w, time);
    }
}

/* ---- The way --------------------------------------------------------------------------------- */

static bool is_there(const struct wavefront *w)
{
    const tpi_nav_pose *goal = &w->journey.goal;

    return away(&w->place.map, (tpi_nav_point){goal->x, goal->y}) <= w->settings.distance &&
           fabs(tpi_nav_angle(goal->a - w->place.map.a)) <= w->settings.angle;
}

/* The waypoint as a pose: turned to the next one, the last one as the goal is. */
static tpi_nav_pose waypoint(const struct wavefront *w)
{
    const tpi_nav_point *all = w->plan.waypoints;
    const size_t i = w->journey.next;
    const bool last = i + 1 >= w->plan.waypoint_count;

    return (tpi_nav_pose){all[i].x, all[i].y,
                          last ? w->journey.goal.a
                               : atan2(all[i + 1].y - all[i].y, all[i + 1].x - all[i].x)};
}

/* An output that takes more for near than the planner does stands before the waypoint: it is sent a
 * little farther. */
static void lure(struct wavefront *w, tpi_nav_pose *to, double bearing)
{
    struct journey *j = &w->journey;
    const tpi_nav_pose *now = &w->place.map;
    const double left = away(now, (tpi_nav_point){to->x, to->y});
    const double reach = w->settings.distance;

    if (away(now, (tpi_nav_point){j->stood.x, j->stood.y}) > 0.02 ||
        fabs(tpi_nav_angle(now->a - j->stood.a)) > 0.05) {
        j->stood = *now;
        j->stood_s = j->decided_s;
    }
    if (j->decided_s - j->stood_s > stands_s && left > reach && left < 3 * reach) {
        j->beyond = reach;
    }
    to->x += j->beyond * cos(bearing);
    to->y += j->beyond * sin(bearing);
}

static void follow(struct wavefront *w)
{
    struct journey *j = &w->journey;

    while (j->next + 1 < w->plan.waypoint_count &&
           away(&w->place.map, w->plan.waypoints[j->next]) < w->settings.distance) {
        j->next++;
        j->turned = false;
        j->beyond = 0;
    }
    tpi_nav_pose to = waypoint(w);
    const double bearing = atan2(to.y - w->place.map.y, to.x - w->place.map.x);
    const double side = fabs(tpi_nav_angle(bearing - w->place.map.a));
    const bool far = away(&w->place.map, (tpi_nav_point){to.x, to.y}) > w->settings.distance;
    if (w->settings.turns && far && !j->turned && side > turned_enough) {
        const tpi_nav_pose here = {w->place.map.x, w->place.map.y, bearing};
        if (side > quarter || j->next == 0) {
            send(w, &here);
            return;
        }
    }
    j->turned = j->turned || side <= quarter;
    lure(w, &to, bearing);
    send(w, &to);
}

void tpi_journey_step(struct wavefront *w, double time)
{
    struct journey *j = &w->journey;

    j->decided_s = time;
    if (!j->active || !w->has_plan || !w->place.has_map || !w->place.has_odometry) {
        return;
    }
    if (is_there(w)) {
        j->done = true;
        tpi_journey_rest(w);
        return;
    }
    if (j->done) { /* it was there: small drifts do not matter */
        return;
    }
    replan(w, time);
    if (!j->valid || !j->enabled) {
        tpi_journey_rest(w);
        return;
    }
    follow(w);
}

void tpi_journey_draw(struct wavefront *w)
{
    struct journey *j = &w->journey;
    const bool shows = j->active && j->planned && j->valid && !j->done;

    if (!shows && j->drawn_s != 0) {
        tpi_drawing_clear(w->drawing);
        j->drawn_s = 0;
    } else if (shows && j->drawn_s != j->planned_s) {
        tpi_drawing_way(w->drawing, j->from, w->plan.waypoints, w->plan.waypoint_count,
                        (tpi_nav_point){j->goal.x, j->goal.y});
        j->drawn_s = j->planned_s;
    }
}

void tpi_journey_see(struct wavefront *w, double time)
{
    const tpi_nav_pose *pose = &w->place.map;

    if (!w->has_plan || !w->place.has_map || !w->journey.active) {
        return;
    }
    tpi_nav_plan_time(&w->plan, time);
    for (size_t i = 0; i < w->beams.count; i++) {
        const tpi_nav_beam *b = &w->beams.beams[i];
        if (b->hit && b->range < look_m) {
            const double x = b->x + b->range * b->dx;
            const double y = b->y + b->range * b->dy;
            (void)tpi_nav_plan_put(&w->plan, pose->x + cos(pose->a) * x - sin(pose->a) * y,
                                   pose->y + sin(pose->a) * x + cos(pose->a) * y, thing_s, NULL);
        }
    }
}
