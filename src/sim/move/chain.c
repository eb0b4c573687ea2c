/*
 * chain.c - see chain.h.
 *
 * The solver takes damped least-squares steps from where the joints are; a joint that would leave
 * its bounds is held, and the others make up for it. If that ends beside the goal, it starts again
 * from a few other places. Everything is done in a fixed order, so results are the same bits.
 */
#include "sim/move/chain.h"

#include <math.h>
#include <string.h>

#include "sim/maths.h"

enum { ROWS = 4, MOST_TURNS = 150, STARTS = 6 };

static const double damping = 1e-4;
static const double longest = 0.3;       /* metres or radians of a turn */
static const double near_m = 1e-5;       /* as good as there */
static const double near_rad = 1e-5;     /* likewise */
static const double idle_square = 1e-20; /* of a turn that changes nothing */

/* ---- Forward --------------------------------------------------------------------------------- */

static struct sim_frame moved_by(const struct sim_chain_joint *joint, double position)
{
    tpi_sim_pose by = {0};

    if (joint->linear) {
        by = (tpi_sim_pose){.x = joint->axis[0] * position,
                            .y = joint->axis[1] * position,
                            .z = joint->axis[2] * position};
    } else {
        by.a = sim_normal(joint->axis[2] * position);
    }
    return sim_frame_of(&by);
}

/* The frames of all joints before they move, if wanted, and the tip. */
static struct sim_frame follow(const struct sim_chain *chain, const double *positions,
                               struct sim_frame *frames)
{
    const tpi_sim_pose zero = {0};
    struct sim_frame at = sim_frame_of(&zero);

    for (uint32_t i = 0; i < chain->count; i++) {
        at = sim_frame_join(&at, &chain->joints[i].before);
        if (frames != NULL) {
            frames[i] = at;
        }
        const struct sim_frame by = moved_by(&chain->joints[i], positions[i]);
        at = sim_frame_join(&at, &by);
    }
    return sim_frame_join(&at, &chain->tip);
}

struct sim_frame tpi_sim_chain_tip(const struct sim_chain *chain, const double *positions)
{
    return follow(chain, positions, NULL);
}

/* ---- Backward -------------------------------------------------------------------------------- */

static double limit(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* What is missing: x, y, z, heading. Returns how far it is, in metres and radians. */
static double find_error(const struct sim_chain_goal *goal, const struct sim_frame *tip,
                         double error[ROWS])
{
    error[0] = goal->x - tip->x;
    error[1] = goal->y - tip->y;
    error[2] = goal->z - tip->z;
    error[3] = goal->has_heading ? sim_normal(goal->heading - tip->a) : 0;
    return sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2] +
                error[3] * error[3]);
}

/* How the tip moves with one joint. */
static void find_column(const struct sim_chain_joint *joint, const struct sim_frame *frame,
                        const struct sim_frame *tip, bool heading, double column[ROWS])
{
    column[3] = 0;
    if (joint->linear) {
        column[0] = frame->c * joint->axis[0] - frame->s * joint->axis[1];
        column[1] = frame->s * joint->axis[0] + frame->c * joint->axis[1];
        column[2] = joint->axis[2];
        return;
    }
    column[0] = -joint->axis[2] * (tip->y - frame->y);
    column[1] = joint->axis[2] * (tip->x - frame->x);
    column[2] = 0;
    column[3] = heading ? joint->axis[2] : 0;
}

/* Solve a small symmetric system, whose diagonal is positive, in place. */
static void solve_rows(double m[ROWS][ROWS], double b[ROWS])
{
    for (int i = 0; i < ROWS; i++) {
        for (int k = i + 1; k < ROWS; k++) {
            const double share = m[k][i] / m[i][i];
            for (int j = i; j < ROWS; j++) {
                m[k][j] -= share * m[i][j];
            }
            b[k] -= share * b[i];
        }
    }
    for (int i = ROWS - 1; i >= 0; i--) {
        for (int j = i + 1; j < ROWS; j++) {
            b[i] -= m[i][j] * b[j];
        }
        b[i] /= m[i][i];
    }
}

/* The step of all joints that are not held: J^T (J J^T + damping)^-1 error. */
static void find_step(const struct sim_chain *chain, const double columns[][ROWS], const bool *held,
                      const double error[ROWS], double *step)
{
    double m[ROWS][ROWS] = {{0}};
    double b[ROWS];

    memcpy(b, error, sizeof b);
    for (int r = 0; r < ROWS; r++) {
        m[r][r] = damping;
        for (int k = 0; k < ROWS; k++) {
            for (uint32_t i = 0; i < chain->count; i++) {
                m[r][k] += held[i] ? 0 : columns[i][r] * columns[i][k];
            }
        }
    }
    solve_rows(m, b);
    for (uint32_t i = 0; i < chain->count; i++) {
        step[i] = 0;
        for (int r = 0; r < ROWS && !held[i]; r++) {
            step[i] += columns[i][r] * b[r];
        }
        step[i] = limit(step[i], -longest, longest);
    }
}

/* Go one step, within bounds; returns the square of how far the joints have moved. */
static double turn(const struct sim_chain *chain, const struct sim_chain_goal *goal,
                   double *positions)
{
    struct sim_frame frames[SIM_MOST_CHAIN];
    double columns[SIM_MOST_CHAIN][ROWS];
    bool held[SIM_MOST_CHAIN] = {false};
    double step[SIM_MOST_CHAIN];
    double error[ROWS];
    bool again = true;
    double square = 0;
    const struct sim_frame tip = follow(chain, positions, frames);

    find_error(goal, &tip, error);
    for (uint32_t i = 0; i < chain->count; i++) {
        find_column(&chain->joints[i], &frames[i], &tip, goal->has_heading, columns[i]);
    }
    while (again) { /* each time another joint is held at its bound */
        again = false;
        find_step(chain, (const double(*)[ROWS])columns, held, error, step);
        for (uint32_t i = 0; i < chain->count; i++) {
            const struct sim_chain_joint *joint = &chain->joints[i];
            const double to = limit(positions[i] + step[i], joint->low, joint->high);
            if (!held[i] && to == positions[i] && step[i] != 0) {
                held[i] = again = true;
            }
        }
    }
    for (uint32_t i = 0; i < chain->count; i++) {
        const double to =
            limit(positions[i] + step[i], chain->joints[i].low, chain->joints[i].high);
        square += (to - positions[i]) * (to - positions[i]);
        positions[i] = to;
    }
    return square;
}

static bool is_there(const struct sim_chain *chain, const struct sim_chain_goal *goal,
                     const double *positions, double *distance)
{
    const struct sim_frame tip = follow(chain, positions, NULL);
    double error[ROWS];

    *distance = find_error(goal, &tip, error);
    return sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2]) <= near_m &&
           fabs(error[3]) <= near_rad;
}

static bool approach(const struct sim_chain *chain, const struct sim_chain_goal *goal,
                     double *positions, double *distance)
{
    for (int i = 0; i < MOST_TURNS; i++) {
        if (is_there(chain, goal, positions, distance)) {
            return true;
        }
        if (turn(chain, goal, positions) < idle_square) {
            break;
        }
    }
    return is_there(chain, goal, positions, distance);
}

/* Start number k: where the joints are, then bent to one side, to the other, by turns. */
static void choose_start(const struct sim_chain *chain, const double *now, int k, double *out)
{
    static const double shares[STARTS][2] = {{0, 0},       {0.75, 0.75}, {0.25, 0.25},
                                             {0.75, 0.25}, {0.25, 0.75}, {0.5, 0.55}};

    for (uint32_t i = 0; i < chain->count; i++) {
        const struct sim_chain_joint *joint = &chain->joints[i];
        out[i] = k == 0 ? limit(now[i], joint->low, joint->high)
                        : joint->low + shares[k][i % 2] * (joint->high - joint->low);
    }
}

bool tpi_sim_chain_solve(const struct sim_chain *chain, const struct sim_chain_goal *goal,
                         double *positions)
{
    double now[SIM_MOST_CHAIN];
    double best = HUGE_VAL;

    memcpy(now, positions, chain->count * sizeof now[0]);
    for (int k = 0; k < STARTS; k++) {
        double tried[SIM_MOST_CHAIN];
        double distance;
        choose_start(chain, now, k, tried);
        const bool there = approach(chain, goal, tried, &distance);
        if (there || distance < best) {
            best = distance;
            memcpy(positions, tried, chain->count * sizeof tried[0]);
        }
        if (there) {
            return true;
        }
    }
    return false;
}
