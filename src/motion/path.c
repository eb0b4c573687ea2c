/* path.c - see path.h. */
#include "motion/path.h"

static const double STEP = 1.0 / (TPI_MOTION_KNOTS - 1); /* length between two knots */
static const double SHARE = 0.8; /* of the acceleration limit; the rest is for slowing time */
static const double LEAST_EASE = 0.05;
static const double LARGEST_JUMP = 0.5; /* of a dof between knots, on a straight line */
enum { LAST = TPI_MOTION_KNOTS - 1, RESTARTS = 3, CHECKS = 64 };

double tpi_motion_path_ease(const double *jacobian, unsigned columns, const bool *fixed)
{
    double moved[6 * TPI_CHAIN_DOFS];
    unsigned count = 0;

    for (unsigned k = 0; k < columns; k++) {
        count += !fixed[k];
    }
    for (unsigned row = 0; row < 6; row++) {
        unsigned at = row * count;

        for (unsigned k = 0; k < columns; k++) {
            if (!fixed[k]) {
                moved[at++] = jacobian[row * columns + k];
            }
        }
    }
    const double ease = TPI_MOTION_SLOW_FROM / tpi_chain_condition(moved, count);
    return fmin(fmax(ease, LEAST_EASE), 1);
}

/* ---- Knots ---- */

static void keep(tpi_motion_path *out, const tpi_motion_way *way, int knot)
{
    for (unsigned k = 0; k < out->columns; k++) {
        out->values[knot][k] = way->values[way->chain->columns[k]];
    }
}

static void put_back(const tpi_motion_path *from, const tpi_motion_way *way, int knot)
{
    for (unsigned k = 0; k < from->columns; k++) {
        way->values[way->chain->columns[k]] = from->values[knot][k];
    }
    tpi_mechanism_follow(way->chain->mechanism, way->values);
}

/* The pose at a part of the line between two poses; `turn` is the rotation vector in the first. */
static tpi_spatial between(const tpi_spatial *from, const tpi_spatial *to, const double turn[3],
                           double part)
{
    const double angle = sqrt(tpi_dot3(turn, turn));
    tpi_spatial out = *from;

    for (int i = 0; i < 3; i++) {
        out.p[i] += (to->p[i] - from->p[i]) * part;
    }
    if (angle > 0) {
        const double axis[3] = {turn[0] / angle, turn[1] / angle, turn[2] / angle};
        double about[9];

        tpi_rotation_about(about, axis, angle * part);
        tpi_rotation_product(out.r, from->r, about);
    }
    return out;
}

static bool jumps(const tpi_motion_path *path, int knot)
{
    for (unsigned k = 0; k < path->columns; k++) {
        if (fabs(path->values[knot][k] - path->values[knot - 1][k]) > LARGEST_JUMP) {
            return true;
        }
    }
    return false;
}

/* Follow the straight line knot by knot. */
static bool go_straight(tpi_motion_path *out, const tpi_motion_way *way)
{
    const tpi_inverse_options near = {
        .position_m = 1e-8, .angle_rad = 1e-8, .here = true, .fixed = way->fixed, .iterations = 20};
    double turn[3], rotation[9];
    tpi_spatial start;

    tpi_chain_forward(way->chain, way->values, &start);
    const tpi_spatial back = tpi_spatial_inverse(&start);
    tpi_rotation_product(rotation, back.r, way->goal.r);
    tpi_rotation_log(turn, rotation);
    for (int i = 1; i <= LAST; i++) {
        const tpi_spatial pose = between(&start, &way->goal, turn, i * STEP);

        if (tpi_chain_inverse(way->chain, &pose, way->values, &near) != TP_OK) {
            return false;
        }
        keep(out, way, i);
        if (jumps(out, i)) {
            return false;
        }
    }
    return true;
}

/* Each dof goes straight to a solution. */
static bool go_anyhow(tpi_motion_path *out, const tpi_motion_way *way)
{
    const tpi_inverse_options few = {.restarts = RESTARTS, .fixed = way->fixed};

    put_back(out, way, 0);
    if (tpi_chain_inverse(way->chain, &way->goal, way->values, &few) != TP_OK) {
        return false;
    }
    keep(out, way, LAST);
    for (int i = 1; i < LAST; i++) {
        for (unsigned k = 0; k < out->columns; k++) {
            out->values[i][k] =
                out->values[0][k] + (out->values[LAST][k] - out->values[0][k]) * i * STEP;
        }
    }
    return true;
}

/* The slope at a knot is that of the parabola through it and its neighbours. */
static void find_slopes(tpi_motion_path *path)
{
    for (unsigned k = 0; k < path->columns; k++) {
        for (int i = 0; i <= LAST; i++) {
            const int middle = i == 0 ? 1 : i == LAST ? LAST - 1 : i;
            const double before = path->values[middle - 1][k], at = path->values[middle][k],
                         after = path->values[middle + 1][k];
            const double bend = after - 2 * at + before;

            path->slopes[i][k] = ((after - before) / 2 + (i - middle) * bend) / STEP;
        }
    }
}

/* ---- Limits ---- */

struct allowed {
    double speed[TPI_MOTION_KNOTS];        /* of the path, at a knot */
    double acceleration[TPI_MOTION_KNOTS]; /* of the path, with these speeds */
    bool eased;
};

/* The largest slope and second derivative of a column near a knot. */
static void steepness(const tpi_motion_path *path, int knot, unsigned k, double *slope,
                      double *bend)
{
    *slope = fabs(path->slopes[knot][k]);
    *bend = 0;
    for (int first = knot - 1; first <= knot; first++) {
        if (first < 0 || first == LAST) {
            continue;
        }
        const double a = path->slopes[first][k], b = path->slopes[first + 1][k];
        const double mean = (path->values[first + 1][k] - path->values[first][k]) / STEP;

        *slope = fmax(*slope, fabs(1.5 * mean - (a + b) / 4)); /* in the middle */
        *bend = fmax(*bend, fabs(6 * mean - 4 * a - 2 * b) / STEP);
        *bend = fmax(*bend, fabs(6 * mean - 2 * a - 4 * b) / STEP);
    }
}

static void find_allowed(struct allowed *out, const tpi_motion_path *path,
                         const tpi_motion_way *way)
{
    double jacobian[6 * TPI_CHAIN_DOFS];
    tpi_spatial tip;

    out->eased = false;
    for (int i = 0; i <= LAST; i++) {
        double speed = INFINITY, acceleration = INFINITY;

        for (unsigned k = 0; k < path->columns; k++) {
            double slope, bend;

            steepness(path, i, k, &slope, &bend);
            /* Half of the acceleration for the bends of the path, half for changes of its speed. */
            const double half = way->limits[k].acceleration * SHARE / 2;
            speed = fmin(speed, slope > 0 ? way->limits[k].velocity / slope : speed);
            speed = fmin(speed, bend > 0 ? sqrt(half / bend) : speed);
            acceleration = fmin(acceleration, slope > 0 ? half / slope : acceleration);
        }
        put_back(path, way, i);
        tpi_chain_jacobian(way->chain, way->values, jacobian, &tip);
        const double ease = tpi_motion_path_ease(jacobian, path->columns, way->fixed);
        out->speed[i] = speed * ease;
        out->acceleration[i] = acceleration;
        out->eased = out->eased || ease < 1;
    }
}

/* ---- Times ---- */

/* As fast as is allowed: forwards with what can be gained, backwards with what can be braked. */
static void find_times(tpi_motion_path *path, const struct allowed *allowed)
{
    path->speeds[0] = path->speeds[LAST] = 0;
    for (int i = 0; i < LAST; i++) {
        const double gain = fmin(allowed->acceleration[i], allowed->acceleration[i + 1]);
        const double most = sqrt(path->speeds[i] * path->speeds[i] + 2 * gain * STEP);

        path->speeds[i + 1] = i + 1 == LAST ? 0 : fmin(most, allowed->speed[i + 1]);
    }
    for (int i = LAST; i > 0; i--) {
        const double loss = fmin(allowed->acceleration[i], allowed->acceleration[i - 1]);
        const double most = sqrt(path->speeds[i] * path->speeds[i] + 2 * loss * STEP);

        path->speeds[i - 1] = fmin(most, path->speeds[i - 1]);
    }
    path->times_s[0] = 0;
    for (int i = 0; i < LAST; i++) {
        path->times_s[i + 1] =
            path->times_s[i] + 2 * STEP / (path->speeds[i] + path->speeds[i + 1]);
    }
    path->end_s = path->times_s[LAST];
}

static bool is_cubic_allowed(const struct allowed *allowed, double duration_s)
{
    for (int i = 0; i <= CHECKS; i++) {
        const double u = (double)i / CHECKS, s = u * u * (3 - 2 * u);
        const int knot = (int)fmin(s / STEP, LAST - 1);
        const double speed = 6 * u * (1 - u) / duration_s;
        const double gain = fabs(6 * (1 - 2 * u) / (duration_s * duration_s));

        if (speed > fmin(allowed->speed[knot], allowed->speed[knot + 1]) ||
            gain > fmin(allowed->acceleration[knot], allowed->acceleration[knot + 1])) {
            return false;
        }
    }
    return true;
}

static void stretch(tpi_motion_path *path, double duration_s)
{
    const double factor = duration_s / path->end_s;

    for (int i = 0; i <= LAST; i++) {
        path->times_s[i] *= factor;
        path->speeds[i] /= factor;
    }
    path->end_s = duration_s;
}

static bool has_length(const tpi_motion_path *path)
{
    for (unsigned k = 0; k < path->columns; k++) {
        for (int i = 1; i <= LAST; i++) {
            if (path->values[i][k] != path->values[0][k]) {
                return true;
            }
        }
    }
    return false;
}

tpi_motion_planned tpi_motion_path_plan(tpi_motion_path *out, const tpi_motion_way *way)
{
    struct allowed allowed;

    out->columns = way->chain->column_count;
    out->cubic = false;
    keep(out, way, 0);
    const bool straight = go_straight(out, way);
    if (!straight && !go_anyhow(out, way)) {
        return TPI_MOTION_OUT_OF_REACH;
    }
    find_slopes(out);
    if (!has_length(out)) {
        out->cubic = true;
        out->end_s = way->duration_s;
        return TPI_MOTION_AS_ASKED;
    }
    find_allowed(&allowed, out, way);
    find_times(out, &allowed);
    bool late = out->end_s > way->duration_s && (way->duration_s > 0 || allowed.eased);
    if (way->duration_s > 0 && is_cubic_allowed(&allowed, way->duration_s)) {
        out->cubic = true;
        out->end_s = way->duration_s;
        late = false;
    } else if (way->duration_s > out->end_s) {
        stretch(out, way->duration_s);
    }
    return late || !straight ? TPI_MOTION_OTHERWISE : TPI_MOTION_AS_ASKED;
}

/* ---- Looking ---- */

/* Where on the path: its length so far, its speed and acceleration. */
struct progress {
    double length, speed, acceleration;
};

static struct progress progress_at(const tpi_motion_path *path, double time_s)
{
    int low = 0, high = LAST;

    if (path->cubic) {
        const double t = path->end_s, u = time_s / t;

        return (struct progress){u * u * (3 - 2 * u), 6 * u * (1 - u) / t,
                                 6 * (1 - 2 * u) / (t * t)};
    }
    while (high - low > 1) {
        const int middle = (low + high) / 2;

        if (path->times_s[middle] <= time_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double v0 = path->speeds[low], v1 = path->speeds[high], u = time_s - path->times_s[low];
    const double gain = (v1 * v1 - v0 * v0) / (2 * STEP);
    return (struct progress){low * STEP + u * (v0 + gain * u / 2), v0 + gain * u, gain};
}

tpi_motion_station tpi_motion_path_at(const tpi_motion_path *path, unsigned column, double time_s)
{
    if (time_s >= path->end_s || time_s <= 0) {
        return (tpi_motion_station){{path->values[time_s <= 0 ? 0 : LAST][column], 0}, 0};
    }
    const struct progress at = progress_at(path, time_s);
    const int knot = (int)fmin(fmax(at.length / STEP, 0), LAST - 1);
    const double u = at.length / STEP - knot;
    const double p = path->values[knot][column], q = path->values[knot + 1][column];
    const double a = path->slopes[knot][column] * STEP, b = path->slopes[knot + 1][column] * STEP;
    const double c2 = 3 * (q - p) - 2 * a - b, c3 = a + b - 2 * (q - p);
    const double slope = (a + u * (2 * c2 + 3 * u * c3)) / STEP;
    const double bend = (2 * c2 + 6 * u * c3) / (STEP * STEP);

    return (tpi_motion_station){
        {p + u * (a + u * (c2 + u * c3)), slope * at.speed},
        bend * at.speed * at.speed + slope * at.acceleration,
    };
}
