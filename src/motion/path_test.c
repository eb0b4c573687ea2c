/* path_test.c - paths and twists of chains with many dofs, with fixed ones, and near singular
 * poses. */
#include "motion/path.h"
#include "motion/twist.h"
#include "support/kinematics.h"

struct rig {
    tpi_mechanism *m;
    tpi_chain chain;
    bool fixed[TPI_CHAIN_DOFS];
    tpi_motion_limits limits[TPI_CHAIN_DOFS];
    double values[TPI_MOST_DOFS];
};

static void rig_up(struct rig *rig, const char *file, const char *frame)
{
    memset(rig, 0, sizeof *rig);
    rig->m = robot_of(file);
    const tpi_control_frame *own = &rig->m->frames[tpi_mechanism_frame(rig->m, frame)];
    assert_int_equal(tpi_chain_init(&rig->chain, rig->m, own->link, &own->pose, NULL), TP_OK);
    for (unsigned k = 0; k < rig->chain.column_count; k++) {
        const tpi_dof *dof = &rig->m->dofs[rig->chain.columns[k]];

        rig->limits[k] =
            (tpi_motion_limits){dof->lower, dof->upper, dof->velocity, dof->acceleration};
        rig->values[rig->chain.columns[k]] = fmin(fmax(0.3, dof->lower), dof->upper);
    }
    tpi_mechanism_follow(rig->m, rig->values);
}

static void set_arm(struct rig *rig, double elbow, double bend)
{
    const double joints[6] = {0.3, 0.7, elbow, 0.4, bend, 0.1};

    memcpy(rig->values, joints, sizeof joints);
}

static tpi_spatial tip_of(const struct rig *rig)
{
    tpi_spatial tip;

    tpi_chain_forward(&rig->chain, rig->values, &tip);
    return tip;
}

static tpi_motion_planned plan(const struct rig *rig, tpi_motion_path *path, tpi_spatial goal,
                               double duration_s)
{
    double values[TPI_MOST_DOFS];
    const tpi_motion_way way = {&rig->chain, rig->fixed, rig->limits, values, goal, duration_s};

    memcpy(values, rig->values, sizeof values);
    return tpi_motion_path_plan(path, &way);
}

/* Positions, speeds and accelerations belong together, begin and end at rest, and are within the
 * limits. */
static void check_path(const struct rig *rig, const tpi_motion_path *path)
{
    const double dt = path->end_s / 5000;

    for (unsigned k = 0; k < path->columns; k++) {
        int other = 0; /* accelerations that differ: they jump at knots */

        const tpi_motion_station first = tpi_motion_path_at(path, k, 0);
        const tpi_motion_station last = tpi_motion_path_at(path, k, path->end_s + 1);

        assert_true(first.point.velocity == 0 && last.point.velocity == 0);
        assert_true(first.point.position == path->values[0][k]);
        assert_true(last.point.position == path->values[TPI_MOTION_KNOTS - 1][k]);
        for (int i = 1; i + 1 < 5000; i++) {
            const tpi_motion_station before = tpi_motion_path_at(path, k, (i - 1) * dt);
            const tpi_motion_station at = tpi_motion_path_at(path, k, i * dt);
            const tpi_motion_station after = tpi_motion_path_at(path, k, (i + 1) * dt);
            const double speed = (after.point.position - before.point.position) / (2 * dt);

            assert_near(at.point.velocity, speed, 2e-3 * rig->limits[k].velocity + 1e-9);
            assert_true(fabs(at.point.velocity) <= rig->limits[k].velocity * (1 + 1e-6));
            assert_true(fabs(at.acceleration) <= rig->limits[k].acceleration);
            const double change = (after.point.velocity - before.point.velocity) / (2 * dt);
            other += fabs(change - at.acceleration) > 1e-3 * rig->limits[k].acceleration;
        }
        assert_true(other <= 3 * TPI_MOTION_KNOTS);
    }
}

static void a_hand_of_many_dofs_follows_a_line(void **state)
{
    static struct rig rig;
    static tpi_motion_path path;

    (void)state;
    rig_up(&rig, "hand64.urdf", "index_tip");
    assert_true(rig.chain.column_count > 12);
    tpi_spatial goal = tip_of(&rig);
    goal.p[0] -= 0.05;
    goal.p[2] += 0.05;
    assert_int_not_equal(plan(&rig, &path, goal, 0), TPI_MOTION_OUT_OF_REACH);
    check_path(&rig, &path);
    tpi_mechanism_destroy(rig.m);
}

static void a_fixed_dof_stays(void **state)
{
    static struct rig rig;
    static tpi_motion_path path;

    (void)state;
    rig_up(&rig, "hand64.urdf", "index_tip");
    rig.fixed[2] = true;
    tpi_spatial goal = tip_of(&rig);
    goal.p[2] += 0.03;
    assert_int_not_equal(plan(&rig, &path, goal, 0), TPI_MOTION_OUT_OF_REACH);
    for (int i = 0; i < TPI_MOTION_KNOTS; i++) {
        assert_true(path.values[i][2] == path.values[0][2]);
    }
    check_path(&rig, &path);
    tpi_mechanism_destroy(rig.m);
}

static void durations_are_kept_or_stretched(void **state)
{
    static struct rig rig;
    static tpi_motion_path path;

    (void)state;
    rig_up(&rig, "puma560.urdf", "hand");
    set_arm(&rig, -2.4, 0.9);
    tpi_spatial goal = tip_of(&rig);
    goal.p[2] -= 0.2;
    assert_int_equal(plan(&rig, &path, goal, 0), TPI_MOTION_AS_ASKED);
    const double least = path.end_s;
    check_path(&rig, &path);
    assert_int_equal(plan(&rig, &path, goal, least * 0.9), TPI_MOTION_OTHERWISE);
    assert_true(path.end_s == least);
    assert_int_equal(plan(&rig, &path, goal, least * 1.01), TPI_MOTION_AS_ASKED);
    assert_true(path.end_s == least * 1.01 && !path.cubic);
    check_path(&rig, &path);
    assert_int_equal(plan(&rig, &path, goal, least * 3), TPI_MOTION_AS_ASKED);
    assert_true(path.end_s == least * 3 && path.cubic);
    check_path(&rig, &path);
    assert_int_equal(plan(&rig, &path, tip_of(&rig), 0), TPI_MOTION_AS_ASKED);
    assert_true(path.end_s == 0);
    tpi_mechanism_destroy(rig.m);
}

/* The shortest duration for which the path is a cubic; there it keeps all limits. */
static double shortest_cubic(struct rig *rig, tpi_motion_path *path, tpi_spatial goal)
{
    assert_int_equal(plan(rig, path, goal, 0), TPI_MOTION_AS_ASKED);
    double no = path->end_s, yes = 4 * path->end_s;

    for (int i = 0; i < 30; i++) {
        const double middle = (no + yes) / 2;

        (void)plan(rig, path, goal, middle);
        *(path->cubic ? &yes : &no) = middle;
    }
    (void)plan(rig, path, goal, yes);
    assert_true(path->cubic);
    check_path(rig, path);
    return yes;
}

/* With joints that are slow, what counts is where on the path they are. */
static void a_cubic_takes_as_long_as_the_way_back(void **state)
{
    static const double starts[][2] = {{-2.4, 0.9}, {-1.2, 0.6}, {-2.0, 0.4}, {-1.6, 1.2}};
    static const double ways[][3] = {{0, 0, -0.2}, {0.15, 0, 0.1}, {0, 0.2, 0}, {-0.1, 0.1, 0}};
    static struct rig rig;
    static tpi_motion_path path;
    int compared = 0;

    (void)state;
    rig_up(&rig, "puma560.urdf", "hand");
    for (unsigned k = 0; k < rig.chain.column_count; k++) {
        rig.limits[k].velocity *= 0.1;
    }
    for (unsigned i = 0; i < 16; i++) {
        set_arm(&rig, starts[i / 4][0], starts[i / 4][1]);
        const tpi_spatial from = tip_of(&rig);
        tpi_spatial to = from;

        for (int k = 0; k < 3; k++) {
            to.p[k] += ways[i % 4][k];
        }
        if (plan(&rig, &path, to, 0) != TPI_MOTION_AS_ASKED) {
            continue;
        }
        const double there = shortest_cubic(&rig, &path, to);
        for (unsigned k = 0; k < path.columns; k++) {
            rig.values[rig.chain.columns[k]] = path.values[TPI_MOTION_KNOTS - 1][k];
        }
        assert_near(shortest_cubic(&rig, &path, from), there, 0.01 * there);
        compared++;
    }
    assert_true(compared >= 5);
    tpi_mechanism_destroy(rig.m);
}

/* Where two axes of the wrist are nearly one line the path is slower by the condition number. */
static void a_path_slows_down_near_a_singularity(void **state)
{
    static struct rig rig;
    static tpi_motion_path path;
    double jacobian[6 * TPI_CHAIN_DOFS];
    tpi_spatial tip;

    (void)state;
    rig_up(&rig, "puma560.urdf", "hand");
    set_arm(&rig, -2, 0.08);
    tpi_chain_jacobian(&rig.chain, rig.values, jacobian, &tip);
    const double condition = tpi_chain_condition(jacobian, 6);
    assert_true(condition > 60 && condition < 200);
    assert_near(tpi_motion_path_ease(jacobian, 6, rig.fixed), 50 / condition, 1e-12);
    tip.p[2] -= 0.1;
    assert_int_equal(plan(&rig, &path, tip, 0), TPI_MOTION_OTHERWISE);
    check_path(&rig, &path);
    assert_int_equal(plan(&rig, &path, tip, 5), TPI_MOTION_AS_ASKED); /* slow enough */
    set_arm(&rig, -2, 0);
    tpi_chain_jacobian(&rig.chain, rig.values, jacobian, &tip);
    assert_true(tpi_motion_path_ease(jacobian, 6, rig.fixed) == 0.05); /* it never stands */
    set_arm(&rig, -2.4, 0.9);
    tpi_chain_jacobian(&rig.chain, rig.values, jacobian, &tip);
    assert_true(tpi_motion_path_ease(jacobian, 6, rig.fixed) == 1);
    tpi_mechanism_destroy(rig.m);
}

static void no_path_leads_out_of_reach(void **state)
{
    static struct rig rig;
    static tpi_motion_path path;

    (void)state;
    rig_up(&rig, "puma560.urdf", "hand");
    tpi_spatial goal = tip_of(&rig);
    goal.p[1] = 4;
    assert_int_equal(plan(&rig, &path, goal, 0), TPI_MOTION_OUT_OF_REACH);
    goal.p[1] = (double)NAN;
    assert_int_equal(plan(&rig, &path, goal, 0), TPI_MOTION_OUT_OF_REACH);
    tpi_mechanism_destroy(rig.m);
}

/* ---- Twists ---- */

/* Step on with a twist; the values move with the speeds. Returns whether all steps were as asked.
 */
static bool step(struct rig *rig, const double twist[6], double *speeds, int steps)
{
    bool as_asked = true;

    for (int i = 0; i < steps; i++) {
        double values[TPI_MOST_DOFS], before[TPI_CHAIN_DOFS];
        tpi_motion_twist what = {&rig->chain, rig->fixed, rig->limits, values, {0}, 0.01};

        memcpy(values, rig->values, sizeof values);
        memcpy(before, speeds, sizeof before);
        memcpy(what.twist, twist, sizeof what.twist);
        as_asked = tpi_motion_twist_step(&what, speeds) && as_asked;
        for (unsigned k = 0; k < rig->chain.column_count; k++) {
            const tpi_motion_limits *l = &rig->limits[k];
            double *value = &rig->values[rig->chain.columns[k]];

            *value += speeds[k] * 0.01;
            assert_true(*value >= l->lower && *value <= l->upper);
            assert_true(fabs(speeds[k]) <= l->velocity);
            assert_true(fabs(speeds[k] - before[k]) <= 0.8 * l->acceleration * 0.01 * (1 + 1e-9));
        }
        tpi_mechanism_follow(rig->m, rig->values);
    }
    return as_asked;
}

static void a_twist_is_made_or_it_is_said(void **state)
{
    static struct rig rig;
    double speeds[TPI_CHAIN_DOFS] = {0};

    (void)state;
    rig_up(&rig, "puma560.urdf", "hand");
    set_arm(&rig, -2.4, 0.9);
    const tpi_spatial start = tip_of(&rig);
    assert_true(step(&rig, (const double[6]){0, 0, -0.1, 0, 0, 0}, speeds, 150));
    const tpi_spatial end = tip_of(&rig);
    assert_near(end.p[2], start.p[2] - 0.15, 5e-3);
    assert_near(end.p[0], start.p[0], 1e-3); /* the start is not quite straight */
    assert_false(step(&rig, (const double[6]){0, 0, -9, 0, 0, 0}, speeds, 1)); /* too fast */
    step(&rig, (const double[6]){0}, speeds, 200);
    for (int k = 0; k < 6; k++) {
        assert_true(speeds[k] == 0);
    }
    tpi_mechanism_destroy(rig.m);
}

/* Whatever is asked for, also for long, limits are kept: step() looks. */
static void twists_keep_all_limits(void **state)
{
    static struct rig rig;
    uint64_t seed = 7;

    (void)state;
    rig_up(&rig, "puma560.urdf", "hand");
    for (int run = 0; run < 40; run++) {
        double speeds[TPI_CHAIN_DOFS] = {0};

        set_arm(&rig, -2.4 + 0.05 * run, 0.9);
        for (int part = 0; part < 4; part++) {
            double twist[6];

            for (int i = 0; i < 6; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                twist[i] = 4 * ((double)(seed >> 11) * 0x1p-53 - 0.5);
            }
            step(&rig, twist, speeds, 120);
        }
    }
    tpi_mechanism_destroy(rig.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_of_many_dofs_follows_a_line),
        cmocka_unit_test(a_fixed_dof_stays),
        cmocka_unit_test(durations_are_kept_or_stretched),
        cmocka_unit_test(a_cubic_takes_as_long_as_the_way_back),
        cmocka_unit_test(a_path_slows_down_near_a_singularity),
        cmocka_unit_test(no_path_leads_out_of_reach),
        cmocka_unit_test(a_twist_is_made_or_it_is_said),
        cmocka_unit_test(twists_keep_all_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
