/* profile.c - see profile.h. */
#include "motion/profile.h"

#include <math.h>

/* Add a piece of constant acceleration that lasts `duration_s`; pieces without a duration are left
 * out. */
static void add_piece(tpi_motion_profile *out, double velocity_end, double duration_s)
{
    const double acceleration = (velocity_end - out->last.velocity) / duration_s;

    if (!(duration_s > 0)) {
        return;
    }
    out->pieces[out->count++] = (tpi_motion_piece){
        .start_s = out->end_s,
        .position = out->last.position,
        .velocity = out->last.velocity,
        .half_acc = isinf(duration_s) ? 0 : acceleration / 2,
    };
    out->end_s += duration_s;
    out->last.position += (out->last.velocity + velocity_end) / 2 * duration_s;
    out->last.velocity = velocity_end;
}

static void begin(tpi_motion_profile *out, tpi_motion_point from)
{
    *out = (tpi_motion_profile){.last = from};
}

void tpi_motion_profile_trapezoid(tpi_motion_profile *out, tpi_motion_point from, double target,
                                  const tpi_motion_limits *limits)
{
    const double a = limits->acceleration, v0 = from.velocity;
    const double distance = target - from.position;
    const double side = distance >= v0 * fabs(v0) / (2 * a) ? 1 : -1;
    const double peak_square = side * distance * a + v0 * v0 / 2;
    const double peak = side * fmin(limits->velocity, sqrt(fmax(peak_square, 0)));
    const double ramps = (peak + v0) / 2 * fabs(peak - v0) / a + peak * fabs(peak) / (2 * a);

    begin(out, from);
    add_piece(out, peak, fabs(peak - v0) / a);
    if (peak != 0) {
        add_piece(out, peak, fmax((distance - ramps) / peak, 0));
    }
    add_piece(out, 0, fabs(peak) / a);
    out->last = (tpi_motion_point){target, 0}; /* exactly: sums above are rounded */
}

/* ---- Cubic ---- */

static tpi_motion_piece cubic_of(tpi_motion_point from, double distance, double duration_s)
{
    const double t = duration_s, v0 = from.velocity;

    return (tpi_motion_piece){
        .position = from.position,
        .velocity = v0,
        .half_acc = (3 * distance - 2 * v0 * t) / (t * t),
        .third_order = (v0 * t - 2 * distance) / (t * t * t),
    };
}

/* Whether the position stays within the limits, or the start is outside already. The only extreme
 * besides the ends is where the velocity, which ends at 0, is 0 as well. */
static bool position_allowed(const tpi_motion_piece *c, double duration_s,
                             const tpi_motion_limits *limits)
{
    const double turn = -(2 * c->half_acc / (3 * c->third_order) + duration_s);

    if (c->third_order == 0 || !(turn > 0 && turn < duration_s)) {
        return true;
    }
    const double p =
        c->position + turn * (c->velocity + turn * (c->half_acc + turn * c->third_order));
    const double slack = 1e-12 * (1 + fabs(p));
    return p >= fmin(limits->lower, c->position) - slack &&
           p <= fmax(limits->upper, c->position) + slack;
}

static bool cubic_allowed(const tpi_motion_piece *c, double duration_s,
                          const tpi_motion_limits *limits)
{
    const double first = fabs(2 * c->half_acc);
    const double last = fabs(2 * c->half_acc + 6 * c->third_order * duration_s);
    const double fastest = -c->half_acc / (3 * c->third_order);
    double speed = 0;

    if (c->third_order != 0 && fastest > 0 && fastest < duration_s) {
        speed = fabs(c->velocity + fastest * (2 * c->half_acc + 3 * c->third_order * fastest));
    }
    return fmax(first, last) <= limits->acceleration * (1 + 1e-12) &&
           speed <= fmax(limits->velocity, fabs(c->velocity)) * (1 + 1e-12) &&
           position_allowed(c, duration_s, limits);
}

/* The shortest duration of at least `least_s` that the limits allow; negative if there is none. */
static double shortest_cubic(tpi_motion_point from, double distance, double least_s,
                             const tpi_motion_limits *limits)
{
    enum { STEPS = 1200 }; /* of 2 %: durations from a nanosecond to twenty seconds and beyond */
    double low = least_s, high = least_s;
    tpi_motion_piece c = cubic_of(from, distance, high);

    for (int i = 0; i < STEPS && !cubic_allowed(&c, high, limits); i++) {
        low = high;
        high *= 1.02;
        c = cubic_of(from, distance, high);
    }
    if (!cubic_allowed(&c, high, limits)) {
        return -1;
    }
    for (int i = 0; i < 50 && high > low; i++) {
        const double middle = (low + high) / 2;

        c = cubic_of(from, distance, middle);
        if (cubic_allowed(&c, middle, limits)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

bool tpi_motion_profile_cubic(tpi_motion_profile *out, tpi_motion_point from, double target,
                              double duration_s, const tpi_motion_limits *limits)
{
    const double distance = target - from.position;
    const double least = fmax(duration_s, 1e-9);

    if (distance == 0 && from.velocity == 0) {
        begin(out, from);
        out->end_s = duration_s;
        return true;
    }
    const double needed = shortest_cubic(from, distance, least, limits);
    if (needed < 0) {
        tpi_motion_profile_trapezoid(out, from, target, limits);
        return false;
    }
    begin(out, from);
    out->pieces[out->count++] = cubic_of(from, distance, needed);
    out->end_s = needed;
    out->last = (tpi_motion_point){target, 0};
    return needed <= least;
}

/* ---- Speed ---- */

void tpi_motion_profile_speed(tpi_motion_profile *out, tpi_motion_point from, double velocity,
                              double acceleration, const tpi_motion_limits *limits)
{
    const double limit = velocity >= 0 ? limits->upper : limits->lower;
    const double left =
        from.velocity > 0 ? limits->upper - from.position : from.position - limits->lower;
    const double need = from.velocity * from.velocity / (2 * fmax(left, 1e-12));

    /* A dof that slows down before a limit of its position must not brake more gently now. */
    acceleration = fmax(acceleration, fmin(need, limits->acceleration));
    const double ramp_s = fabs(velocity - from.velocity) / acceleration;
    const double ramp = (velocity + from.velocity) / 2 * ramp_s;
    const double stop = velocity * fabs(velocity) / (2 * acceleration);

    if (isfinite(limit) && velocity != 0) {
        const double cruise_s = (limit - from.position - ramp - stop) / velocity;

        if (cruise_s < 0) { /* too near: the fastest way to the limit never reaches this speed */
            tpi_motion_limits slow = *limits;

            slow.acceleration = acceleration;
            slow.velocity = fabs(velocity);
            tpi_motion_profile_trapezoid(out, from, limit, &slow);
            return;
        }
        begin(out, from);
        add_piece(out, velocity, ramp_s);
        add_piece(out, velocity, cruise_s);
        add_piece(out, 0, fabs(velocity) / acceleration);
        out->last = (tpi_motion_point){limit, 0};
        return;
    }
    begin(out, from);
    add_piece(out, velocity, ramp_s);
    out->last.velocity = velocity;
    if (velocity != 0) {
        add_piece(out, velocity, INFINITY);
    }
}

/* ---- Looking ---- */

static const tpi_motion_piece *piece_at(const tpi_motion_profile *profile, double time_s)
{
    int i = profile->count - 1;

    while (i > 0 && profile->pieces[i].start_s > time_s) {
        i--;
    }
    return &profile->pieces[i];
}

tpi_motion_point tpi_motion_profile_at(const tpi_motion_profile *profile, double time_s)
{
    if (time_s >= profile->end_s || profile->count == 0) {
        return profile->last;
    }
    const tpi_motion_piece *c = piece_at(profile, time_s);
    const double u = fmax(time_s - c->start_s, 0);
    return (tpi_motion_point){
        c->position + u * (c->velocity + u * (c->half_acc + u * c->third_order)),
        c->velocity + u * (2 * c->half_acc + u * 3 * c->third_order),
    };
}

double tpi_motion_profile_acceleration(const tpi_motion_profile *profile, double time_s)
{
    if (time_s >= profile->end_s || profile->count == 0) {
        return 0;
    }
    const tpi_motion_piece *c = piece_at(profile, time_s);
    return 2 * c->half_acc + 6 * c->third_order * fmax(time_s - c->start_s, 0);
}
