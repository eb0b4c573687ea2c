/*
 * chain.c - the way from the root to a tip: forward kinematics and Jacobian.
 *
 * A chain is flattened once into steps of a fixed pose and at most one dof, so that a calculation
 * walks one array. Axes along x, y or z, which nearly all robots have, take a shorter way.
 */
#include <stdlib.h>

#include "kinematics/mechanism.h"

/* ---- Building ---- */

static int column_of(tpi_chain *chain, int dof)
{
    for (unsigned i = 0; i < chain->column_count; i++) {
        if (chain->columns[i] == dof) {
            return (int)i;
        }
    }
    if (chain->column_count == TPI_CHAIN_DOFS) {
        return -1;
    }
    chain->columns[chain->column_count] = dof;
    return (int)chain->column_count++;
}

static int axis_of(const double axis[3])
{
    for (int i = 0; i < 3; i++) {
        if (fabs(axis[i]) == 1) {
            return i;
        }
    }
    return 3;
}

static bool add_step(tpi_chain *chain, const tpi_spatial *fixed, int dof)
{
    const tpi_dof *what = &chain->mechanism->dofs[dof];
    tpi_chain_step *step = &chain->steps[chain->step_count];

    if (chain->step_count == TPI_CHAIN_STEPS) {
        return false;
    }
    *step = (tpi_chain_step){.fixed = *fixed, .dof = dof, .type = what->type};
    step->along = axis_of(what->axis);
    step->sense = step->along < 3 ? what->axis[step->along] : 1;
    memcpy(step->axis, what->axis, sizeof step->axis);
    step->scale = what->master < 0 ? 1 : what->multiplier;
    step->column = column_of(chain, what->master < 0 ? dof : what->master);
    chain->step_count++;
    return step->column >= 0;
}

static bool add_joint(tpi_chain *chain, const tpi_joint *joint, tpi_spatial *pending)
{
    *pending = tpi_spatial_product(pending, &joint->rest);
    for (unsigned i = 0; i < joint->dof_count; i++) {
        if (!add_step(chain, pending, (int)(joint->first_dof + i))) {
            return false;
        }
        *pending = tpi_spatial_identity();
    }
    return true;
}

tp_status tpi_chain_init(tpi_chain *chain, const tpi_mechanism *mechanism, int link,
                         const tpi_spatial *frame, tp_error *err)
{
    int path[TPI_MOST_LINKS];
    unsigned length = 0;
    tpi_spatial pending = tpi_spatial_identity();

    chain->mechanism = mechanism;
    chain->step_count = chain->column_count = 0;
    for (int at = link; at != mechanism->root; at = mechanism->joints[path[length - 1]].parent) {
        path[length++] = mechanism->links[at].joint;
    }
    while (length > 0) {
        if (!add_joint(chain, &mechanism->joints[path[--length]], &pending)) {
            return tp_fail(err, TP_E_LIMIT, "the chain to link %.60s has over %d dofs",
                           mechanism->links[link].name,
                           chain->column_count == TPI_CHAIN_DOFS ? TPI_CHAIN_DOFS
                                                                 : TPI_CHAIN_STEPS);
        }
    }
    chain->tip = frame == NULL ? pending : tpi_spatial_product(&pending, frame);
    return TP_OK;
}

/* ---- Forward ---- */

/* at = at * (rotation about x, y or z): two columns of the matrix are mixed. */
static void turn_along(double *r, int along, double angle_rad)
{
    const double s = sin(angle_rad), c = cos(angle_rad);
    const int a = along == 0 ? 1 : along == 1 ? 2 : 0;
    const int b = along == 0 ? 2 : along == 1 ? 0 : 1;

    for (int row = 0; row < 9; row += 3) {
        const double u = r[row + a], v = r[row + b];
        r[row + a] = c * u + s * v;
        r[row + b] = c * v - s * u;
    }
}

static void turn(double *r, const tpi_chain_step *step, double angle_rad)
{
    double about[9], turned[9];

    if (step->along < 3) {
        turn_along(r, step->along, step->sense * angle_rad);
        return;
    }
    tpi_rotation_about(about, step->axis, angle_rad);
    tpi_rotation_product(turned, r, about);
    memcpy(r, turned, sizeof turned);
}

static void slide(tpi_spatial *at, const tpi_chain_step *step, double way_m)
{
    double along[3];

    tpi_rotate3(along, at->r, step->axis);
    for (int i = 0; i < 3; i++) {
        at->p[i] += along[i] * way_m;
    }
}

static void advance(tpi_spatial *at, const tpi_chain_step *step, double value)
{
    if (step->type == TPI_REVOLUTE) {
        turn(at->r, step, value);
    } else {
        slide(at, step, value);
    }
}

void tpi_chain_forward(const tpi_chain *chain, const double *values, tpi_spatial *tip)
{
    tpi_spatial at = tpi_spatial_identity();

    for (unsigned i = 0; i < chain->step_count; i++) {
        const tpi_chain_step *step = &chain->steps[i];
        at = tpi_spatial_product(&at, &step->fixed);
        advance(&at, step, values[step->dof]);
    }
    *tip = tpi_spatial_product(&at, &chain->tip);
}

/* ---- Jacobian ---- */

void tpi_chain_jacobian(const tpi_chain *chain, const double *values, double *jacobian,
                        tpi_spatial *tip)
{
    double axes[TPI_CHAIN_STEPS][3], places[TPI_CHAIN_STEPS][3];
    const unsigned n = chain->column_count;
    tpi_spatial at = tpi_spatial_identity();

    for (unsigned i = 0; i < chain->step_count; i++) {
        const tpi_chain_step *step = &chain->steps[i];
        at = tpi_spatial_product(&at, &step->fixed);
        tpi_rotate3(axes[i], at.r, step->axis); /* turning about it does not change it */
        memcpy(places[i], at.p, sizeof places[i]);
        advance(&at, step, values[step->dof]);
    }
    *tip = tpi_spatial_product(&at, &chain->tip);
    memset(jacobian, 0, 6 * n * sizeof *jacobian);
    for (unsigned i = 0; i < chain->step_count; i++) {
        const tpi_chain_step *step = &chain->steps[i];
        double *column = jacobian + step->column;
        double linear[3];

        if (step->type == TPI_PRISMATIC) {
            for (int k = 0; k < 3; k++) {
                column[(unsigned)k * n] += step->scale * axes[i][k];
            }
            continue;
        }
        const double arm[3] = {tip->p[0] - places[i][0], tip->p[1] - places[i][1],
                               tip->p[2] - places[i][2]};
        tpi_cross3(linear, axes[i], arm);
        for (int k = 0; k < 3; k++) {
            column[(unsigned)k * n] += step->scale * linear[k];
            column[(unsigned)(k + 3) * n] += step->scale * axes[i][k];
        }
    }
}

/* ---- Condition ---- */

/* One sweep of Jacobi's method over a symmetric 6 x 6 matrix. Returns the sum of the squares that
 * were beside the diagonal. */
static double sweep(double m[6][6])
{
    double beside = 0;

    for (int p = 0; p < 6; p++) {
        for (int q = p + 1; q < 6; q++) {
            if (m[p][q] == 0) {
                continue;
            }
            beside += m[p][q] * m[p][q];
            const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
            const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
            const double c = 1 / sqrt(t * t + 1), s = t * c;
            for (int k = 0; k < 6; k++) {
                const double u = m[k][p], v = m[k][q];
                m[k][p] = c * u - s * v;
                m[k][q] = s * u + c * v;
            }
            for (int k = 0; k < 6; k++) {
                const double u = m[p][k], v = m[q][k];
                m[p][k] = c * u - s * v;
                m[q][k] = s * u + c * v;
            }
        }
    }
    return beside;
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

double tpi_chain_condition(const double *jacobian, unsigned columns)
{
    enum { MOST_SWEEPS = 50 };
    const unsigned count = columns < 6 ? columns : 6;
    double m[6][6], squares[6]; /* of singular values */

    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            m[i][j] = 0;
            for (unsigned k = 0; k < columns; k++) {
                m[i][j] +=
                    jacobian[(unsigned)i * columns + k] * jacobian[(unsigned)j * columns + k];
            }
        }
    }
    for (int i = 0; i < MOST_SWEEPS && sweep(m) > 1e-30; i++) {
    }
    for (int i = 0; i < 6; i++) {
        squares[i] = m[i][i];
    }
    qsort(squares, 6, sizeof squares[0], falling);
    const double most = squares[0], least = count > 0 ? squares[count - 1] : 0;
    return least <= most * 1e-24 ? (double)INFINITY : sqrt(most / least);
}
