/* touch_test.c - what is within reach of a stick, against every edge one by one. */
#include "sim/ray/touch.h"
#include "support/sim.h"

enum { THINGS = 60, STICKS = 3000 };

static double cut(double t)
{
    return fmin(fmax(t, 0), 1);
}

/* The distance of two segments from p along d and from q along e: the nearest points of the two
 * lines, moved into the segments by turns until nothing changes. */
static double distance(const double p[2], const double d[2], const double q[2], const double e[2])
{
    const double dd = d[0] * d[0] + d[1] * d[1];
    const double ee = e[0] * e[0] + e[1] * e[1];
    const double de = d[0] * e[0] + d[1] * e[1];
    const double r[2] = {p[0] - q[0], p[1] - q[1]};
    const double dr = d[0] * r[0] + d[1] * r[1];
    const double er = e[0] * r[0] + e[1] * r[1];
    const double square = dd * ee - de * de;
    double s = square > 1e-18 ? cut((de * er - ee * dr) / square) : 0;
    double t = 0;

    for (int i = 0; i < 60; i++) {
        t = ee > 0 ? cut((de * s + er) / ee) : 0;
        s = dd > 0 ? cut((de * t - dr) / dd) : 0;
    }
    return hypot(r[0] + d[0] * s - e[0] * t, r[1] + d[1] * s - e[1] * t);
}

/* The distance from a stick to the nearest edge of all. */
static double brute(const tpi_sim *sim, const struct sim_stick *stick)
{
    const double p[2] = {stick->x0, stick->y0};
    const double d[2] = {stick->x1 - stick->x0, stick->y1 - stick->y0};
    double nearest = HUGE_VAL;

    for (uint32_t tree = 0; tree < sim->trees.count; tree++) {
        const struct sim_template *template = sim->trees.template[tree];
        const double c = cos(sim->trees.a[tree]);
        const double s = sin(sim->trees.a[tree]);
        for (uint32_t i = 0; i < template->part_count; i++) {
            const struct sim_part *part = &template->parts[i];
            for (uint32_t k = part->first; k < part->first + part->count; k++) {
                const double ex = template->vx[k + 1] - template->vx[k];
                const double ey = template->vy[k + 1] - template->vy[k];
                const double q[2] = {sim->trees.x[tree] + c * template->vx[k] - s * template->vy[k],
                                     sim->trees.y[tree] + s * template->vx[k] +
                                         c * template->vy[k]};
                const double e[2] = {c * ex - s * ey, s * ex + c * ey};
                nearest = fmin(nearest, distance(p, d, q, e));
            }
        }
    }
    return nearest;
}

static void the_same_as_brute_force(void **state)
{
    struct sim_dice dice = {5};
    tpi_sim *sim = sim_make_clutter(&dice, THINGS, 4, 1);
    int felt = 0;

    (void)state;
    for (int i = 0; i < STICKS; i++) {
        struct sim_stick stick = {.x0 = sim_throw(&dice, -6, 6),
                                  .y0 = sim_throw(&dice, -6, 6),
                                  .reach = sim_throw(&dice, 0, 0.1),
                                  .group = TPI_SIM_NONE,
                                  .feels = SIM_ANY,
                                  .flat = true};
        stick.x1 = stick.x0 + sim_throw(&dice, -0.3, 0.3);
        stick.y1 = stick.y0 + sim_throw(&dice, -0.3, 0.3);
        const double away = brute(sim, &stick);
        if (fabs(away - stick.reach) < 1e-6) {
            continue; /* too close to call */
        }
        const bool feels = tpi_sim_feels(sim, &stick);
        if (feels != (away < stick.reach)) {
            fail_msg("%g away with a reach of %g: %d", away, stick.reach, feels);
        }
        felt += feels ? 1 : 0;
    }
    assert_in_range(felt, STICKS / 20, STICKS * 19 / 20);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_brute_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
