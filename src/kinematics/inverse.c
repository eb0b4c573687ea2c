/*
 * inverse.c - the values of a chain that bring its tip to a pose.
 *
 * Damped least squares: a step solves (J J' + lambda) y = e and goes along J' y. The damping is the
 * error itself plus a small constant, so that steps far from the goal and near singular poses stay
 * short. Columns at a limit that would be passed are left out of the step. A try that gets stuck is
 * followed by another one from a random place within the limits; the places depend on the seed
 * alone, so that results repeat.
 */
#include "kinematics/mechanism.h"

enum { RESTARTS = 100, ITERATIONS = 60, STUCK = 6 };

struct search {
    const tpi_chain *chain;
    const tpi_spatial *goal;
    double position_m, angle_rad; /* how near is near enough */
    unsigned iterations;
    const bool *fixed; /* columns that keep their values; NULL for none */
    uint64_t random;
    double lower[TPI_CHAIN_DOFS], upper[TPI_CHAIN_DOFS]; /* of the columns */
    double jacobian[6 * TPI_CHAIN_DOFS];
    double error[6];
    double step[TPI_CHAIN_DOFS];
    bool frozen[TPI_CHAIN_DOFS]; /* columns at a limit that this step would pass */
};

static bool is_free(const bool *fixed, unsigned column)
{
    return fixed == NULL || !fixed[column];
}

/* ---- Limits ---- */

/* Bound a column by the limits of a dof that it moves: itself, or one that mimics it. */
static void bound(struct search *s, unsigned column, const tpi_dof *dof)
{
    const double a = (dof->lower - dof->offset) / dof->multiplier;
    const double b = (dof->upper - dof->offset) / dof->multiplier;

    s->lower[column] = fmax(s->lower[column], fmin(a, b));
    s->upper[column] = fmin(s->upper[column], fmax(a, b));
}

/* The limits of each column: those of its dof and of all dofs that mimic it. Returns false if
 * nothing is within all of them. */
static bool find_limits(struct search *s)
{
    const tpi_mechanism *mechanism = s->chain->mechanism;

    for (unsigned i = 0; i < s->chain->column_count; i++) {
        s->lower[i] = -INFINITY;
        s->upper[i] = INFINITY;
    }
    for (unsigned i = 0; i < mechanism->dof_count; i++) {
        const tpi_dof *dof = &mechanism->dofs[i];
        const int column = dof->master < 0 ? (int)i : dof->master;

        for (unsigned k = 0; k < s->chain->column_count && dof->multiplier != 0; k++) {
            if (s->chain->columns[k] == column) {
                bound(s, k, dof);
            }
        }
    }
    for (unsigned i = 0; i < s->chain->column_count; i++) {
        if (s->lower[i] > s->upper[i]) {
            return false;
        }
    }
    return true;
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

/* Where limits are wide, a turn to either side of the value nearest to 0 has all that there is. */
static void go_anywhere(struct search *s, double *values)
{
    for (unsigned i = 0; i < s->chain->column_count; i++) {
        const double middle = clamp(0, s->lower[i], s->upper[i]);
        const double lower = fmax(s->lower[i], middle - 2 * TPI_PI);
        const double upper = fmin(s->upper[i], middle + 2 * TPI_PI);
        const double value = lower + (upper - lower) * random_unit(s);

        if (is_free(s->fixed, i)) {
            values[s->chain->columns[i]] = value;
        }
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

void tpi_chain_solve(const double *jacobian, unsigned columns, const bool *fixed,
                     const double twist[6], double damping, double *speeds)
{
    const unsigned n = columns;
    double m[6][6], y[6];

    memcpy(y, twist, sizeof y);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j <= i; j++) {
            double sum = i == j ? damping : 0;
            for (unsigned k = 0; k < n; k++) {
                sum += is_free(fixed, k) ? jacobian[i * n + k] * jacobian[j * n + k] : 0;
            }
            m[i][j] = sum;
        }
    }
    solve6(m, y);
    for (unsigned k = 0; k < n; k++) {
        speeds[k] = 0;
        for (unsigned i = 0; i < 6 && is_free(fixed, k); i++) {
            speeds[k] += jacobian[i * n + k] * y[i];
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
    for (unsigned k = 0; k < s->chain->column_count; k++) {
        s->frozen[k] = !is_free(s->fixed, k);
    }
    do {
        tpi_chain_solve(s->jacobian, s->chain->column_count, s->frozen, s->error, damping, s->step);
    } while (freeze(s, values));
    for (unsigned k = 0; k < s->chain->column_count; k++) {
        double *value = &values[s->chain->columns[k]];

        if (is_free(s->fixed, k)) {
            *value = clamp(*value + clamp(s->step[k], -1, 1), s->lower[k], s->upper[k]);
        }
    }
}

/* ---- The search ---- */

static void copy_columns(const tpi_chain *chain, const double *values, double *columns)
{
    for (unsigned k = 0; k < chain->column_count; k++) {
        columns[k] = values[chain->columns[k]];
    }
}

static void set_columns(const tpi_chain *chain, double *values, const double *columns)
{
    for (unsigned k = 0; k < chain->column_count; k++) {
        values[chain->columns[k]] = columns[k];
    }
}

/* One try. Returns the smallest error, with the columns where it was; `*near` says whether it is
 * near enough. */
static double try_from(struct search *s, double *values, double *best, bool *near)
{
    double least = INFINITY;
    unsigned stuck = 0;

    *near = false;
    for (unsigned i = 0; i < s->iterations && stuck < STUCK && !*near; i++) {
        const double error = look(s, values);

        stuck = error < 0.9 * least ? 0 : stuck + 1;
        *near = is_near(s);
        if (error < least || *near) {
            least = error;
            copy_columns(s->chain, values, best);
        }
        if (!*near) {
            take_step(s, values, error + 1e-9);
        }
    }
    return least;
}

/* Try from the given values, then from other places. */
static bool search_all(struct search *s, double *values, unsigned restarts)
{
    double best[TPI_CHAIN_DOFS], found[TPI_CHAIN_DOFS], least = INFINITY;
    bool near = false;

    copy_columns(s->chain, values, best);
    for (unsigned i = 0; i <= restarts && !near; i++) {
        if (i > 0) {
            go_anywhere(s, values);
        }
        const double error = try_from(s, values, found, &near);
        if (error < least || near) {
            least = error;
            memcpy(best, found, sizeof best);
        }
    }
    set_columns(s->chain, values, best);
    return near;
}

/* Bring the first values within the limits. */
static void begin(const struct search *s, double *values)
{
    for (unsigned k = 0; k < s->chain->column_count; k++) {
        double *value = &values[s->chain->columns[k]];

        if (is_free(s->fixed, k)) {
            *value = clamp(isfinite(*value) ? *value : 0, s->lower[k], s->upper[k]);
        }
    }
}

static bool is_finite_pose(const tpi_spatial *pose)
{
    double sum = 0;

    for (int i = 0; i < 9; i++) {
        sum += pose->r[i];
    }
    return isfinite(sum + pose->p[0] + pose->p[1] + pose->p[2]);
}

tp_status tpi_chain_inverse(const tpi_chain *chain, const tpi_spatial *goal, double *values,
                            const tpi_inverse_options *options)
{
    static const tpi_inverse_options usual = {0};
    const tpi_inverse_options *o = options != NULL ? options : &usual;
    struct search s = {
        .chain = chain,
        .goal = goal,
        .position_m = o->position_m > 0 ? o->position_m : 1e-6,
        .angle_rad = o->angle_rad > 0 ? o->angle_rad : 1e-6,
        .iterations = o->iterations > 0 ? o->iterations : ITERATIONS,
        .fixed = o->fixed,
        .random = o->seed,
    };

    const bool possible = find_limits(&s) && is_finite_pose(goal);
    begin(&s, values);
    const unsigned restarts = o->here ? 0 : o->restarts > 0 ? o->restarts : RESTARTS;
    const bool near = possible && search_all(&s, values, restarts);
    tpi_mechanism_follow(chain->mechanism, values);
    return near ? TP_OK : TP_E_RANGE;
}
