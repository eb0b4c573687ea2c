/*
 * inverse.c - the values of a chain that bring its tip to a pose.
 *
 * Damped least squares: a step solves (J J' + lambda) y = e and goes along J' y. The damping is the
 * error itself plus a small constant, so that steps far from the goal and near singular poses stay
 * short. Columns at a limit that would be passed are left out of the step. A try that gets stuck is
 * followed by another one from a random place within the limits; the places depend on the seed
 * alone, so that results repeat.
 */
#include <assert.h>

#include "kinematics/mechanism.h"

enum { RESTARTS = 100, ITERATIONS = 60, STUCK = 6 };

struct search {
    const tpi_chain *chain;
    const tpi_spatial *goal;
    double position_m, angle_rad; /* how near is near enough */
    unsigned iterations;
    uint64_t random;
    double lower[TPI_CHAIN_DOFS], upper[TPI_CHAIN_DOFS]; /* of the columns */
    double jacobian[6 * TPI_CHAIN_DOFS];
    double error[6];
    double step[TPI_CHAIN_DOFS];
    bool frozen[TPI_CHAIN_DOFS]; /* columns at a limit that this step would pass */
};

/* ---- Limits ---- */

/* Bound a column by the limits of a dof that it moves: value = scale * column + offset. */
static void bound(struct search *s, int column, const tpi_dof *dof, double scale, double offset)
{
    const double a = (dof->lower - offset) / scale, b = (dof->upper - offset) / scale;

    s->lower[column] = fmax(s->lower[column], fmin(a, b));
    s->upper[column] = fmin(s->upper[column], fmax(a, b));
}

/* The limits of each column: those of its dof and of all dofs that mimic it. */
static void find_limits(struct search *s)
{
    const tpi_mechanism *mechanism = s->chain->mechanism;

    for (unsigned i = 0; i < s->chain->column_count; i++) {
        s->lower[i] = -INFINITY;
        s->upper[i] = INFINITY;
    }
    for (unsigned i = 0; i < mechanism->dof_count; i++) {
        double scale = 1, offset = 0;
        int dof = (int)i;

        while (mechanism->dofs[dof].master >= 0) {
            offset += scale * mechanism->dofs[dof].offset;
            scale *= mechanism->dofs[dof].multiplier;
            dof = mechanism->dofs[dof].master;
        }
        for (unsigned k = 0; k < s->chain->column_count && scale != 0; k++) {
            if (s->chain->columns[k] == dof) {
                bound(s, (int)k, &mechanism->dofs[i], scale, offset);
            }
        }
    }
}

static double clamp(double value, double lower, double upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}

/* ---- Places to start from ---- */

static double random_unit(struct search *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void go_anywhere(struct search *s, double *values)
{
    for (unsigned i = 0; i < s->chain->column_count; i++) {
        const double lower = fmax(s->lower[i], -TPI_PI), upper = fmin(s->upper[i], TPI_PI);
        const double place = lower + (upper - lower) * random_unit(s);

        values[s->chain->columns[i]] = clamp(place, s->lower[i], s->upper[i]);
    }
}

/* ---- One step ---- */

/* Calculate the error and the Jacobian. Returns half of the squared error. */
static double look(struct search *s, double *values)
{
    double between[9], vector[3];
    tpi_spatial tip;
    double sum = 0;

    tpi_mechanism_follow(s->chain->mechanism, values);
    tpi_chain_jacobian(s->chain, values, s->jacobian, &tip);
    const tpi_spatial back = tpi_spatial_inverse(&tip);
    tpi_rotation_product(between, back.r, s->goal->r);
    tpi_rotation_log(vector, between);
    tpi_rotate3(s->error + 3, tip.r, vector);
    for (int i = 0; i < 3; i++) {
        s->error[i] = s->goal->p[i] - tip.p[i];
    }
    for (int i = 0; i < 6; i++) {
        sum += s->error[i] * s->error[i];
    }
    return sum / 2;
}

static bool is_near(const struct search *s)
{
    return tpi_dot3(s->error, s->error) <= s->position_m * s->position_m &&
           tpi_dot3(s->error + 3, s->error + 3) <= s->angle_rad * s->angle_rad;
}

/* Solve m y = b for a positive definite matrix, by Cholesky's method; m and b are used up. */
static void solve6(double m[6][6], double b[6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++) {
                sum -= m[i][k] * m[j][k];
            }
            m[i][j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / m[j][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= m[i][k] * b[k];
        }
        b[i] /= m[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) {
            b[i] -= m[k][i] * b[k];
        }
        b[i] /= m[i][i];
    }
}

/* The step of all columns that are not frozen. */
static void make_step(struct search *s, double damping)
{
    const unsigned n = s->chain->column_count;
    double m[6][6], y[6];

    memcpy(y, s->error, sizeof y);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j <= i; j++) {
            double sum = i == j ? damping : 0;
            for (unsigned k = 0; k < n; k++) {
                sum += s->frozen[k] ? 0 : s->jacobian[i * n + k] * s->jacobian[j * n + k];
            }
            m[i][j] = sum;
        }
    }
    solve6(m, y);
    for (unsigned k = 0; k < n; k++) {
        s->step[k] = 0;
        for (unsigned i = 0; i < 6 && !s->frozen[k]; i++) {
            s->step[k] += s->jacobian[i * n + k] * y[i];
        }
    }
}

/* Freeze columns at a limit that the step would pass. Returns whether there are new ones. */
static bool freeze(struct search *s, const double *values)
{
    bool found = false;

    for (unsigned k = 0; k < s->chain->column_count; k++) {
        const double value = values[s->chain->columns[k]];
        const bool passes =
            (value <= s->lower[k] && s->step[k] < 0) || (value >= s->upper[k] && s->step[k] > 0);
        if (passes && !s->frozen[k]) {
            s->frozen[k] = found = true;
        }
    }
    return found;
}

static void take_step(struct search *s, double *values, double damping)
{
    memset(s->frozen, 0, sizeof s->frozen);
    do {
        make_step(s, damping);
    } while (freeze(s, values));
    for (unsigned k = 0; k < s->chain->column_count; k++) {
        double *value = &values[s->chain->columns[k]];
        *value = clamp(*value + clamp(s->step[k], -1, 1), s->lower[k], s->upper[k]);
    }
}

/* ---- The search ---- */

/* One try. Returns the smallest error; `values` are where it was, and `*near` says whether it is
 * near enough. */
static double try_from(struct search *s, double *values, bool *near)
{
    double best[TPI_CHAIN_DOFS], least = INFINITY;
    unsigned stuck = 0;

    *near = false;
    for (unsigned i = 0; i < s->iterations && stuck < STUCK && !*near; i++) {
        const double error = look(s, values);

        stuck = error < 0.9 * least ? 0 : stuck + 1;
        *near = is_near(s);
        if (error < least || *near) {
            least = error;
            for (unsigned k = 0; k < s->chain->column_count; k++) {
                best[k] = values[s->chain->columns[k]];
            }
        }
        if (!*near) {
            take_step(s, values, error + 1e-9);
        }
    }
    for (unsigned k = 0; k < s->chain->column_count; k++) {
        values[s->chain->columns[k]] = best[k];
    }
    return least;
}

static void prepare(struct search *s, const tpi_chain *chain, const tpi_spatial *goal,
                    const tpi_inverse_options *options)
{
    s->chain = chain;
    s->goal = goal;
    s->position_m = options->position_m > 0 ? options->position_m : 1e-6;
    s->angle_rad = options->angle_rad > 0 ? options->angle_rad : 1e-6;
    s->iterations = options->iterations > 0 ? options->iterations : ITERATIONS;
    s->random = options->seed;
    find_limits(s);
}

tp_status tpi_chain_inverse(const tpi_chain *chain, const tpi_spatial *goal, double *values,
                            const tpi_inverse_options *options)
{
    static const tpi_inverse_options usual = {0};
    const tpi_inverse_options *wanted = options != NULL ? options : &usual;
    const unsigned restarts = wanted->restarts > 0 ? wanted->restarts : RESTARTS;
    double best[TPI_CHAIN_DOFS], least = INFINITY;
    struct search s;
    bool near = false;

    prepare(&s, chain, goal, wanted);
    for (unsigned k = 0; k < chain->column_count; k++) {
        double *value = &values[chain->columns[k]];
        *value = clamp(*value, s.lower[k], s.upper[k]);
    }
    for (unsigned i = 0; i <= restarts && !near; i++) {
        if (i > 0) {
            go_anywhere(&s, values);
        }
        const double error = try_from(&s, values, &near);
        if (error < least || near) {
            least = error;
            for (unsigned k = 0; k < chain->column_count; k++) {
                best[k] = values[chain->columns[k]];
            }
        }
    }
    for (unsigned k = 0; k < chain->column_count; k++) {
        values[chain->columns[k]] = best[k];
    }
    tpi_mechanism_follow(chain->mechanism, values);
    return near ? TP_OK : TP_E_RANGE;
}
