/* twist.c - see twist.h. */
#include "motion/twist.h"

#include "motion/path.h"

static const double DAMPING = 1e-6;
static const double SHARE = 0.8;   /* of the acceleration limit; the rest is for slowing time */
static const double UNDONE = 1e-3; /* of a twist, which may be missing */

/* ---- Limits ---- */

/* The highest speed towards the end of the range from which the dof still stops before it:
 * v dt + v^2 / (2 a) is what is left. */
static double before_end(double left, double acceleration, double dt)
{
    if (!(left > 0)) {
        return 0;
    }
    return isinf(left) ? left : acceleration * (sqrt(dt * dt + 2 * left / acceleration) - dt);
}

/* The highest speed of a column in the direction of `speed`. */
static double highest(const tpi_motion_twist *what, unsigned k, double value, double speed)
{
    const tpi_motion_limits *limits = &what->limits[k];
    const double left = speed >= 0 ? limits->upper - value : value - limits->lower;

    return fmin(limits->velocity, before_end(left, limits->acceleration * SHARE, what->period_s));
}

/* The factor that brings all speeds within their limits. */
static double common_factor(const tpi_motion_twist *what, const double *starts,
                            const double *wanted)
{
    double factor = 1;

    for (unsigned k = 0; k < what->chain->column_count; k++) {
        const double most = highest(what, k, starts[k], wanted[k]);

        if (!what->fixed[k] && fabs(wanted[k]) > most) {
            factor = fmin(factor, most / fabs(wanted[k]));
        }
    }
    return factor;
}

/* The part of the way from the old to the wanted speeds that the accelerations allow. */
static double common_change(const tpi_motion_twist *what, const double *speeds,
                            const double *wanted)
{
    double part = 1;

    for (unsigned k = 0; k < what->chain->column_count; k++) {
        const double change = fabs(wanted[k] - speeds[k]);
        const double time_s =
            what->left_s != NULL ? what->left_s[k][wanted[k] > speeds[k]] : what->period_s;
        const double most = what->limits[k].acceleration * SHARE * time_s;

        if (!what->fixed[k] && change > most) {
            part = fmin(part, most / change);
        }
    }
    return part;
}

/* ---- The step ---- */

/* Whether the speeds make the twist. */
static bool makes(const double *jacobian, unsigned columns, const double *speeds,
                  const double twist[6])
{
    double missing = 0, whole = 0;

    for (unsigned i = 0; i < 6; i++) {
        double made = 0;

        for (unsigned k = 0; k < columns; k++) {
            made += jacobian[i * columns + k] * speeds[k];
        }
        missing += (twist[i] - made) * (twist[i] - made);
        whole += twist[i] * twist[i];
    }
    return missing <= UNDONE * UNDONE * whole;
}

bool tpi_motion_twist_step(const tpi_motion_twist *what, double *speeds)
{
    const tpi_chain *chain = what->chain;
    const unsigned n = chain->column_count;
    double jacobian[6 * TPI_CHAIN_DOFS], wanted[TPI_CHAIN_DOFS], starts[TPI_CHAIN_DOFS];
    tpi_spatial tip;

    for (unsigned k = 0; k < n; k++) {
        starts[k] = what->values[chain->columns[k]];
        what->values[chain->columns[k]] += speeds[k] * what->period_s / 2;
    }
    tpi_mechanism_follow(chain->mechanism, what->values);
    tpi_chain_jacobian(chain, what->values, jacobian, &tip);
    tpi_chain_solve(jacobian, n, what->fixed, what->twist, DAMPING, wanted);
    const double ease = tpi_motion_path_ease(jacobian, n, what->fixed);
    const bool whole = makes(jacobian, n, wanted, what->twist);
    for (unsigned k = 0; k < n; k++) {
        wanted[k] *= ease;
    }
    const double factor = common_factor(what, starts, wanted);
    for (unsigned k = 0; k < n; k++) {
        wanted[k] *= factor;
    }
    const double part = common_change(what, speeds, wanted);
    for (unsigned k = 0; k < n; k++) {
        const double speed = part < 1 ? speeds[k] + (wanted[k] - speeds[k]) * part : wanted[k];
        const double most = highest(what, k, starts[k], speed);

        speeds[k] = what->fixed[k] ? 0 : fmin(fmax(speed, -most), most);
    }
    return whole && ease == 1 && factor == 1;
}

void tpi_motion_twist_forces(const tpi_motion_twist *what, double *forces)
{
    const unsigned n = what->chain->column_count;
    double jacobian[6 * TPI_CHAIN_DOFS];
    tpi_spatial tip;

    tpi_mechanism_follow(what->chain->mechanism, what->values);
    tpi_chain_jacobian(what->chain, what->values, jacobian, &tip);
    for (unsigned k = 0; k < n; k++) {
        forces[k] = 0;
        for (unsigned i = 0; i < 6; i++) {
            forces[k] += jacobian[i * n + k] * what->twist[i];
        }
    }
}
