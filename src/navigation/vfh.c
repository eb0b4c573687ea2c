/* vfh.c - the Vector Field Histogram; see vfh.h. */
#include "navigation/vfh.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double narrow = 80 * 3.14159265358979323846 / 180;
static const double facing = 60 * 3.14159265358979323846 / 180; /* beyond, it turns on the spot */
static const double contact = 0.02;                             /* m: never nearer than that */
static const double mover_margin = 0.15;                        /* m: to what moves, likewise */
static const double abreast = 0.2;    /* m: what is not farther behind its middle is beside it */
static const double reaction_s = 0.2; /* before a command takes effect */

static double between(tpi_nav_pair pair, double speed)
{
    return pair.still + (pair.moving - pair.still) * fmin(fabs(speed), 1);
}

void tpi_nav_vfh_begin(tpi_nav_vfh *vfh)
{
    vfh->state = TPI_NAV_VFH_DRIVES;
    vfh->has_picked = false;
}

/* ---- The histogram --------------------------------------------------------------------------- */

static double sector_width(const tpi_nav_vfh *vfh)
{
    return 2 * pi / vfh->settings.sectors;
}

/* A thing covers all directions in which the robot, as wide as it is, would meet it. Sector 0
 * begins straight ahead. */
static void cover(tpi_nav_vfh *vfh, const tpi_nav_point *point, double radius, double reach)
{
    const double square = point->x * point->x + point->y * point->y;

    if (!(square < reach * reach) || square < 1e-12) {
        return;
    }
    const double away = sqrt(square);
    const double angle = atan2(point->y, point->x);
    const double half = away > radius ? asin(radius / away) : pi / 2;
    const double width = sector_width(vfh);
    const int sectors = (int)vfh->settings.sectors;
    const int first = (int)floor((angle - half) / width);
    const int last = (int)floor((angle + half) / width);
    int sector = first < 0 ? first + sectors : first;
    for (int i = first; i <= last; i++) {
        vfh->blocked[sector] = true;
        sector = sector + 1 == sectors ? 0 : sector + 1;
    }
}

/* What moves is where it will be in the next second and a half. */
static void cover_mover(tpi_nav_vfh *vfh, const tpi_nav_mover *mover, double radius, double reach)
{
    for (double time = 0.3; time < 1.6; time += 0.3) {
        const tpi_nav_point at = {mover->x + time * mover->vx, mover->y + time * mover->vy};
        cover(vfh, &at, radius + mover->radius, reach);
    }
}

/* On its smallest circles the robot cannot reach directions behind things beside it. */
static void mask(tpi_nav_vfh *vfh, const tpi_nav_point *points, size_t count, double radius)
{
    const double turnrate = between(vfh->settings.turnrate, vfh->speed);
    const double circle = vfh->settings.radius_factor * fabs(vfh->speed) / fmax(turnrate, 1e-3);
    double left = pi;
    double right = -pi;

    if (circle < 0.05) { /* it can turn on the spot */
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double x = points[i].x;
        const double y = fabs(points[i].y) - circle; /* from the centre of the circle on its side */
        if (x * x + y * y >= (circle + radius) * (circle + radius)) {
            continue;
        }
        const double angle = atan2(points[i].y, points[i].x);
        left = angle >= 0 ? fmin(left, angle) : left;
        right = angle < 0 ? fmax(right, angle) : right;
    }
    for (unsigned i = 0; i < vfh->settings.sectors; i++) {
        const double turned = (i + 0.5) * sector_width(vfh);
        const double angle = turned > pi ? turned - 2 * pi : turned;
        vfh->blocked[i] = vfh->blocked[i] || angle > left + pi / 2 || angle < right - pi / 2;
    }
}

static void build(tpi_nav_vfh *vfh, const tpi_nav_point *points, size_t count, double goal_away)
{
    const tpi_nav_vfh_settings *s = &vfh->settings;
    const double radius = s->outline.side + between(s->safety, vfh->speed);
    const double ahead = fmin(s->view, fmin(between(s->lookahead, vfh->speed), goal_away + radius));

    memset(vfh->blocked, 0, sizeof vfh->blocked);
    for (size_t i = 0; i < count; i++) {
        cover(vfh, &points[i], radius, ahead);
    }
    for (size_t i = 0; i < vfh->mover_count; i++) {
        cover_mover(vfh, &vfh->movers[i], radius, ahead);
    }
    mask(vfh, points, count, radius);
}

/* ---- The direction --------------------------------------------------------------------------- */

struct choice {
    double angle, cost;
    bool narrow;
    bool found;
};

static void consider(const tpi_nav_vfh *vfh, struct choice *best, double angle, double goal,
                     double current, bool in_narrow)
{
    const double cost = vfh->settings.weight_goal * fabs(tpi_nav_angle(angle - goal)) +
                        vfh->settings.weight_current * fabs(tpi_nav_angle(angle - current));

    if (!best->found || cost < best->cost) {
        *best = (struct choice){tpi_nav_angle(angle), cost, in_narrow, true};
    }
}

/* An opening from one sector on: its middle if it is narrow, otherwise near its edges, or straight
 * to the goal. */
static void consider_opening(const tpi_nav_vfh *vfh, struct choice *best, unsigned first,
                             unsigned length, double goal, double current)
{
    const double width = sector_width(vfh);
    const double from = first * width;
    const double span = length * width;

    if (span < narrow) {
        consider(vfh, best, from + span / 2, goal, current, true);
        return;
    }
    const double inside = goal - from - 2 * pi * floor((goal - from) / (2 * pi));
    consider(vfh, best, from + narrow / 2, goal, current, false);
    consider(vfh, best, from + span - narrow / 2, goal, current, false);
    if (inside <= span) {
        const double margin = fmin(width, span / 2);
        consider(vfh, best, from + fmin(fmax(inside, margin), span - margin), goal, current, false);
    }
}

static struct choice choose(const tpi_nav_vfh *vfh, double goal, double current)
{
    const unsigned sectors = vfh->settings.sectors;
    struct choice best = {0};
    unsigned start = 0;

    while (start < sectors && !vfh->blocked[start]) {
        start++;
    }
    if (start == sectors) { /* nothing is blocked */
        consider(vfh, &best, goal, goal, current, false);
        return best;
    }
    for (unsigned i = 1; i <= sectors;) {
        unsigned length = 0;
        while (i + length <= sectors && !vfh->blocked[(start + i + length) % sectors]) {
            length++;
        }
        if (length > 0) {
            consider_opening(vfh, &best, (start + i) % sectors, length, goal, current);
        }
        i += length + 1;
    }
    return best;
}

/* ---- The velocity ---------------------------------------------------------------------------- */

/* With which part of a velocity the robot stands before a mover comes to it. */
static double allowed_by_movers(const tpi_nav_vfh *vfh, double forward, double turn)
{
    const double brake = fmax(vfh->settings.max_acceleration, 0.05);

    for (double part = 1; part > 0.1; part -= 0.2) {
        if (tpi_nav_arc_clearance(vfh, part * forward, part * turn, 10, brake, mover_margin) >=
            mover_margin) {
            return part;
        }
    }
    return 0;
}

/* The highest speed with which the robot stands before a mover that is not behind it could come to
 * it, if it turned at once. */
static double speed_among_movers(const tpi_nav_vfh *vfh, double forward)
{
    const tpi_nav_outline *o = &vfh->settings.outline;
    const double brake = fmax(vfh->settings.max_acceleration, 0.05);
    double most = fabs(forward);

    for (size_t i = 0; i < vfh->mover_count; i++) {
        const tpi_nav_mover *m = &vfh->movers[i];
        const double out_x = fmax(fmax(m->x - o->front, -o->back - m->x), 0);
        const double out_y = fmax(fabs(m->y) - o->side, 0);
        const double away = hypot(out_x, out_y) - m->radius;
        if ((forward < 0 ? -m->x : m->x) > -abreast) {
            most = fmin(most, brake * (away / fmax(m->pace, 0.05) - reaction_s));
        }
    }
    return fmax(most, 0);
}

/* Whether a mover is, or soon will be, where the corners of a turning robot go. */
static bool is_beside(const tpi_nav_vfh *vfh)
{
    const double circle = tpi_nav_outline_circle(&vfh->settings.outline);

    for (size_t i = 0; i < vfh->mover_count; i++) {
        const tpi_nav_mover *m = &vfh->movers[i];
        for (double time = 0; time < 0.7; time += 0.2) {
            if (hypot(m->x + time * m->vx, m->y + time * m->vy) < circle + m->radius) {
                return true;
            }
        }
    }
    return false;
}

static double allowed_by_points(const tpi_nav_vfh *vfh, double forward, double turn,
                                const tpi_nav_point *points, size_t count)
{
    const tpi_nav_vfh_settings *s = &vfh->settings;
    const double circle = tpi_nav_outline_circle(&s->outline);
    const double speed = fabs(forward) > 1e-3 ? fabs(forward) : fabs(turn) * circle;
    const double brake = fmax(s->max_acceleration, 0.05);
    /* A fifth of a second passes before a command takes effect. */
    const double need = speed * speed / (2 * brake) + 0.2 * speed;
    const double way =
        tpi_nav_outline_way(&s->outline, contact, forward, turn, points, count, need + 0.01);

    if (way >= need || speed < 1e-6) {
        return 1;
    }
    /* The speed v with v^2 / 2b + 0.2 v = way. */
    const double fitting = brake * (sqrt(0.04 + 2 * way / brake) - 0.2);
    return way < 0.005 ? 0 : fmin(fitting / speed, 1);
}

double tpi_nav_vfh_allowed(const tpi_nav_vfh *vfh, double forward, double turn,
                           const tpi_nav_point *points, size_t count)
{
    const double part = allowed_by_points(vfh, forward, turn, points, count);

    if (fabs(forward) < 1e-3) {
        return is_beside(vfh) ? 0 : part;
    }
    if (vfh->mover_count == 0) {
        return part;
    }
    const double slow = fmin(part, speed_among_movers(vfh, forward) / fabs(forward));
    return slow * allowed_by_movers(vfh, slow * forward, slow * turn);
}

static void halt(tpi_nav_vfh *vfh)
{
    vfh->speed = 0;
    vfh->turn = 0;
}

/* Turn on the spot towards an angle; the other way round if there is no room on the short one. */
static void turn_to(tpi_nav_vfh *vfh, double angle, const tpi_nav_point *points, size_t count)
{
    const tpi_nav_vfh_settings *s = &vfh->settings;
    const double rate =
        fmin(fmax(2 * fabs(angle), s->min_turnrate), fmax(s->turnrate.still, s->min_turnrate));
    double turn = angle < 0 ? -rate : rate;
    double allowed = tpi_nav_vfh_allowed(vfh, 0, turn, points, count);

    if (allowed == 0) {
        turn = -turn;
        allowed = tpi_nav_vfh_allowed(vfh, 0, turn, points, count);
    }
    vfh->speed = 0;
    vfh->turn = turn * allowed;
}

/* Where it cannot even turn, it goes back a little if there is room. Most sensors do not see what
 * is behind, so it waits while somebody walks about. */
static void back_off(tpi_nav_vfh *vfh, const tpi_nav_point *points, size_t count)
{
    const double speed = vfh->mover_count > 0 ? 0 : -fmin(vfh->settings.max_speed, 0.1);

    vfh->turn = 0;
    vfh->speed = speed * tpi_nav_vfh_allowed(vfh, speed, 0, points, count);
}

static void drive(tpi_nav_vfh *vfh, const struct choice *choice, double away,
                  const tpi_nav_point *points, size_t count, double period)
{
    const tpi_nav_vfh_settings *s = &vfh->settings;
    const double limit = fmin(s->max_speed, choice->narrow ? s->speed_narrow : s->speed_wide);
    const double turnrate = between(s->turnrate, vfh->speed);
    const double angle = choice->angle;

    if (fabs(angle) > facing) {
        turn_to(vfh, angle, points, count);
        if (vfh->turn == 0) {
            back_off(vfh, points, count);
        }
        return;
    }
    const double brake = fmax(s->max_acceleration, 0.05);
    const double near = sqrt(2 * brake * fmax(away - s->distance_epsilon / 2, 0.01));
    if (s->arcs && tpi_nav_arc_choose(vfh, angle, fmin(limit, near), points, count, period)) {
        return;
    }
    double speed = limit * (1 - fabs(angle) / facing);
    speed = fmin(speed, near);
    speed = fmin(speed, fmax(vfh->speed, 0) + s->max_acceleration * period);
    const double turn = fmax(-turnrate, fmin(turnrate, 2 * angle));
    const double allowed = tpi_nav_vfh_allowed(vfh, speed, turn, points, count);
    vfh->speed = speed * allowed;
    vfh->turn = turn * allowed;
    if (vfh->speed < 0.005) { /* the arc is closed, but perhaps not turning on the spot */
        turn_to(vfh, angle, points, count);
        if (vfh->turn == 0 || fabs(angle) < 0.05) {
            back_off(vfh, points, count);
        }
    }
}

/* ---- One decision ---------------------------------------------------------------------------- */

static bool arrive(tpi_nav_vfh *vfh, const tpi_nav_pose *pose, const tpi_nav_pose *goal,
                   const tpi_nav_point *points, size_t count)
{
    const double angle = tpi_nav_angle(goal->a - pose->a);

    if (fabs(angle) <= vfh->settings.angle_epsilon) {
        vfh->state = TPI_NAV_VFH_DONE;
        halt(vfh);
        return true;
    }
    vfh->state = TPI_NAV_VFH_TURNS;
    turn_to(vfh, angle, points, count);
    return true;
}

void tpi_nav_vfh_step(tpi_nav_vfh *vfh, const tpi_nav_pose *pose, const tpi_nav_pose *goal,
                      const tpi_nav_point *points, size_t count, double period)
{
    const double away = hypot(goal->x - pose->x, goal->y - pose->y);
    const double bearing = tpi_nav_angle(atan2(goal->y - pose->y, goal->x - pose->x) - pose->a);
    /* Once it turns, it may drift a little without driving again. */
    const double slack =
        vfh->state == TPI_NAV_VFH_TURNS || vfh->state == TPI_NAV_VFH_DONE ? 1.2 : 1;

    if (vfh->state == TPI_NAV_VFH_IDLE) {
        halt(vfh);
        return;
    }
    if (away <= vfh->settings.distance_epsilon * slack && arrive(vfh, pose, goal, points, count)) {
        return;
    }
    build(vfh, points, count, away);
    const double current = vfh->has_picked ? tpi_nav_angle(vfh->picked - pose->a) : 0;
    const struct choice choice = choose(vfh, bearing, current);
    if (!choice.found) {
        vfh->state = TPI_NAV_VFH_BLOCKED;
        turn_to(vfh, bearing > 0 ? pi / 2 : -pi / 2, points, count);
        if (vfh->turn == 0) {
            back_off(vfh, points, count);
        }
        return;
    }
    vfh->state = TPI_NAV_VFH_DRIVES;
    vfh->picked = tpi_nav_angle(pose->a + choice.angle);
    vfh->has_picked = true;
    drive(vfh, &choice, away, points, count, period);
}
